import { Query, Resolver } from 'type-graphql';
import type { AccessEntry, AccessLogStore } from '../../caller/access-log';
import type { Call } from '../../caller/call';
import { holderOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { type ACCESS_LOG_ENTRY, ACCESS_LOG_PAGE } from './answers';
import { ACCESS_LOG_PARAMETERS, type EntriesRequest, listEntries } from './list-entries';

const AccessLogPage = objectType(ACCESS_LOG_PAGE);
type AccessLogPage = Answer<typeof ACCESS_LOG_PAGE>;

@Resolver()
export class AccessLogResolver {
  constructor(
    private readonly store: Pick<AccessLogStore, 'newest'>,
    private readonly fairShare: Pick<FairShare, 'run'>,
  ) {}

  @Query(() => AccessLogPage, {
    description: 'The access log, newest first. An entry appears within seconds of its call.',
  })
  @Access({ principal: 'operator' })
  @Takes(ACCESS_LOG_PARAMETERS)
  async accessLog(request: EntriesRequest, context: Call): Promise<AccessLogPage> {
    // The query reads entries of every tenant, so it takes no tenant's turn.
    const asker = { holder: holderOf(context.principal), tenants: [] };
    const { entries, ...page } = await this.fairShare.run(asker, () => listEntries(request, this.store));
    return { entries: entries.map(toEntryType), ...page };
  }
}

const toEntryType = (entry: AccessEntry): Answer<typeof ACCESS_LOG_ENTRY> => ({
  ...entry,
  at: entry.at.toISOString(),
  tenantIds: entry.tenantIds.map(String),
});
