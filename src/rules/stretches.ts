import type { GroupStore } from './group-store';
import type { GroupValues } from './hit';

/** How late an event may arrive and still be combined with the events it belongs to. */
const LATE_US = 86_400e6;

/**
 * What a group has in one stretch of event time, which is as long as the timespan of its node. All hits within one
 * timespan lie in a stretch and its two neighbours.
 */
export interface Stretch {
  /** The newest event time of the log when the stretch was last touched, in microseconds: its time of arrival. */
  a: number;
}

/**
 * Whether no event can complete a stretch any more, however late it arrives. What a build before 0.2.0 has stored without
 * a time of arrival gets one when it is touched.
 */
export const isOver = ({ a }: Stretch, within: number, newest: number): boolean =>
  a > 0 && a + within + LATE_US < newest;

/** The stretch to which a hit belongs, and its neighbours. */
export interface Around<Body> {
  readonly before: Body | undefined;
  readonly own: Body;
  readonly after: Body | undefined;
}

/** The names of a group's stretch and of its neighbours in the store. */
interface Names {
  readonly n: number;
  readonly before: string;
  readonly own: string;
  readonly after: string;
}
const NAMES_MAX = 1_000;

/** The stretches of the groups of a node. A group's stretch is forgotten by its arrival, not by its time. */
export class Stretches<Body extends Stretch> {
  readonly #names = new Map<string, Names>();

  constructor(
    private readonly store: GroupStore<Body>,
    private readonly parts: {
      /** Length of a stretch in microseconds. */
      readonly within: number;
      readonly moment: { readonly newest: number; readonly position: number };
      readonly empty: () => Omit<Body, 'a'>;
      readonly isEmpty: (body: Body) => boolean;
    },
  ) {}

  /** Returns the stretch of a time, and its neighbours, and notes that it is touched now. */
  around(key: string, values: GroupValues, at: number): Around<Body> {
    const { moment, within, empty } = this.parts;
    const names = this.#namesOf(key, Math.floor(at / within));
    this.#peek(names.own);
    const { body } = this.store.touch(
      names.own,
      values,
      moment.position,
      () => ({ a: 0, ...empty() }) as Body,
    );
    body.a = moment.newest;
    return { before: this.#peek(names.before), own: body, after: this.#peek(names.after) };
  }

  /** Names are kept, because their hash takes longer than all else that is done with them. */
  #namesOf(key: string, n: number): Names {
    const known = this.#names.get(key);
    if (known?.n === n) return known;
    const names = { n, before: nameOf(key, n - 1), own: nameOf(key, n), after: nameOf(key, n + 1) };
    if (this.#names.size >= NAMES_MAX) this.#names.clear();
    this.#names.set(key, names);
    return names;
  }

  /** A stretch whose time is over is gone, whether it was swept already or not. */
  #peek(name: string): Body | undefined {
    const body = this.store.peek(name)?.body;
    const { within, moment } = this.parts;
    if (!body || !isOver(body, within, moment.newest)) return body;
    this.store.remove(name);
    return undefined;
  }

  /** Notes that hits were taken out of a stretch and its neighbours. */
  taken(key: string, values: GroupValues, at: number): void {
    const { moment, within, isEmpty } = this.parts;
    const n = Math.floor(at / within);
    for (const one of [n - 1, n + 1, n]) {
      const name = nameOf(key, one);
      const body = this.store.peek(name)?.body;
      if (!body) continue;
      this.store.touch(name, values, moment.position, () => body);
      if (isEmpty(body)) this.store.remove(name);
    }
  }

  sweep(): void {
    const { within, moment } = this.parts;
    for (const { key, body } of this.store.all())
      if (isOver(body, within, moment.newest)) this.store.remove(key);
  }

  /**
   * Sorts what a build without stretches has stored into stretches. This goes with 0.2.0.
   * @param bodies the stored body's hits by time; null: the stored body has stretches
   */
  adopt(bodies: (body: unknown) => readonly { readonly at: number; add(to: Body): void }[] | null): void {
    const { within, moment, empty } = this.parts;
    for (const { key, values, touched, body } of this.store.all()) {
      const hits = bodies(body);
      if (!hits) continue;
      this.store.remove(key);
      for (const { at, add } of hits) {
        const name = nameOf(key, Math.floor(at / within));
        const group = this.store.touch(name, values, touched, () => ({ a: 0, ...empty() }) as Body);
        group.body.a = Math.max(group.body.a, at, moment.newest);
        add(group.body);
      }
    }
  }
}

const nameOf = (key: string, n: number): string => `${n}\u001e${key}`;
