import { ServiceError } from '../../api/errors';
import { bodyOf } from '../../api/session';
import { type Block, blocksOf } from './blocks';

/** How the page is connected; `seconds`: until it tries again. */
export type LiveState =
  | { readonly kind: 'connecting' | 'on' }
  | { readonly kind: 'lost'; readonly seconds: number }
  | { readonly kind: 'refused'; readonly error: ServiceError };

/** Where a stream goes on: the id of its last message. Null: with what arrives from now on. */
export interface LivePlace {
  id: string | null;
}

interface Following<T> {
  readonly place: LivePlace;
  readonly signal: AbortSignal;
  /** Opens a stream that goes on after an id. */
  readonly ask: (id: string | null, signal: AbortSignal) => Promise<Response>;
  readonly onItems: (items: readonly T[]) => void;
  /** The stream began anew, so that the list has to be asked again: events before it come in no message. */
  readonly onAnew: () => void;
  readonly onState: (state: LiveState) => void;
  /** Waits, shorter if there is a reason to try again at once. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

const WAIT_MS_MIN = 1_000;
const WAIT_MS_MAX = 30_000;
/** Events that may come before the stream has caught up. With more, the list is asked again in their place. */
export const BEHIND_MAX = 2_000;
/** Refusals that the same question meets again. */
const FINAL = ['unauthorized', 'forbidden', 'invalid_parameter'];
/** Refusals of a place, and not of the question. */
const OF_PLACE = ['cursor_of_earlier_log', ...FINAL.slice(1)];

/**
 * Follows the live events until the signal ends it, or the service refuses for good. After an outage it tries again, with
 * waits that grow, and goes on from the last id: no event is lost, and none comes twice.
 */
export async function followLive<T>(following: Following<T>): Promise<void> {
  const { place, signal, onState, rest, random = Math.random } = following;
  for (let failures = 0; !signal.aborted; ) {
    onState({ kind: 'connecting' });
    try {
      await oneStream(following, () => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      const code = error instanceof ServiceError ? error.code : null;
      if (place.id !== null && code !== null && OF_PLACE.includes(code)) {
        place.id = null;
        continue;
      }
      if (error instanceof ServiceError && FINAL.includes(error.code))
        return onState({ kind: 'refused', error });
      const longest = Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** failures++);
      const ms = longest * (0.5 + random() / 2);
      onState({ kind: 'lost', seconds: Math.ceil(ms / 1_000) });
      await rest(ms, signal);
    }
  }
}

/** Reads one stream to its planned end. @throws ServiceError; Error if it was cut */
async function oneStream<T>(following: Following<T>, onMessage: () => void): Promise<void> {
  const { place, signal, ask, onState } = following;
  const over = new AbortController();
  const end = () => over.abort();
  signal.addEventListener('abort', end);
  try {
    const response = await ask(place.id, over.signal);
    if (!response.ok || !response.body) await bodyOf(response);
    if (place.id !== null) onState({ kind: 'on' });
    let behind = 0;
    for await (const block of blocksOf(response.body as ReadableStream<Uint8Array>)) {
      if (signal.aborted) return;
      onMessage();
      if (block.event === 'end') return endOf(block);
      behind = take(following, block, behind);
      if (behind <= BEHIND_MAX) continue;
      place.id = null;
      return;
    }
  } finally {
    signal.removeEventListener('abort', end);
    over.abort();
  }
  throw new Error('the stream was cut');
}

/** Takes a message as a whole, and then its id. @returns the events since the stream had caught up */
function take<T>(
  { place, onItems, onAnew, onState }: Following<T>,
  { id, data }: Block,
  behind: number,
): number {
  const isAnew = place.id === null && id !== null;
  const message = data === null ? null : (JSON.parse(data) as { items: readonly T[]; caughtUp: boolean });
  if (isAnew) {
    onState({ kind: 'on' });
    onAnew();
  }
  if (message && message.items.length > 0) onItems(message.items);
  if (id !== null) place.id = id;
  return message === null || message.caughtUp ? 0 : behind + message.items.length;
}

/** @throws ServiceError if the stream did not end as planned */
function endOf({ data }: Block): void {
  const { code, message } = JSON.parse(data ?? '{}') as { code?: string | null; message?: string };
  if (code) throw new ServiceError(code, message ?? '');
}
