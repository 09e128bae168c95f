import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { nameProblems } from '../../caller/name-problems';
import { holderOf, tenantSetOf } from '../../caller/principal';
import { DomainError, refuseIf } from '../../errors';
import type { ParameterSpecs, ParameterValues } from '../../event/parameter-specs';
import type { Answer } from '../../event/shape';
import { isUuid } from '../../event/uuid';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import { empty, type Problem, problem } from '../../problem';
import { noSuchTenant, parseTenantId } from '../../tenant-set';
import { SAVED_SEARCH } from './answers';
import type { SavedSearch, SavedSearchStore } from './saved-search.store';

const SavedSearchType = objectType(SAVED_SEARCH);
type SavedSearchType = Answer<typeof SAVED_SEARCH>;

/** As `URLSearchParams` writes it. */
const QUERY_STRING = /^[\w*.%+&=-]*$/;
function viewProblems(view: string, field: string): Problem[] {
  return QUERY_STRING.test(view) ? [] : [problem(field, 'malformed', 'must be a query string')];
}

const SAVE_SEARCH = {
  tenantId: { kind: 'reference', isRequired: true },
  name: { kind: 'text', isRequired: true, check: nameProblems },
  filter: { kind: 'filter', charsMax: LIMITS.expressionCharsMax, default: '' },
  view: { kind: 'text', charsMax: LIMITS.savedViewCharsMax, isEmptyAllowed: true, check: viewProblems },
  isShared: { kind: 'boolean', isRequired: true },
} as const satisfies ParameterSpecs;
const REMOVE_SEARCH = { searchId: { kind: 'reference', isRequired: true } } as const satisfies ParameterSpecs;

/** For the dashboard only. No route of the public API uses it. */
@Resolver()
export class SavedSearchResolver {
  constructor(private readonly searches: SavedSearchStore) {}

  @Query(() => [SavedSearchType], {
    description: "The caller's saved searches and those shared in its tenants, by name.",
  })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  async savedSearches(@Ctx() context: Call): Promise<SavedSearchType[]> {
    const holder = holderOf(context.principal);
    return (await this.searches.list(tenantSetOf(context), holder)).map((each) => shownTo(holder, each));
  }

  @Mutation(() => SavedSearchType, { description: 'Saves a filter expression, a view or both under a name.' })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @Takes(SAVE_SEARCH)
  async saveSearch(
    { tenantId, name, filter, view: given, isShared }: ParameterValues<typeof SAVE_SEARCH>,
    context: Call,
  ): Promise<SavedSearchType> {
    const view = given ?? null;
    if (filter === '' && view === null) refuseIf([empty('filter')]);
    const id = parseTenantId(tenantId);
    if (id === null || !tenantSetOf(context).includes(id)) throw noSuchTenant();
    const holder = holderOf(context.principal);
    const spec = { tenantId: id, name: name.trim(), filter, view, isShared };
    const saved = await this.searches.insert(spec, holder, attemptOf(context));
    if (!saved)
      throw new DomainError('invalid_parameter', {
        public: `At most ${LIMITS.savedSearchesMax} searches are kept: remove one first.`,
      });
    return shownTo(holder, saved);
  }

  @Mutation(() => SavedSearchType, { description: 'Removes a saved search of the caller.' })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @Takes(REMOVE_SEARCH)
  async removeSavedSearch(
    { searchId }: ParameterValues<typeof REMOVE_SEARCH>,
    context: Call,
  ): Promise<SavedSearchType> {
    const holder = holderOf(context.principal);
    const removed = isUuid(searchId)
      ? await this.searches.remove(tenantSetOf(context), searchId.toLowerCase(), holder, attemptOf(context))
      : null;
    if (!removed) throw new DomainError('not_found', { public: 'There is no such search of yours.' });
    return shownTo(holder, removed);
  }
}

const shownTo = (of: string, { holder, tenantId, ...search }: SavedSearch): SavedSearchType => ({
  ...search,
  tenantId: String(tenantId),
  isOwn: holder === of,
});
