import { createHash } from 'node:crypto';
import type { GroupValues } from './hit';
import type { Severity } from './rule';

/** One match of a rule. */
export interface Finding {
  readonly findingId: string;
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly title: string;
  readonly severity: Severity;
  readonly group: GroupValues;
  readonly groupKey: string;
  readonly dedupMinutes: number;
  /** Microseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly recordIds: readonly string[];
  readonly eventCount: number;
  readonly principals: readonly string[];
  readonly instances: readonly string[];
}

/** The same match gets the same id each time it is found. */
export function findingIdOf(
  tenantId: number,
  {
    ruleId,
    ruleVersion,
    groupKey,
    recordIds,
  }: Pick<Finding, 'ruleId' | 'ruleVersion' | 'groupKey' | 'recordIds'>,
): string {
  const text = [tenantId, ruleId, ruleVersion, groupKey, recordIds[0] ?? ''].join('\n');
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-9${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
