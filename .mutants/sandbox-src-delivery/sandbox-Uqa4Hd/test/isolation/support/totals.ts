import { type Actor, call } from './actors';
import type { Stage } from './stage';

/** @returns the totals that an actor gets, by each way to count */
export async function totalsOf(stage: Stage, actor: Actor): Promise<Record<string, number>> {
  const ask = async (query: string) => {
    const body = JSON.stringify({ query });
    const headers = { 'Content-Type': 'application/json' };
    return JSON.parse(
      (await call(stage, actor, { method: 'POST', path: '/graphql', headers, body })).answer.text,
    ).data;
  };
  const { auditEvents, auditSummary } = await ask(
    '{ auditEvents { totalCount } auditSummary { totalCount } }',
  );
  const searched = await ask('{ auditEvents(search: "SELECT") { totalCount items { recordId } } }');
  const totals = {
    list: auditEvents.totalCount,
    summary: auditSummary.totalCount,
    search: searched.auditEvents.totalCount,
    page: searched.auditEvents.items.length,
  };
  const path = actor.kind === 'session' ? '/dashboard/api/export' : '/api/v1/public/audit-activity/export';
  const { text, headers } = (await call(stage, actor, { method: 'GET', path })).answer;
  const exported = {
    exported: text.trim().split('\n').length,
    exportedTotal: Number(headers.get('X-Total-Count')),
  };
  if (actor.kind !== 'session') return { ...totals, ...exported };
  const { auditHistogram, auditFacets } = await ask(
    '{ auditHistogram { buckets { succeeded failed } } auditFacets { totalCount facets { field values { succeeded failed } } } }',
  );
  const sum = (counts: readonly { succeeded: number; failed: number }[]) =>
    counts.reduce((total, { succeeded, failed }) => total + succeeded + failed, 0);
  const [facet] = auditFacets.facets;
  return {
    ...totals,
    ...exported,
    histogram: sum(auditHistogram.buckets),
    facets: auditFacets.totalCount,
    facet: sum(facet.values),
  };
}
