import { GuardedHttp } from '../../../delivery/guarded-http';
import { ANYWHERE, NetworkGuard } from '../../../delivery/network-guard';
import { LIMITS } from '../../../limits';
import { parseCount } from '../../../store/log/evidence/checkpoint-text';
import { type KnownWitness, readWitnessKey } from '../../../store/log/evidence/cosignature';
import { WITNESS_STATUS } from '../../../store/log/evidence/witness-protocol';

/** What a witness said to a checkpoint. */
export type WitnessOutcome =
  /** `line`: its signature line, which is checked. */
  | { readonly kind: 'signed'; readonly line: string }
  /** The size that it signed last. */
  | { readonly kind: 'conflict'; readonly size: number }
  /** It does not serve the log. */
  | { readonly kind: 'unknown' }
  /** It answered, and does not sign the checkpoint. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It did not answer. */
  | { readonly kind: 'failed'; readonly message: string };

export interface WitnessClient extends Pick<KnownWitness, 'name' | 'linePrefix'> {
  /** @param old the size that it signed last, as far as is known @param proof from there to the checkpoint */
  add(old: number, proof: readonly Buffer[], note: string, signal: AbortSignal): Promise<WitnessOutcome>;
  close(): void;
}

const SHOWN_CHARS = 300;
const { signed, conflict, unknown } = WITNESS_STATUS;

/** @param url its submission prefix @throws Error if the key is none */
export function openWitness({
  verifierKey,
  url,
}: {
  readonly verifierKey: string;
  readonly url: string;
}): WitnessClient {
  const witness = readWitnessKey(verifierKey);
  const http = new GuardedHttp(new NetworkGuard(ANYWHERE), {}, LIMITS.witnessAnswerMs);
  const target = `${url.replace(/\/+$/, '')}/add-checkpoint`;
  return {
    name: witness.name,
    linePrefix: witness.linePrefix,
    close: () => http.close(),
    add: async (old, proof, note, signal) => {
      const lines = [`old ${old}`, ...proof.map((hash) => hash.toString('base64')), '', note];
      const body = Buffer.from(lines.join('\n'));
      const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
      try {
        const answer = await http.send({ method: 'POST', url: target, headers, body }, signal);
        return outcomeOf(answer.status, answer.body.toString('utf8'), note, witness);
      } catch (error) {
        return { kind: 'failed', message: (error as Error).message };
      }
    },
  };
}

function outcomeOf(status: number, text: string, note: string, witness: KnownWitness): WitnessOutcome {
  const message = `HTTP ${status}: ${text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, SHOWN_CHARS)}`;
  if (status === signed) {
    // Its answer is believed only as far as its key signed it.
    const line = witness.lineIn(note.slice(0, note.indexOf('\n\n') + 2) + text);
    return line === null
      ? { kind: 'refused', message: 'its answer has no signature of its key on the checkpoint' }
      : { kind: 'signed', line };
  }
  const size = status === conflict ? parseCount(text.trim()) : null;
  if (size !== null) return { kind: 'conflict', size };
  if (status === unknown) return { kind: 'unknown' };
  return { kind: 'refused', message };
}
