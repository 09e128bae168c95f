import type { ServiceDoor } from '../../database/clients';
import { CANARY_ACTION, type Canary, type CanaryState, canaryNumber, canaryStates } from '../../event/canary';
import { clampTicks, DAY_MS, formatTicks, TICKS_PER_MS } from '../../event/event-time';
import { inQuotes } from '../../event/expression/value-text';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';
import { eachEvent } from './each-event';
import type { Questions } from './questions';

interface Parts {
  readonly service: ServiceDoor;
  readonly ask: Pick<Questions, 'page'>;
}

/** The canaries of a day before a moment, and of the moment. */
export const canariesBefore = (parts: Parts, tenants: TenantSet, asOf: bigint) =>
  statesOf(parts, tenants, asOf, {
    filter: `actionId:${CANARY_ACTION}`,
    startTime: formatTicks(clampTicks(asOf - BigInt(DAY_MS) * TICKS_PER_MS)),
  });

/** The last canaries of an instance since a time, however long ago they came, among its other records of that action. */
export const lastCanaries = (
  parts: Parts,
  tenants: TenantSet,
  asOf: bigint,
  instance: string,
  since: string,
) =>
  statesOf(parts, tenants, asOf, {
    filter: `actionId:${CANARY_ACTION} AND serverInstanceName:${inQuotes(instance)}`,
    startTime: since,
  });

async function statesOf(
  { service, ask }: Parts,
  tenants: TenantSet,
  asOf: bigint,
  asked: { readonly filter: string; readonly startTime: string },
): Promise<readonly CanaryState[]> {
  const all: Canary[] = [];
  const before = { ...asked, endTime: formatTicks(clampTicks(asOf + 1n)) };
  await eachEvent(service, ask, tenants, before, (event) => all.push(...canaryOf(event)));
  return canaryStates(all, Number(asOf / TICKS_PER_MS));
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
