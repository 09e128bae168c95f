import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { OwnerDoor } from '../../database/clients';
import { INSTANCE_SETTINGS } from '../../database/notifications';
import { within } from '../../deadline';
import { LIMITS } from '../../limits';

/** Settings by name; null: not known, or not set where an instance may do without. */
export type Settings = Readonly<Record<string, string | number | null>>;

interface Other {
  readonly heardMs: number;
  readonly settings: Settings;
}

const LEAVE_MS = 1_000;
const SAY = `SELECT pg_notify('${INSTANCE_SETTINGS}', $1)::text`;

/**
 * Tells the other instances on the database how this one is set, and hears how they are. They are to have some settings
 * alike: otherwise what one of them keeps, another one removes, and a caller gets other answers by chance.
 */
export class OtherInstances {
  readonly #id = randomUUID();
  readonly #others = new Map<string, Other>();
  /** Since when each setting differs. */
  readonly #since = new Map<string, number>();
  #hasTold = '';
  /** As this instance last said that it is set. */
  #said: Settings = {};
  #isLeaving = false;

  /** @param own what this instance has now @param elapsedMs of a monotonic clock */
  constructor(
    private readonly owner: OwnerDoor,
    private readonly own: () => Promise<Settings>,
    private readonly log: Pick<Logger, 'warn' | 'info'>,
    private readonly elapsedMs: () => number = () => performance.now(),
  ) {}

  /** Says how this instance is set, and looks how the others are. */
  async say(): Promise<void> {
    if (this.#isLeaving) return;
    const settings = await this.own();
    this.#said = settings;
    await this.#notify({ id: this.#id, settings });
    this.#compare(settings);
  }

  /** Says that this instance stops. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    const late = () => new Error('the database does not answer');
    // Others forget it by themselves: a stop does not wait for a database that is silent.
    await within(LEAVE_MS, late, () => this.#notify({ id: this.#id, settings: null })).catch(() => {});
  }

  /** To be called with what came over the channel; null: some may have been missed. */
  hear(said: string | null): void {
    const heard = said === null ? null : parsed(said);
    if (said !== null && (heard === null || heard.id === this.#id)) return;
    if (heard?.settings === null) {
      this.#others.delete(heard.id);
      return;
    }
    const isNew = heard === null || !this.#others.has(heard.id);
    if (heard?.settings && (!isNew || this.#others.size < LIMITS.instancesHeardMax))
      this.#others.set(heard.id, { heardMs: this.elapsedMs(), settings: heard.settings });
    // A newcomer learns at once how this one is set.
    if (isNew) this.say().catch(() => {});
  }

  /** The largest number that an instance has. @param own that of this one */
  largest(name: string, own: number): number {
    const numbers = this.#there().map(({ settings }) => Number(settings[name] ?? 0));
    return Math.max(own, ...numbers.filter(Number.isFinite));
  }

  /** Whether another instance has a setting otherwise now, be it for a moment. */
  isOtherwise(name: string): boolean {
    const own = this.#said[name] ?? null;
    const others = this.#there().map(({ settings }) => settings[name] ?? null);
    return own !== null && others.some((other) => other !== null && other !== own);
  }

  /** The settings that have differed for a while. Instances that are set anew one after the other differ for less. */
  get differing(): readonly string[] {
    const nowMs = this.elapsedMs();
    return [...this.#since]
      .filter(([, sinceMs]) => nowMs - sinceMs >= LIMITS.instanceSettingsDifferMs)
      .map(([name]) => name);
  }

  get healthy(): boolean {
    return this.differing.length === 0;
  }

  #notify(said: object): Promise<unknown> {
    return this.owner.models.$queryRawUnsafe(SAY, JSON.stringify(said));
  }

  #there(): readonly Other[] {
    const nowMs = this.elapsedMs();
    for (const [id, { heardMs }] of this.#others)
      if (nowMs - heardMs > LIMITS.instanceGoneMs) this.#others.delete(id);
    return [...this.#others.values()];
  }

  #compare(own: Settings): void {
    const there = this.#there();
    const nowMs = this.elapsedMs();
    const said: Record<string, readonly unknown[]> = {};
    for (const [name, value] of Object.entries(own)) {
      const others = there.map(({ settings }) => settings[name] ?? null).filter((other) => other !== value);
      // A release before knows other settings, and some may be set for some instances only.
      const differ = value === null ? [] : others.filter((other) => other !== null);
      if (differ.length === 0) this.#since.delete(name);
      else {
        if (!this.#since.has(name)) this.#since.set(name, nowMs);
        said[name] = [value, ...new Set(differ)];
      }
    }
    this.#tell(Object.fromEntries(this.differing.map((name) => [name, said[name] ?? []])));
  }

  /** Tells each change once. */
  #tell(settings: Readonly<Record<string, readonly unknown[]>>): void {
    const text = JSON.stringify(settings);
    if (text === this.#hasTold || (text === '{}' && this.#hasTold === '')) return;
    this.#hasTold = text === '{}' ? '' : text;
    if (text === '{}') this.log.info({}, 'the other instances on this database are set as this one is');
    else
      this.log.warn(
        { settings },
        'another instance on this database is set otherwise: set these alike on each (own values first)',
      );
  }
}

function parsed(said: string): { readonly id: string; readonly settings: Settings | null } | null {
  try {
    const { id, settings } = (JSON.parse(said) ?? {}) as { id?: unknown; settings?: unknown };
    if (typeof id !== 'string' || typeof settings !== 'object') return null;
    return { id, settings: settings as Settings | null };
  } catch {
    return null;
  }
}
