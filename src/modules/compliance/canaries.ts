import type { ServiceDoor } from '../../database/clients';
import { CANARY_ACTION, type Canary, type CanaryState, canaryNumber, canaryStates } from '../../event/canary';
import { DAY_MS, formatTicks, TICKS_PER_MS } from '../../event/event-time';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';
import { eachEvent } from './each-event';
import type { Questions } from './questions';

/** The canaries of a day before a moment, and of the moment. */
export async function canariesBefore(
  { service, ask }: { readonly service: ServiceDoor; readonly ask: Pick<Questions, 'page'> },
  tenants: TenantSet,
  asOf: bigint,
): Promise<readonly CanaryState[]> {
  const all: Canary[] = [];
  const startTime = formatTicks(asOf - BigInt(DAY_MS) * TICKS_PER_MS);
  const asked = { filter: `actionId:${CANARY_ACTION}`, startTime, endTime: formatTicks(asOf + 1n) };
  await eachEvent(service, ask, tenants, asked, (event) => all.push(...canaryOf(event)));
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
