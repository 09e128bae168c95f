import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { Module } from '../../module';
import { Entities } from './entities';
import { EntityResolver } from './entity.resolver';
import type { Questions } from './questions';

/** What is known of a login, host, address, object, database or server instance, for its page in the dashboard. */
export const entitiesModule = (parts: {
  readonly ask: Questions;
  readonly fairShare: Pick<FairShare, 'run'>;
  readonly nowMs: () => number;
}): Module => ({
  resolvers: [new EntityResolver(new Entities(parts.ask), parts.fairShare, parts.nowMs)],
});
