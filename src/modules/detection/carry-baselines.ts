import type { StoredState } from '../../detection/host';

type StateRow = StoredState & { readonly body: string };

/** What a grouped node of a rule learns, in the order in which engines name the nodes. */
export interface Baseline {
  readonly kind: 'unseen' | 'above';
  /** Names of what makes a group. */
  readonly groups: readonly string[];
  /** Of the value that is to be known; null: a sum. */
  readonly value: string | null;
}
export type Baselines = readonly (Baseline | null)[];

export interface Carried {
  readonly from: string;
  readonly to: string;
}

/**
 * What was learned stays when a rule is tuned or filtered, which makes another version of it: which nodes of a former
 * version are those of the current one. Windows are not among them: what they count is another thing then.
 * @param versions of the rules that are enabled, by id
 */
export function carriedBaselines(
  rows: readonly StateRow[],
  versions: ReadonlyMap<string, number>,
  baselines: ReadonlyMap<string, Baselines>,
): readonly Carried[] {
  const byNode = new Map<string, StateRow[]>();
  for (const row of rows) {
    const list = byNode.get(row.node);
    if (list) list.push(row);
    else byNode.set(row.node, [row]);
  }
  const newest = new Map<string, { readonly from: string; readonly version: number }>();
  for (const [from, list] of byNode) {
    const { ruleId, version, index } = nodeOf(from);
    const current = versions.get(ruleId);
    const baseline = baselines.get(ruleId)?.[index];
    if (current === undefined || version >= current || !baseline) continue;
    const to = `${ruleId}/${current}/${index}`;
    if (byNode.has(to) || version <= (newest.get(to)?.version ?? 0)) continue;
    if (list.every((row) => fits(row, baseline))) newest.set(to, { from, version });
  }
  return [...newest].map(([to, { from }]) => ({ from, to }));
}

/** Rules whose state is of a former version. */
export const formerRules = (
  rows: readonly StateRow[],
  versions: ReadonlyMap<string, number>,
): ReadonlySet<string> =>
  new Set(
    rows.flatMap(({ node }) => {
      const { ruleId, version } = nodeOf(node);
      return versions.has(ruleId) && versions.get(ruleId) !== version ? [ruleId] : [];
    }),
  );

function nodeOf(node: string): { ruleId: string; version: number; index: number } {
  const [ruleId = '', version, index] = node.split('/');
  return { ruleId, version: Number(version), index: Number(index) };
}

/** Whether a row is what the node would have written: a file that was changed may have others. */
function fits({ body }: StateRow, { kind, groups, value }: Baseline): boolean {
  const { v, b } = JSON.parse(body) as { v: object; b: object };
  const names = Object.keys(v).sort().join('\n');
  const wanted = [groups, ...(value === null ? [] : [[...groups, value]])];
  if (!wanted.some((some) => [...new Set(some)].sort().join('\n') === names)) return false;
  return kind === 'unseen' ? 'first' in b && 'last' in b : 'days' in b && 'windows' in b;
}
