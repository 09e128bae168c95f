import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { toSummaryFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { AuditEventReader } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';
import { explain } from './explain';
import { ExplainResolver } from './explain.resolver';
import { ExploreResolver } from './explore.resolver';
import { GroupShapesResolver } from './group-shapes.resolver';
import { KnownHabits } from './known-habits';
import { rowsOf } from './rows';
import { RowsResolver } from './rows.resolver';
import { PostgresAuditEventExplorer } from './stored-explorer';
import { usualOf } from './usual';
import { UsualResolver } from './usual.resolver';

const NEWEST = 5;

/** Counts over time and by value, for the dashboard; what a question would read, for operators. */
export const exploreModule = ({
  service,
  owner,
  tenants,
  fairShare,
  reader,
  nowMs,
}: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly tenants: Pick<TenantStore, 'existing'>;
  readonly fairShare: FairShare;
  readonly reader: Pick<AuditEventReader, 'page' | 'find'>;
  readonly nowMs: () => number;
}): Module => ({
  resolvers: [
    new ExploreResolver(new PostgresAuditEventExplorer(service), fairShare),
    new RowsResolver((set, filter) => rowsOf(service, set, filter), fairShare),
    new GroupShapesResolver(new PostgresAuditEventExplorer(service), fairShare),
    new UsualResolver(
      (set, recordId) => reader.find(set, recordId),
      (event, withTenant) => usualOf(service, event, withTenant),
      fairShare,
    ),
    new ExplainResolver((set, filter) => explain(service, set, filter), tenants, fairShare),
  ],
  tasks: [
    {
      name: 'habits',
      doc: 'counting what logins usually do',
      everyMs: LIMITS.habitsEveryMs,
      run: knownHabits(owner, service, (set) => answerNewest(service, reader, set), nowMs),
    },
  ],
});

function knownHabits(...parts: ConstructorParameters<typeof KnownHabits>): () => Promise<void> {
  const habits = new KnownHabits(...parts);
  return () => habits.run();
}

/** Answers "Who normally does this?" about the newest events of a tenant, for nobody. */
async function answerNewest(
  service: ServiceDoor,
  reader: Pick<AuditEventReader, 'page' | 'find'>,
  tenants: TenantSet,
): Promise<void> {
  const filter = toSummaryFilter({ filter: undefined, startTime: undefined, endTime: undefined });
  const order = { sort: 'recordId', descending: true } as const;
  const { items } = await reader.page(tenants, { filter, ...order, page: 1, pageSize: NEWEST });
  for (const { recordId } of items) {
    const event = await reader.find(tenants, recordId);
    if (event) await usualOf(service, event, false);
  }
}
