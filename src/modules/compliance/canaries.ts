import type { ServiceDoor } from '../../database/clients';
import {
  CANARY_ACTION,
  type Canary,
  type CanaryState,
  canaryNumber,
  canaryStates,
  hiddenCanaries,
} from '../../event/canary';
import { clampTicks, DAY_MS, formatTicks, TICKS_PER_MS } from '../../event/event-time';
import { inQuotes } from '../../event/expression/value-text';
import { LIMITS } from '../../limits';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';
import { eachEvent } from './each-event';
import type { Questions } from './questions';

interface Parts {
  readonly service: ServiceDoor;
  readonly ask: Pick<Questions, 'page'>;
}

/** The canaries of a day before a moment, and of the moment. */
export async function canariesBefore(
  parts: Parts,
  tenants: TenantSet,
  asOf: bigint,
): Promise<readonly CanaryState[]> {
  const { canaries } = await read(parts, tenants, {
    filter: `actionId:${CANARY_ACTION}`,
    startTime: formatTicks(clampTicks(asOf - BigInt(DAY_MS) * TICKS_PER_MS)),
    endTime: endOf(asOf),
  });
  return canaryStates(canaries, msOf(asOf));
}

/** The last canaries of an instance since a time, however long ago they came, among its other records of that action. */
export async function lastCanaries(
  parts: Parts,
  tenants: TenantSet,
  asOf: bigint,
  instance: string,
  since: string,
): Promise<readonly CanaryState[]> {
  const asked = {
    filter: `actionId:${CANARY_ACTION} AND serverInstanceName:${inQuotes(instance)}`,
    startTime: since,
  };
  const newest = await read(parts, tenants, { ...asked, endTime: endOf(asOf) });
  const states = canaryStates(newest.canaries, msOf(asOf));
  if (newest.from === null || newest.records < LIMITS.complianceRecordsMax) return states;
  const oldest = await read(parts, tenants, { ...asked, endTime: newest.from, areOldest: true });
  const sinceMs = Date.parse(newest.from);
  return [...states, ...hiddenCanaries(oldest.canaries, newest.canaries, sinceMs, msOf(asOf))];
}

const endOf = (asOf: bigint): string => formatTicks(clampTicks(asOf + 1n));
const msOf = (asOf: bigint): number => Number(asOf / TICKS_PER_MS);

/** What records say: how many they are, the time of the oldest, and the canaries among them. */
interface Read {
  readonly records: number;
  readonly from: string | null;
  readonly canaries: readonly Canary[];
}

async function read(
  { service, ask }: Parts,
  tenants: TenantSet,
  asked: Parameters<typeof eachEvent>[3],
): Promise<Read> {
  const canaries: Canary[] = [];
  const seen = { records: 0, from: null as string | null };
  await eachEvent(service, ask, tenants, asked, (event) => {
    seen.records += 1;
    seen.from ??= event.eventTime;
    canaries.push(...canaryOf(event));
  });
  return { ...seen, canaries };
}

function canaryOf({ serverInstanceName, additional, eventTime }: StoredAuditEvent): Canary[] {
  const { userDefinedInformation, userDefinedEventId } = additional;
  const number = canaryNumber(typeof userDefinedInformation === 'string' ? userDefinedInformation : null);
  return number === null
    ? []
    : [
        {
          serverInstanceName: serverInstanceName ?? '',
          eventId: String(userDefinedEventId ?? ''),
          number,
          atMs: Date.parse(eventTime),
        },
      ];
}
