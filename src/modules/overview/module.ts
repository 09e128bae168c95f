import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { ServiceDoor } from '../../database/clients';
import type { Module } from '../../module';
import { Overviews } from './overview';
import { OverviewResolver } from './overview.resolver';
import type { Questions } from './questions';

/** A week at a glance, for the first page of the dashboard. */
export const overviewModule = (parts: {
  readonly service: ServiceDoor;
  readonly ask: Questions;
  readonly fairShare: Pick<FairShare, 'run'>;
  readonly nowMs: () => number;
}): Module => ({
  resolvers: [new OverviewResolver(new Overviews(parts.service, parts.ask), parts.fairShare, parts.nowMs)],
});
