import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { ServiceDoor } from '../../database/clients';
import type { Module } from '../../module';
import { Assessments } from './assessment';
import { ComplianceResolver } from './compliance.resolver';
import type { Questions } from './trail';

/** Compliance health: what the events of a server instance say of the controls of frameworks. It stores nothing. */
export const complianceModule = (parts: {
  readonly service: ServiceDoor;
  readonly ask: Questions;
  readonly fairShare: Pick<FairShare, 'run'>;
  readonly nowMs: () => number;
}): Module => ({
  resolvers: [
    new ComplianceResolver(new Assessments(parts.service, parts.ask), parts.fairShare, parts.nowMs),
  ],
});
