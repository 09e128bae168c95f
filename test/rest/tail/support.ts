import type { Answer } from '../../support/answer';
import { until } from '../../support/until';
import type { Query, TestTenant } from '../../support/world';

export const PATH = '/audit-activity/tail';

// biome-ignore lint/suspicious/noExplicitAny: items of every shape
export type Item = any;

export const idsOf = (items: readonly Item[]): string[] => items.map(({ recordId }) => recordId);

/** Resolves when the tenant's evidence log has this many entries. */
export async function sequenced(tenant: TestTenant, size: number): Promise<void> {
  await until(
    async () => (await tenant.get('/audit-log')).body.data?.size,
    (entries) => entries >= size,
  );
}

/** Reads pages until the reader has caught up. @returns the items, and the last answer */
export async function drain(
  tenant: Pick<TestTenant, 'get'>,
  start: Query,
  further: Query = {},
): Promise<{ items: Item[]; removed: number; last: Answer; cursor: string }> {
  const items: Item[] = [];
  let removed = 0;
  for (let query = start; ; ) {
    const last = await tenant.get(PATH, { ...query, ...further });
    if (last.status !== 200) throw new Error(last.text);
    items.push(...last.body.data);
    removed += last.body.meta.removed;
    const cursor = last.body.meta.nextCursor;
    if (last.body.meta.caughtUp) return { items, removed, last, cursor };
    query = { cursor };
  }
}
