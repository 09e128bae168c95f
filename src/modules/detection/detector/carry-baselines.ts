import type { StoredState } from '../../../rules/host';
import type { Baseline, Baselines } from '../../../rules/rule-reader';

type StateRow = StoredState & { readonly body: string };

export interface Carried {
  readonly from: string;
  readonly to: string;
}

/**
 * Finds which nodes of a former version of a rule correspond to nodes of the current one. A baseline stays when tuning
 * or a filter makes a new version of its rule. Windows do not stay, because the new version counts something else.
 * @param versions of the enabled rules, by id
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

/** The rules whose state belongs to a former version. */
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

/** Whether the node could have written the row. A file that was changed may have other nodes. */
function fits({ body }: StateRow, { kind, groups, value }: Baseline): boolean {
  const { v, b } = JSON.parse(body) as { v: object; b: object };
  const names = Object.keys(v).sort().join('\n');
  const wanted = [groups, ...(value === null ? [] : [[...groups, value]])];
  if (!wanted.some((some) => [...new Set(some)].sort().join('\n') === names)) return false;
  return kind === 'unseen' ? 'first' in b && 'last' in b : 'days' in b && 'windows' in b;
}
