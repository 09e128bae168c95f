import type { OwnerDoor, Prisma } from '../../../database/clients';
import type { RuleSource, StoredState } from '../../../rules/host';
import type { Baselines } from '../../../rules/rule-reader';
import type { RuleAbouts } from '../rules/rule-abouts';
import { type Carried, carriedBaselines, formerRules } from './carry-baselines';
import { isMark, markOf } from './newcomers';

/**
 * Reads the state of a tenant's windows and baselines. Baselines of a rule's former version continue in its current
 * one.
 */
export async function engineStateOf(
  owner: OwnerDoor,
  abouts: RuleAbouts,
  tenantId: number,
  rules: readonly RuleSource[],
) {
  const stored = await owner.models.$queryRawUnsafe<
    { node: string; key: string; touched: bigint; body: string }[]
  >(
    'SELECT node, key, touched, body FROM detection_state WHERE tenant_id = $1::int ORDER BY touched, node, key',
    tenantId,
  );
  const rows = stored.map((row) => ({ ...row, touched: Number(row.touched) }));
  const versions = new Map(rules.map(({ ruleId, version }) => [ruleId, version]));
  const former = formerRules(rows, versions);
  if (former.size === 0) return rows;
  const baselines = new Map<string, Baselines>();
  for (const { ruleId, source, tuning, filters } of rules) {
    if (!former.has(ruleId)) continue;
    const given = { ruleId, source, tuning: tuning && JSON.stringify(tuning) };
    baselines.set(ruleId, (await abouts.of(given, filters))?.baselines ?? []);
  }
  const carried = carriedBaselines(rows, versions, baselines);
  const moved = [...carried, ...carriedMarks(rows, rules, carried)];
  for (const { from, to } of moved)
    await owner.models.$executeRawUnsafe(
      'UPDATE detection_state SET node = $3 WHERE tenant_id = $1::int AND node = $2',
      ...[tenantId, from, to],
    );
  const now = new Map(moved.map(({ from, to }) => [from, to]));
  return rows.map((row) => ({ ...row, node: now.get(row.node) ?? row.node }));
}

/** The progress of learning moves with the baseline, also if the baseline has learned nothing yet. */
function carriedMarks(
  rows: readonly { readonly node: string }[],
  rules: readonly RuleSource[],
  carried: readonly Carried[],
): readonly Carried[] {
  const nodes = new Set(rows.map(({ node }) => node));
  return rules.flatMap(({ ruleId, version }): Carried[] => {
    const to = markOf({ ruleId, version });
    if (nodes.has(to)) return [];
    const former = [...nodes].filter((node) => node.startsWith(`${ruleId}/`));
    const from = former.filter((node) => isMark({ node })).at(-1);
    if (from === undefined) return [];
    const isKept = carried.some((one) => one.from.startsWith(from.slice(0, from.lastIndexOf('/') + 1)));
    return isKept || former.every((node) => isMark({ node })) ? [{ from, to }] : [];
  });
}

/** @returns the last of the rows with the same key */
export function lastOfEach(rows: readonly StoredState[]): StoredState[] {
  return [...new Map(rows.map((row) => [`${row.node}\n${row.key}`, row])).values()];
}

/** Stores the current state of windows and baselines. */
export async function putState(
  tx: Prisma.TransactionClient,
  tenantId: number,
  rows: readonly StoredState[],
): Promise<void> {
  const kept = rows.filter(({ body }) => body !== null);
  const gone = rows.filter(({ body }) => body === null);
  if (kept.length > 0)
    await tx.$executeRawUnsafe(
      `INSERT INTO detection_state (tenant_id, node, key, touched, body)
       SELECT t.tenant_id, x.node, x.key, x.touched, x.body
       FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(node text, key text, touched bigint, body text)
       WHERE t.tenant_id = $1::int
       ON CONFLICT (tenant_id, node, key) DO UPDATE SET touched = excluded.touched, body = excluded.body`,
      tenantId,
      JSON.stringify(kept),
    );
  if (gone.length > 0)
    await tx.$executeRawUnsafe(
      `DELETE FROM detection_state s USING json_to_recordset($2::json) AS x(node text, key text)
       WHERE s.tenant_id = $1::int AND s.node = x.node AND s.key = x.key`,
      tenantId,
      JSON.stringify(gone),
    );
}
