import type { OwnerDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { Indexer } from './indexer';

/** The search index. @param isIndexing whether this instance indexes */
export function searchModule(owner: OwnerDoor, isIndexing: boolean): Module {
  const indexer = new Indexer(owner, {
    pastMs: LIMITS.indexQuietMs,
    liveMs: LIMITS.indexLiveQuietMs,
    folded: true,
  });
  return {
    tasks: isIndexing
      ? [
          {
            name: 'search-index',
            doc: 'indexing for search',
            everyMs: LIMITS.indexMs,
            run: () => indexer.run(),
          },
        ]
      : [],
    metrics: (metrics, figures) => {
      metrics.gauge(
        'unindexed_segments',
        'Hours that searches still read.',
        () => figures()?.unindexedHours ?? null,
      );
      metrics.gauge('unindexed_oldest_seconds', 'How long the first of these hours has waited.', () => {
        const known = figures();
        return known ? (known.unindexedSeconds ?? 0) : null;
      });
    },
  };
}
