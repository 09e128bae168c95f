import type { Log } from './log';

/** What keeps records of a database from being published. Each is said once and counted. */
export class Problems {
  private readonly said = new Set<string>();
  /** Problems met, each counted once. */
  count = 0;

  constructor(
    private readonly database: string,
    private readonly log: Log,
    /** Nothing that is unfinished now can be waited for. */
    private readonly once: boolean,
  ) {}

  report(subject: string, text: string): void {
    const line = `${this.database}: ${subject}: ${text}`;
    if (this.said.has(line)) return;
    // Bounded; at worst something is said again.
    if (this.said.size >= SAID_MAX) this.said.clear();
    this.said.add(line);
    this.count++;
    this.log.error(line);
  }

  /** Something that time mends where there is time. */
  reportUnfinished(subject: string, text: string): void {
    if (this.once) this.report(subject, text);
  }
}

const SAID_MAX = 10_000;
