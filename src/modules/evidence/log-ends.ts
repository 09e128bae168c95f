import { LIMITS } from '../../limits';
import { HASH_BYTES } from '../../store/log/evidence/merkle';
import type { Checkpoint } from './checkpoint';

type SizedRoot = Pick<Checkpoint, 'size' | 'root'>;

/** Where the ends are kept, outside of the database. */
export interface EndsFile {
  /** @returns null: nothing is kept */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

const LINE = new RegExp(`^([1-9]\\d{0,9}) ([1-9]\\d{0,15}) ([0-9a-f]{${2 * HASH_BYTES}})$`);

/**
 * Notes the ends of logs that no remembered checkpoint covers yet. So an instance that starts after a fail-over notices
 * that a log lacks entries of the last minute, which no checkpoint tells.
 */
export class LogEnds {
  /** Ends that this instance saw, the one that grew last at the end. */
  readonly #seen = new Map<number, SizedRoot>();
  /** Ends of an earlier run. */
  #noted = new Map<number, SizedRoot>();
  /** The epoch in which those were noted. */
  #notedIn = '';
  #seenIn = '';
  #isChanged = false;
  #hasTold = false;
  #savedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly parts: {
      readonly file: EndsFile;
      readonly epoch: () => string;
      readonly log: { warn(values: object, text: string): void };
    },
  ) {}

  /** Reads what an earlier run noted. What cannot be read is not known, and says nothing. */
  async begin(): Promise<void> {
    const text = await this.parts.file.read().catch(() => null);
    const [epoch, ...lines] = (text ?? '').trimEnd().split('\n');
    this.#notedIn = epoch ?? '';
    this.#noted = new Map(
      lines.flatMap((line) => {
        const [, tenantId, size, root] = LINE.exec(line) ?? [];
        if (!tenantId || !size || !root) return [];
        return [[Number(tenantId), { size: Number(size), root: Buffer.from(root, 'hex') }] as const];
      }),
    );
  }

  /** The end of a log as an earlier run noted it in this epoch, until `is`. */
  noted(tenantId: number): SizedRoot | undefined {
    return this.#isOfNow ? this.#noted.get(tenantId) : undefined;
  }

  /** The tenants with such ends. */
  get tenants(): readonly number[] {
    return this.#isOfNow ? [...this.#noted.keys()] : [];
  }

  /** A log is in order, and goes on from what was noted of it. @param isCovered whether a remembered checkpoint covers it */
  is(tenantId: number, { size, root }: SizedRoot, isCovered: boolean): void {
    if (this.#noted.delete(tenantId)) this.#isChanged = true;
    this.#renew();
    if (isCovered) {
      this.#isChanged = this.#seen.delete(tenantId) || this.#isChanged;
      return;
    }
    if (this.#seen.get(tenantId)?.size === size) return;
    this.#seen.delete(tenantId);
    this.#seen.set(tenantId, { size, root });
    // A fail-over loses the last entries, which are those of the logs that grew last.
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > LIMITS.evidenceNotedEnds && oldest !== undefined) this.#seen.delete(oldest);
    this.#isChanged = true;
  }

  /** Writes the ends if they have changed, and not more often than about once in a second. */
  async save(): Promise<void> {
    const nowMs = performance.now();
    if (!this.#isChanged || nowMs - this.#savedMs < LIMITS.evidenceNoteEndsMs) return;
    this.#renew();
    const ends = new Map([...(this.#isOfNow ? this.#noted : []), ...this.#seen]);
    const lines = [...ends].map(
      ([tenantId, { size, root }]) => `${tenantId} ${size} ${root.toString('hex')}\n`,
    );
    this.#savedMs = nowMs;
    try {
      await this.parts.file.write(`${this.parts.epoch()}\n${lines.join('')}`);
      [this.#isChanged, this.#hasTold] = [false, false];
    } catch (err) {
      // The ends before say less, and nothing false. Checkpoints say loudly that there is no room.
      if (!this.#hasTold) this.parts.log.warn({ err }, 'the ends of the evidence logs cannot be noted');
      this.#hasTold = true;
    }
  }

  /** In another epoch, the ends are those of other logs. */
  get #isOfNow(): boolean {
    return this.#notedIn === this.parts.epoch();
  }

  #renew(): void {
    const epoch = this.parts.epoch();
    if (this.#seenIn === epoch) return;
    this.#seen.clear();
    this.#seenIn = epoch;
  }
}
