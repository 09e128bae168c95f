import type { GroupValues } from './hit';

/** The size of all groups of an engine. 1 is about one entry of a window. */
export interface EngineSize {
  size: number;
  /** Stores whose last touched group may have changed since it was measured. */
  readonly changed: { measure(): void }[];
}

/** One group of a node, with the content of its window. */
interface Group<Body> {
  readonly key: string;
  readonly values: GroupValues;
  /** Position of the event that touched it last. */
  touched: number;
  body: Body;
  /** The size at the last measurement. */
  size: number;
}

/** A group in its stored form. */
export interface StateRow {
  /** Node of a rule: `ruleId/number`. */
  readonly node: string;
  readonly key: string;
  readonly touched: number;
  readonly values: GroupValues;
  /** Null: the group was dropped. */
  readonly body: unknown;
}

/**
 * The groups of a node, in the order of their last touch, the oldest first. Only the order of arrival decides which
 * groups are dropped, so every instance drops the same.
 */
export class GroupStore<Body> {
  readonly #groups = new Map<string, Group<Body>>();
  readonly #dirty = new Set<string>();

  /** The group touched last. It may have changed since it was measured. */
  #unmeasured: Group<Body> | null = null;
  #size = 0;

  constructor(
    readonly node: string,
    private readonly max: number,
    private readonly sizeOf: (body: Body) => number,
    private readonly total: EngineSize,
  ) {}

  /** The size of all groups of this node. */
  get size(): number {
    return this.#size;
  }

  measure(): void {
    const group = this.#unmeasured;
    this.#unmeasured = null;
    if (group && this.#groups.get(group.key) === group) this.#grow(group, this.sizeOf(group.body));
  }

  #grow(group: Group<Body>, size: number): void {
    this.#size += size - group.size;
    this.total.size += size - group.size;
    group.size = size;
  }

  peek(key: string): Group<Body> | undefined {
    return this.#groups.get(key);
  }

  /** Returns the group and marks it as touched now. */
  touch(key: string, values: GroupValues, position: number, empty: () => Body): Group<Body> {
    const known = this.#groups.get(key);
    this.measure();
    const group = known ?? { key, values, touched: position, body: empty(), size: 0 };
    this.#unmeasured = group;
    this.total.changed.push(this);
    if (known) this.#groups.delete(key);
    group.touched = position;
    this.#groups.set(key, group);
    this.#dirty.add(key);
    if (this.#groups.size > this.max) this.dropOldest();
    return group;
  }

  remove(key: string): void {
    const group = this.#groups.get(key);
    if (!group) return;
    this.#grow(group, 0);
    this.#groups.delete(key);
    this.#dirty.add(key);
  }

  *all(): Generator<Group<Body>> {
    yield* [...this.#groups.values()];
  }

  markDirty(key: string): void {
    this.#dirty.add(key);
  }

  dropOldest(): void {
    const oldest = this.#groups.keys().next();
    if (!oldest.done) this.remove(oldest.value);
  }

  /** The changes since the last call. */
  takeChanges(): StateRow[] {
    const rows = [...this.#dirty].map((key): StateRow => {
      const group = this.#groups.get(key);
      return group
        ? { node: this.node, key, touched: group.touched, values: group.values, body: group.body }
        : { node: this.node, key, touched: 0, values: {}, body: null };
    });
    this.#dirty.clear();
    return rows;
  }

  /** @param rows in the order of their last touch, the oldest first */
  load(rows: readonly StateRow[]): void {
    for (const { key, values, touched, body } of rows) {
      const group = { key, values, touched, body: body as Body, size: 0 };
      this.#groups.set(key, group);
      this.#grow(group, this.sizeOf(group.body));
    }
  }
}
