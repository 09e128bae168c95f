import type { Log } from './log';

/** The problems that prevent records of a database from being published. Each is logged once and counted. */
export class Problems {
  private readonly said = new Set<string>();
  /** Number of different problems. */
  count = 0;

  constructor(
    private readonly database: string,
    private readonly log: Log,
    /** The run does not wait for anything unfinished. */
    private readonly once: boolean,
  ) {}

  report(subject: string, text: string): void {
    const line = `${this.database}: ${subject}: ${text}`;
    if (this.said.has(line)) return;
    // The set is bounded. At worst a problem is logged again.
    if (this.said.size >= SAID_MAX) this.said.clear();
    this.said.add(line);
    this.count++;
    this.log.error(line);
  }

  /** Reports a problem that time solves: it is one only for a run that does not wait. */
  reportUnfinished(subject: string, text: string): void {
    if (this.once) this.report(subject, text);
  }
}

const SAID_MAX = 10_000;
