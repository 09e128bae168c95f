/**
 * The times of arrival of the entries of a tile, as a row of `audit_log_tile` stores them: runs of neighbours with the
 * same time. A run has its end within the tile in 2 bytes, and milliseconds since 1970 in 6 bytes; 0: not known.
 */
const END_BYTES = 2;
const MS_BYTES = 6;
const RUN_BYTES = END_BYTES + MS_BYTES;
const UNKNOWN = 0;

/** A tile's runs while entries are added to it. */
export class GrowingRuns {
  readonly #runs: Buffer[] = [];
  #end = 0;
  #lastMs = -1;

  /**
   * @param stored runs of the entries that the tile already has; null: no time is known @param count how many it has
   */
  constructor(stored: Uint8Array | null, count: number) {
    for (const { end, ms } of runsOf(stored, count)) this.append(end, ms);
    // A build that stored no times appended the other entries. Their tiles stay, so this stays too.
    if (this.#end < count) this.append(count, null);
  }

  /** @param end end within the tile of the entries received at this time @param ms null: the time is not known */
  append(end: number, ms: number | null): void {
    const value = ms ?? UNKNOWN;
    if (value === this.#lastMs) this.#runs.pop();
    const run = Buffer.alloc(RUN_BYTES);
    run.writeUIntBE(value, run.writeUInt16BE(end), MS_BYTES);
    this.#runs.push(run);
    this.#end = end;
    this.#lastMs = value;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#runs);
  }
}

/** The time of arrival of each of the first `count` entries of a tile, in milliseconds since 1970; null: not known. */
export function arrivalTimes(stored: Uint8Array | null, count: number): (number | null)[] {
  const times = new Array<number | null>(count).fill(null);
  let from = 0;
  for (const { end, ms } of runsOf(stored, count)) {
    times.fill(ms, from, end);
    from = end;
  }
  return times;
}

function* runsOf(stored: Uint8Array | null, count: number): Generator<{ end: number; ms: number | null }> {
  const bytes = Buffer.from(stored ?? []);
  for (let at = 0; at + RUN_BYTES <= bytes.length; at += RUN_BYTES) {
    const ms = bytes.readUIntBE(at + END_BYTES, MS_BYTES);
    yield { end: Math.min(bytes.readUInt16BE(at), count), ms: ms === UNKNOWN ? null : ms };
  }
}
