import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { FieldName } from '../../event/fields';
import { fold } from '../../event/search';
import { frameworkFile, GROUPS_FILE, shippedFrameworkFiles } from '../../framework-ids';

/** How a control is judged. */
export type Check =
  /** Every group is recorded. With `outcomes`, events of each outcome were seen too. */
  | {
      readonly kind: 'groups';
      readonly groups: readonly string[];
      readonly outcomes?: readonly ('succeeded' | 'failed')[];
    }
  /** Accesses to the objects that operators declare sensitive are recorded. */
  | { readonly kind: 'sensitive' }
  /** Only logins that operators declare auditors changed what is audited. */
  | { readonly kind: 'auditors' }
  /**
   * Only declared auditors read audit files on the server and change what is audited. `verified`: instead of the
   * changes, the evidence log must be verified.
   */
  | { readonly kind: 'readers'; readonly verified?: true }
  /** A verification found each event as it was accepted. */
  | { readonly kind: 'verified' }
  /** Only applications that operators declare log on. */
  | { readonly kind: 'applications' }
  /** The trail is complete, and no audit stood still. */
  | { readonly kind: 'audit-runs' }
  /** An audit starts within a minute of each start of the server. */
  | { readonly kind: 'starts-with-server' }
  /** Each of the fields is stated by this share of the events. */
  | { readonly kind: 'detail'; readonly fields: readonly FieldName[]; readonly percent: number }
  /** People answer alerts within hours: all, or those about failures of audits. */
  | { readonly kind: 'alerts'; readonly hours: number; readonly about: 'all' | 'trail' }
  /** Each failure of an audit has an alert. */
  | { readonly kind: 'failures' }
  /** No alert told of a wrong clock. */
  | { readonly kind: 'clocks' }
  /** Events are kept for days. */
  | { readonly kind: 'retention'; readonly days: number }
  /** Sources are at most this far behind. */
  | { readonly kind: 'off-load'; readonly seconds: number }
  /** The trail does not answer it. `where` tells where to look. */
  | { readonly kind: 'elsewhere'; readonly where: string };

export interface Control {
  readonly controlId: string;
  readonly title: string;
  readonly pass: string;
  readonly fail: string;
  readonly unknown: string;
  /** Ids of controls of other frameworks that ask for the same, by framework id. A link holds in both directions. */
  readonly maps?: Readonly<Record<string, readonly string[]>>;
  readonly check: Check;
}

export interface Framework {
  readonly frameworkId: string;
  readonly title: string;
  readonly controls: readonly Control[];
}

/** What an audit action group writes. */
export interface ActionGroup {
  readonly scope: 'server' | 'database' | 'both';
  /** Pairs of actions and class types; without `classes`, any class type. */
  readonly writes: readonly { readonly actions: readonly string[]; readonly classes?: readonly string[] }[];
}

/** A control of another framework. */
export interface MappedControl {
  readonly frameworkId: string;
  readonly controlId: string;
}

interface Shipped {
  readonly frameworks: readonly Framework[];
  /** The controls that ask for the same as a control, by its id. */
  readonly mapped: ReadonlyMap<string, readonly MappedControl[]>;
  /** By name, such as `LOGOUT_GROUP`. A class type that two groups write with the same action proves neither. */
  readonly groups: ReadonlyMap<string, ActionGroup>;
  /** By action code: who writes it, also what proves none of them. Codes are folded. */
  readonly writers: ReadonlyMap<string, readonly Writer[]>;
}
interface Writer {
  readonly group: string;
  readonly classes: readonly string[] | undefined;
}

let shipped: Shipped | undefined;

/** The frameworks and groups of the folder `compliance`. They are read once in a process. */
export const shippedFrameworks = (): Shipped => (shipped ??= readShipped());

function readShipped(): Shipped {
  const { folder, ids } = shippedFrameworkFiles();
  const read = (name: string): unknown => parse(readFileSync(path.join(folder, name), 'utf8'));
  const { groups } = read(GROUPS_FILE) as { groups: Record<string, ActionGroup> };
  const frameworks = ids.map((id) => read(frameworkFile(id)) as Framework);
  return {
    frameworks,
    mapped: mappedOf(frameworks),
    groups: new Map(Object.entries(groups).map(([name, group]) => [name, provenBy(group, groups)])),
    writers: writersOf(groups),
  };
}

/** The fields that checks look for in each event. */
export const fieldsOf = (checks: readonly Check[]): readonly FieldName[] => [
  ...new Set(checks.flatMap((check) => (check.kind === 'detail' ? check.fields : []))),
];

/** The checks of all controls of some frameworks. */
export const checksOf = (frameworks: readonly Framework[]): readonly Check[] =>
  frameworks.flatMap(({ controls }) => controls.map(({ check }) => check));

/** The groups that write events of an action code, letter case folded. @param classes null: any class type */
export const groupsThatWrite = (action: string, classes: readonly string[] | null): readonly string[] => [
  ...new Set(
    (shippedFrameworks().writers.get(action) ?? []).flatMap((one) =>
      !classes || !one.classes || one.classes.some((code) => classes.includes(code)) ? one.group : [],
    ),
  ),
];

/** Which groups write an action, each with its class types, letter case folded. */
function writersOf(groups: Readonly<Record<string, ActionGroup>>): Shipped['writers'] {
  const writers = new Map<string, Writer[]>();
  for (const [group, { writes }] of Object.entries(groups))
    for (const { actions, classes } of writes)
      for (const action of actions.map(fold))
        writers.set(action, [...(writers.get(action) ?? []), { group, classes: classes?.map(fold) }]);
  return writers;
}

function mappedOf(frameworks: readonly Framework[]): ReadonlyMap<string, readonly MappedControl[]> {
  const mapped = new Map<string, MappedControl[]>();
  const add = (controlId: string, other: MappedControl) => {
    const own = mapped.get(controlId) ?? [];
    if (!own.some((one) => one.controlId === other.controlId)) own.push(other);
    mapped.set(controlId, own);
  };
  for (const { frameworkId, controls } of frameworks)
    for (const { controlId, maps = {} } of controls)
      for (const [other, ids] of Object.entries(maps))
        for (const id of ids) {
          add(controlId, { frameworkId: other, controlId: id });
          add(id, { frameworkId, controlId });
        }
  return mapped;
}

/** A group without the class types that another group writes with one of the same actions. */
function provenBy(group: ActionGroup, groups: Readonly<Record<string, ActionGroup>>): ActionGroup {
  const others = Object.values(groups).filter((one) => one !== group);
  const isOwn = (classType: string, actions: readonly string[]) =>
    !others.some(({ writes }) =>
      writes.some(
        (one) => one.classes?.includes(classType) && one.actions.some((action) => actions.includes(action)),
      ),
    );
  return {
    ...group,
    writes: group.writes.flatMap(({ actions, classes }) => {
      const own = classes?.filter((classType) => isOwn(classType, actions));
      if (own?.length === 0) return [];
      return [own ? { actions, classes: own } : { actions }];
    }),
  };
}
