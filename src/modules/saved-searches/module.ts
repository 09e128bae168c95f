import type { OwnerDb, ServiceDb } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { SavedSearchResolver } from './saved-search.resolver';
import { SavedSearchStore } from './saved-search.store';

/** The saved searches of people and keys. */
export function savedSearchesModule(prisma: ServiceDb, owner: OwnerDb): Module {
  const searches = new SavedSearchStore(prisma, owner);
  return {
    resolvers: [new SavedSearchResolver(searches)],
    tasks: [
      {
        name: 'removed-searches',
        doc: 'removed searches',
        everyMs: LIMITS.savedSearchesClearMs,
        run: () => searches.clear(),
      },
    ],
  };
}
