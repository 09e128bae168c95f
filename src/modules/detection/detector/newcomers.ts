import type { OwnerDoor, Prisma } from '../../../database/clients';
import type { RuleSource, StoredState } from '../../../rules/host';
import type { RuleAbouts } from '../rules/rule-abouts';

type StateRow = StoredState & { readonly body: string };

/**
 * Rules with baselines that were enabled later. They learn from the events in the log before they join the other rules.
 */
export interface Newcomers {
  readonly rules: readonly RuleSource[];
  /** Positions of the log: how far they have come, and up to where they learn. Later events make findings. */
  readonly at: number;
  readonly until: number;
}

/** The key of a row beside the windows of a rule's version, which holds how far the rule has learned. */
const MARK = 'learned';
/** The first mark of a tenant. Once a tenant has it, a rule without a mark is new. */
export const FIRST_MARK = `-/0/${MARK}`;
const JOINED = JSON.stringify({ joined: true });

export const markOf = ({ ruleId, version }: Pick<RuleSource, 'ruleId' | 'version'>) =>
  `${ruleId}/${version}/${MARK}`;
export const isMark = ({ node }: { readonly node: string }) => node.endsWith(`/${MARK}`);
const bodyOf = (at: number, until: number) => JSON.stringify({ at, until });

async function knows({ ruleId, source, tuning, filters }: RuleSource, abouts: RuleAbouts): Promise<boolean> {
  const about = await abouts.of({ ruleId, source, tuning: tuning && JSON.stringify(tuning) }, filters);
  return about?.baselines.some((one) => one !== null) ?? false;
}

/** Finds the newcomers among the enabled rules of a tenant. Those that begin together stay together. */
export async function newcomersOf(
  owner: OwnerDoor,
  abouts: RuleAbouts,
  of: {
    readonly tenantId: number;
    readonly position: number;
    readonly rules: readonly RuleSource[];
    readonly rows: readonly StateRow[];
  },
): Promise<{ readonly joined: readonly RuleSource[]; readonly newcomers: Newcomers | null }> {
  const { tenantId, position, rules, rows } = of;
  const marks = new Map(rows.filter(isMark).map(({ node, body }) => [node, body]));
  const knowing: RuleSource[] = [];
  for (const rule of rules) if (await knows(rule, abouts)) knowing.push(rule);
  // A build without marks of single rules has let all rules of the tenant learn together. This goes with 0.3.0.
  const body = marks.has(FIRST_MARK) && position > 0 ? bodyOf(0, position) : JOINED;
  const missing = [FIRST_MARK, ...knowing.map(markOf)].filter((node) => !marks.has(node));
  if (missing.length > 0) {
    await owner.models.$executeRawUnsafe(
      `INSERT INTO detection_state (tenant_id, node, key, touched, body)
       SELECT t.tenant_id, x.node, '', 0, $3 FROM tenant t CROSS JOIN unnest($2::text[]) AS x(node)
       WHERE t.tenant_id = $1::int ON CONFLICT DO NOTHING`,
      ...[tenantId, missing, body],
    );
    for (const node of missing) marks.set(node, body);
  }
  const waiting = knowing.filter((rule) => marks.get(markOf(rule)) !== JOINED);
  const next = waiting[0] && marks.get(markOf(waiting[0]));
  if (next === undefined) return { joined: rules, newcomers: null };
  const together = waiting.filter((rule) => marks.get(markOf(rule)) === next);
  return {
    joined: rules.filter((rule) => !waiting.includes(rule)),
    newcomers: { rules: together, ...(JSON.parse(next) as { at: number; until: number }) },
  };
}

/** Stores the new position of newcomers: `to`, or joined. @returns false if another instance wrote first */
export async function putMarks(
  tx: Pick<Prisma.TransactionClient, '$executeRawUnsafe'>,
  tenantId: number,
  { rules, at, until }: Newcomers,
  to: number | 'joined',
): Promise<boolean> {
  const moved = await tx.$executeRawUnsafe(
    `UPDATE detection_state SET body = $3 WHERE tenant_id = $1::int AND node = ANY($2::text[]) AND key = '' AND body = $4`,
    ...[tenantId, rules.map(markOf), to === 'joined' ? JOINED : bodyOf(to, until), bodyOf(at, until)],
  );
  return moved === rules.length;
}
