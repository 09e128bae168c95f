import { fold } from '../../event/search';
import type { ObjectAction } from './audit-statement';
import type { SensitiveObject } from './scope';
import type { Change, Specification } from './specification';

/** A single action on objects of a database, with the change that added it, took it out or dropped its specification. */
export type SingleAction = { readonly action: ObjectAction; readonly change: Change } & (
  | { readonly is: 'there' | 'removed'; readonly specification: Specification }
  | { readonly is: 'dropped' }
);

interface Placed {
  readonly single: SingleAction;
  readonly place: number;
}

/** Single actions, which are found by the objects that they may be on: there may be thousands of both. */
export class ObjectActions {
  readonly #by = new Map<string, Placed[]>();
  #count = 0;

  add(database: string, single: SingleAction): void {
    const placed = { single, place: this.#count++ };
    const { schemaName, objectName } = single.action;
    for (const key of [
      keyOf(database),
      keyOf(database, schemaName),
      keyOf(database, schemaName, objectName),
    ]) {
      const known = this.#by.get(key);
      if (known) known.push(placed);
      else this.#by.set(key, [placed]);
    }
  }

  /** All that touch an object, or something of its schema or database, in the order in which they were added. */
  near({ databaseName, schemaName, objectName }: SensitiveObject): readonly SingleAction[] {
    const keys =
      schemaName === null
        ? [keyOf(databaseName)]
        : [null, schemaName].flatMap((schema) =>
            objectName === null
              ? keyOf(databaseName, schema)
              : [null, objectName].map((object) => keyOf(databaseName, schema, object)),
          );
    const found = keys.flatMap((key) => this.#by.get(key) ?? []);
    return found.sort((a, b) => a.place - b.place).map(({ single }) => single);
  }
}

const keyOf = (...names: readonly (string | null)[]) =>
  JSON.stringify(names.map((name) => (name === null ? null : fold(name))));
