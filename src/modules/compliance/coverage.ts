import type { Asker, FairShare } from '../../caller/rate-limit/fair-share';
import { TICKS_PER_MS } from '../../event/event-time';
import { fold } from '../../event/search';
import { tenantSet } from '../../tenant-set';
import type { Assessments } from './assessment';
import { groupsThatWrite } from './frameworks';
import { type GroupState, stateOfGroup } from './judge-groups';

/** Which action groups a server instance records. */
export interface InstanceCoverage {
  readonly serverInstanceName: string;
  /** Whether events of it came in the last 30 days. */
  readonly isSending: boolean;
  readonly stateOf: (group: string) => GroupState['state'];
}

/** Which action groups the server instances of a tenant record, as their trail says now. */
export interface Coverage {
  /** The groups that write events of an action code, letter case folded. @param classes null: any class type */
  groupsThatWrite(action: string, classes: readonly string[] | null): readonly string[];
  /**
   * @param asker null: an operator, who waits for no turn
   * @param instance the only one that is asked for
   * @throws DomainError `invalid_parameter` where there are too many
   */
  instances(asker: Asker | null, tenantId: number, instance?: string): Promise<readonly InstanceCoverage[]>;
}

export const coverageOf = (parts: {
  readonly assessments: Pick<Assessments, 'trails'>;
  readonly fairShare: Pick<FairShare, 'run'>;
  readonly nowMs: () => number;
}): Coverage => ({
  groupsThatWrite,
  instances(asker, tenantId, instance) {
    const read = async () => {
      const trails = await parts.assessments.trails(tenantSet([tenantId]), {
        asOf: BigInt(parts.nowMs()) * TICKS_PER_MS,
        instance: instance === undefined ? null : fold(instance),
        checks: [],
      });
      return trails.map((trail) => ({
        serverInstanceName: trail.serverInstanceName,
        isSending: trail.events > 0,
        stateOf: (group: string) => stateOfGroup(group, trail).state,
      }));
    };
    return asker ? parts.fairShare.run(asker, read) : read();
  },
});
