import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { SavedSearchResolver } from './saved-search.resolver';
import { SavedSearchStore } from './saved-search.store';

/** The saved searches of people and keys. */
export function savedSearchesModule(service: ServiceDoor, owner: OwnerDoor): Module {
  const searches = new SavedSearchStore(service, owner);
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
