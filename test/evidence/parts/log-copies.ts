import fc from 'fast-check';
import { formatTicks } from '../../../src/event/event-time';
import { FIELD_NAMES } from '../../../src/event/fields';
import { idBytes, recordIdOf, ticksOfRecordId } from '../../../src/event/record-id';
import { signedNote } from '../../../src/modules/evidence/checkpoint';
import type { LogCopy } from '../../../src/modules/evidence/verify/log-copy';
import { type Report, Verifier } from '../../../src/modules/evidence/verify/verifier';
import { type LoggedEvent, leafHashOf } from '../../../src/store/log/evidence/entry';
import { CheckpointKey, newCheckpointKeyPem } from '../../../src/store/log/evidence/note-key';
import { plainRoot } from './support';

export const KEY = CheckpointKey.ofPem(newCheckpointKeyPem());
const SINCE = '2026-01-06T00:00:00.000Z';

/** An event of tenant 7; each `n` gives a different event. */
export function anEventInFull(n: number, change: Partial<LoggedEvent> = {}): LoggedEvent {
  const source = { fileGuid: '7f3e', blockOffset: n, index: 0 };
  const recordId = recordIdOf(7, 17_675_000_000_000_000n + BigInt(n % 5) * 36_000_000_000n, source);
  const texts = Object.fromEntries(FIELD_NAMES.map((name) => [name, `${name} ${n}`]));
  return {
    ...(texts as unknown as LoggedEvent),
    recordId,
    tenantId: '7',
    succeeded: n % 2 === 0,
    hostName: null,
    eventTime: formatTicks(ticksOfRecordId(recordId)),
    additional: { sessionId: n, file: 'a.sqlaudit', isTop: false },
    ...change,
  };
}

/** The evidence log of these events, signed at these sizes. */
export function logOf(events: readonly LoggedEvent[], sizes: readonly number[], key = KEY): LogCopy {
  const leaves = events.map((event) => Buffer.from(leafHashOf(event), 'hex'));
  const checkpoints = sizes.map((size, i) =>
    signedNote(
      { tenantId: 7, size, root: plainRoot(leaves.slice(0, size)), number: i + 1, time: SINCE },
      key,
    ),
  );
  return {
    tenantId: '7',
    publicKey: key.verifierKey,
    before: checkpoints.at(-1) ?? null,
    checkpoints,
    waitingEvents: 0,
    refusedEvents: 0,
    problem: null,
    removals: [],
    erasures: [],
    sealed: { fileEntries: [], files: [] },
    holes: [],
    proofs: [],
    timeStamps: [],
    recordIds: Buffer.concat(events.map(({ recordId }) => idBytes(recordId))),
    leafHashes: Buffer.concat(leaves),
  };
}

export function verify(log: LogCopy, events: readonly LoggedEvent[], kept: readonly string[] = []): Report {
  const verifier = new Verifier(log, [KEY.verifierKey], kept);
  for (const event of events) verifier.add(event);
  return verifier.report();
}

/** An evidence log of up to 40 events with up to 4 checkpoints, the last at its end. */
export const logs = fc.integer({ min: 1, max: 40 }).chain((count) =>
  fc.uniqueArray(fc.integer({ min: 1, max: count }), { maxLength: 3 }).map((some) => {
    const events = Array.from({ length: count }, (_, n) => anEventInFull(n));
    const sizes = [...new Set([...some, count])].sort((a, b) => a - b);
    return { events, sizes, log: logOf(events, sizes) };
  }),
);

export const firstOf = (events: readonly LoggedEvent[]): string =>
  events.map(({ recordId }) => recordId).toSorted()[0] ?? '';
