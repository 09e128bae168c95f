import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { clampTicks, DAY_MS, formatTicks, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { allOf, type Expression, type ExpressionField, equals } from '../../event/expression/expression';
import { parseFilter } from '../../event/expression/parse-filter';
import { printed } from '../../event/expression/printed';
import type { AuditEvent } from '../../event/fields';
import { ticksOfRecordId } from '../../event/record-id';
import type { Answer } from '../../event/shape';
import { onOneLine } from '../../event/visible-text';
import { LIMITS } from '../../limits';
import { OBJECT, OF_LOGIN } from '../../store/columns/habits';
import { oneTenant } from '../../tenant-set';
import { extentStatement } from './histogram.statement';
import type { AUDIT_EVENT_USUAL } from './usual-answers';
import { countedBefore } from './usual-counts';

type Usual = Answer<typeof AUDIT_EVENT_USUAL>;
type Note = Usual['notes'][number];

export const PERIOD_DAYS = 90;
const [HISTORY_DAYS_MIN, LOGINS_SHOWN] = [14, 3];
/** A value of fewer events in a thousand is uncommon. */
const UNCOMMON_PER_MILLE = 5;
/** So many events in an hour are few, whatever was before. */
const VOLUME_MIN = 20;

const WORDS: Readonly<Record<string, string>> = {
  databaseName: 'database',
  applicationName: 'program',
  clientIp: 'address',
};

/**
 * Counts what was usual before an event. Everything but the first day comes from one snapshot.
 * @param withTenant whether filters name the tenant, because the caller reads several
 * @param habitsEventsMax in a period of more events, only those of the login and the object are looked at
 */
export async function usualOf(
  service: ServiceDoor,
  event: AuditEvent,
  withTenant: boolean,
  habitsEventsMax: number = LIMITS.habitsEventsMax,
): Promise<Usual> {
  const at = ticksOfRecordId(event.recordId);
  const from = at - BigInt(PERIOD_DAYS * DAY_MS) * TICKS_PER_MS;
  const hourMs = Math.floor(Number(at / TICKS_PER_MS) / HOUR_MS) * HOUR_MS;
  const period = { startTime: formatTicks(from), endTime: formatTicks(at) };
  const hour = {
    startTime: new Date(hourMs).toISOString(),
    endTime: formatTicks(clampTicks(BigInt(hourMs + HOUR_MS) * TICKS_PER_MS)),
  };
  const historyDays = await historyOf(service, event, from, at);
  const filterOf = filtersOf(event, withTenant);
  const login = filterOf('serverPrincipalName');
  const object = event.objectName === null ? null : filterOf(...OBJECT);
  const both = object && filterOf('serverPrincipalName', ...OBJECT);
  const { total, most, inHour, alike, onObject } = await countedBefore(
    service,
    event,
    { login, object, both, period, hour },
    habitsEventsMax,
  );
  const hasHistory = historyDays >= HISTORY_DAYS_MIN;
  const kindOf = (count: number, of: number): Note['kind'] => {
    if (!hasHistory) return null;
    if (count === 0) return 'FirstSeen';
    return 1_000 * count < UNCOMMON_PER_MILLE * of ? 'UncommonValue' : null;
  };
  const noted = (fields: readonly ExpressionField[], what: string, count: number, of: number): Note => ({
    kind: kindOf(count, of),
    fields: [...fields],
    text: onOneLine(
      `${what}: ${count === 0 ? `not in the ${PERIOD_DAYS} days before` : `${count} of ${of} events`}`,
    ),
    count,
    of,
    filter: filterOf(...fields),
    ...period,
  });
  const who = `login ${event.serverPrincipalName ?? '(none)'}`;
  const notes: Note[] = [noted(['serverPrincipalName'], who, total, total)];
  for (const field of OF_LOGIN) {
    const value = event[field];
    if (!value) continue;
    notes.push(
      noted(['serverPrincipalName', field], `${who}, ${WORDS[field]} ${value}`, alike.get(field) ?? 0, total),
    );
  }
  const own = onObject?.logins.get(event.serverPrincipalName ?? '') ?? 0;
  if (onObject) {
    const on = `${who}, object ${[event.schemaName, event.objectName].filter(Boolean).join('.')}`;
    notes.push(noted(['serverPrincipalName', ...OBJECT], on, own, total));
    if (own > 0)
      notes.push(
        noted(
          ['serverPrincipalName', ...OBJECT, 'actionId'],
          `${on}, action ${event.actionId}`,
          onObject.sameAction,
          own,
        ),
      );
  }
  const isHigh = hasHistory && inHour >= VOLUME_MIN && inHour > 2 * most;
  notes.push({
    kind: isHigh ? 'HighVolume' : null,
    fields: ['serverPrincipalName', 'hour'],
    text: onOneLine(`${who}: ${inHour} events in this hour, and at most ${most} in an hour before`),
    count: inHour,
    of: most,
    filter: login,
    ...hour,
  });
  const objectCount = onObject && [...onObject.logins.values()].reduce((sum, n) => sum + n, 0);
  const logins = [...(onObject?.logins ?? [])]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, LOGINS_SHOWN);
  return {
    recordId: event.recordId,
    ...period,
    historyDays,
    hasHistory,
    nth: total + 1,
    notes: notes.sort((a, b) => Number(a.kind === null) - Number(b.kind === null)),
    objectCount,
    othersCount: objectCount === null ? null : objectCount - own,
    objectFilter: object,
    logins: logins.map(([value, n]) => ({
      serverPrincipalName: value || null,
      count: n,
      filter: filtersOf({ ...event, serverPrincipalName: value || null }, withTenant)(
        'serverPrincipalName',
        ...OBJECT,
      ),
      ...period,
    })),
  };
}

/** Writes the filter of the events that have the same values as an event in some fields. */
const filtersOf =
  (event: AuditEvent, withTenant: boolean) =>
  (...fields: readonly ((typeof OBJECT)[number] | 'serverPrincipalName' | ExpressionField)[]): string => {
    const all: readonly ExpressionField[] = withTenant ? ['tenantId', ...fields] : fields;
    const terms = all.map((field): Expression => {
      const value = (event as Readonly<Partial<Record<ExpressionField, unknown>>>)[field];
      const text = value === null || value === undefined ? '' : String(value);
      if (text !== '') return equals(field, text);
      return { kind: 'not', of: { kind: 'field', field, how: 'present', text: '', isFolded: false } };
    });
    const text = printed(allOf(terms) as Expression);
    const parsed = parseFilter(text);
    // No name of SQL Server is so long that the language would not take it.
    if ('problem' in parsed) throw new Error(`a filter of an event is not understood: ${parsed.problem}`);
    return text;
  };

/** Whole days between the first event of the tenant in the period and the event. */
async function historyOf(service: ServiceDoor, event: AuditEvent, from: bigint, at: bigint): Promise<number> {
  const tenants = oneTenant(Number(event.tenantId));
  const [row] = await guarded(() => service.ask(extentStatement(service.each(tenants)), tenants));
  if (row?.first === null || row?.first === undefined) return 0;
  const first = BigInt(Number(row.first)) * BigInt(HOUR_MS) * TICKS_PER_MS;
  const ticks = at - (first > from ? first : from);
  return ticks < 0n ? 0 : Number(ticks / (BigInt(DAY_MS) * TICKS_PER_MS));
}
