import { fold } from '../../event/search';
import type { ObjectAction } from './audit-statement';
import type { SensitiveObject } from './scope';
import type { Change, Specification } from './specification';

/** A single action on objects of a database, with the change that added it, took it out or dropped its specification. */
export type SingleAction = { readonly action: ObjectAction; readonly change: Change } & (
  | { readonly is: 'there' | 'removed'; readonly specification: Specification }
  | { readonly is: 'dropped' }
);

/** Single actions, which are found by the objects that they may be on: there may be thousands of both. */
export class ObjectActions {
  readonly #by = new Map<string, SingleAction[]>();

  add(database: string, single: SingleAction): void {
    const { schemaName, objectName } = single.action;
    for (const key of [
      keyOf(database),
      keyOf(database, schemaName),
      keyOf(database, schemaName, objectName),
    ]) {
      const known = this.#by.get(key);
      if (known) known.push(single);
      else this.#by.set(key, [single]);
    }
  }

  /** All that touch an object, or something of its schema or database, in no order. */
  near({ databaseName, schemaName, objectName }: SensitiveObject): readonly SingleAction[] {
    const keys =
      schemaName === null
        ? [keyOf(databaseName)]
        : [null, schemaName].flatMap((schema) =>
            objectName === null
              ? keyOf(databaseName, schema)
              : [null, objectName].map((object) => keyOf(databaseName, schema, object)),
          );
    return keys.flatMap((key) => this.#by.get(key) ?? []);
  }
}

const keyOf = (...names: readonly (string | null)[]) =>
  JSON.stringify(names.map((name) => (name === null ? null : fold(name))));
