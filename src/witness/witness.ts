import { LIMITS } from '../limits';
import {
  type CheckpointText,
  parseCount,
  parseHash,
  readCheckpoint,
} from '../store/log/evidence/checkpoint-text';
import type { WitnessKey } from '../store/log/evidence/cosignature';
import { isConsistent, rootOf } from '../store/log/evidence/merkle';
import { SIZE_TYPE, WITNESS_STATUS } from '../store/log/evidence/witness-protocol';
import type { WitnessFolder } from './witness-folder';
import type { WitnessLogs } from './witness-logs';

/** An answer to `add-checkpoint`. */
export interface WitnessAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface Submission {
  readonly old: number;
  readonly proof: readonly Buffer[];
  readonly note: string;
  readonly checkpoint: CheckpointText;
}

/** What a witness tells its operator. */
export type Tell = (line: string) => void;

/**
 * Signs checkpoints of logs (C2SP: tlog-witness). A checkpoint is signed only if it goes on from the last one that was
 * signed of its log, and only once it is on disk. Of one size of a log, one root is signed, ever.
 */
export class Witness {
  /** The last request of each log that is in work, so that those of one log follow each other. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(
    private readonly key: WitnessKey,
    private readonly logs: WitnessLogs,
    private readonly folder: Pick<WitnessFolder, 'last' | 'put' | 'keepFork'>,
    private readonly tell: Tell,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** @throws WitnessFolderError if the last checkpoint cannot be read, or the new one not be written */
  async add(body: string): Promise<WitnessAnswer> {
    const given = parseSubmission(body);
    if (typeof given === 'string') return refusal(WITNESS_STATUS.malformed, given);
    const { origin } = given.checkpoint;
    const isSigned = this.logs.isSigned(origin, given.note);
    if (isSigned === null) return refusal(WITNESS_STATUS.unknown, 'this witness does not serve that log');
    if (!isSigned) return refusal(WITNESS_STATUS.notSigned, 'no key of the log signed the checkpoint');
    if (given.old > given.checkpoint.size)
      return refusal(WITNESS_STATUS.malformed, 'old is more than the size of the checkpoint');
    return this.#inTurn(origin, () => this.#addSigned(given));
  }

  async #addSigned({ old, proof, note, checkpoint }: Submission): Promise<WitnessAnswer> {
    const { origin, size, root, body } = checkpoint;
    const kept = await this.folder.last(origin);
    const last = kept === null ? NOTHING : readCheckpoint(kept);
    if (!last || (kept !== null && last.origin !== origin))
      throw new Error(`what is kept of ${origin} is no checkpoint of it: put it right by hand`);
    if (old !== last.size) return conflict(last.size);
    if (size === last.size && !root.equals(last.root)) {
      const file = kept === null ? null : await this.folder.keepFork(origin, [kept, note]);
      this.tell(
        `${origin}: FORKED at ${size} entries${file === null ? '' : `; both checkpoints are in ${file}`}`,
      );
      return conflict(last.size);
    }
    const isSound = old === 0 ? proof.length === 0 : isConsistent(last, { size, root }, proof);
    if (!isSound) {
      this.tell(
        `${origin}: it is not proven that ${size} entries begin with the ${last.size} that were signed`,
      );
      return refusal(
        WITNESS_STATUS.unproven,
        'the proof does not lead from the old checkpoint to the new one',
      );
    }
    // From here on the checkpoint is the last one of its log. After a crash before the answer, the log gets its
    // signature when it asks again, with this size as its old one.
    await this.folder.put(origin, note);
    return { status: WITNESS_STATUS.signed, type: TEXT, text: this.key.cosign(body, this.now()) };
  }

  #inTurn<T>(origin: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(origin) ?? Promise.resolve()).then(work);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(origin, settled);
    void settled.then(() => {
      if (this.#last.get(origin) === settled) this.#last.delete(origin);
    });
    return done;
  }
}

const TEXT = 'text/plain; charset=utf-8';
const NOTHING = { origin: '', size: 0, root: rootOf(0, () => Buffer.alloc(0)) };

const refusal = (status: number, text: string): WitnessAnswer => ({
  status,
  type: TEXT,
  text: `${text}\n`,
});
const conflict = (size: number): WitnessAnswer => ({
  status: WITNESS_STATUS.conflict,
  type: SIZE_TYPE,
  text: `${size}\n`,
});

/** @returns a sentence if the body has not the form */
function parseSubmission(body: string): Submission | string {
  const end = body.indexOf('\n\n');
  if (end < 0) return 'the body has no empty line';
  const [first = '', ...lines] = body.slice(0, end).split('\n');
  const old = first.startsWith('old ') ? parseCount(first.slice('old '.length)) : null;
  if (old === null) return 'the first line is not old and a size';
  if (lines.length > LIMITS.witnessProofLinesMax)
    return `the proof has more than ${LIMITS.witnessProofLinesMax} lines`;
  const proof = lines.map(parseHash);
  if (!proof.every((hash) => hash !== null)) return 'a line of the proof is not 32 bytes in Base64';
  const note = body.slice(end + 2);
  const checkpoint = readCheckpoint(note);
  return checkpoint
    ? { old, proof, note, checkpoint }
    : 'what follows the empty line is no signed checkpoint';
}
