import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/failure';
import { DAY_MS, formatTicks, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { allOf, type Expression, type ExpressionField, equals } from '../../event/expression/expression';
import { parseFilter } from '../../event/expression/parse-filter';
import { printed } from '../../event/expression/printed';
import type { AuditEvent } from '../../event/fields';
import { toSummaryFilter } from '../../event/query';
import { ticksOfRecordId } from '../../event/record-id';
import type { Answer } from '../../event/shape';
import { onOneLine } from '../../event/visible-text';
import type { GroupField } from '../../store/columns/column-fields';
import { ColumnCounter, inSnapshot } from '../../store/columns/counter';
import type { Counting, Tally } from '../../store/columns/tally';
import { oneTenant } from '../../tenant-set';
import { extentStatement } from './histogram.statement';
import type { AUDIT_EVENT_USUAL } from './usual-answers';

type Usual = Answer<typeof AUDIT_EVENT_USUAL>;
type Note = Usual['notes'][number];

const [PERIOD_DAYS, HISTORY_DAYS_MIN, LOGINS_SHOWN] = [90, 14, 3];
/** A value of fewer events in a thousand is uncommon. */
const UNCOMMON_PER_MILLE = 5;
/** So many events in an hour are few, whatever was before. */
const VOLUME_MIN = 20;

/** Fields of an event that say what its login usually does. */
const OF_LOGIN = [
  'databaseName',
  'applicationName',
  'clientIp',
] as const satisfies readonly ExpressionField[];
const PLAIN = { windowMs: null, fields: [], hasOutcomes: false } as const satisfies Counting;
const WORDS: Readonly<Record<string, string>> = {
  databaseName: 'database',
  applicationName: 'program',
  clientIp: 'address',
};

/**
 * Counts what was usual before an event. Everything but the first day comes from one snapshot.
 * @param withTenant whether filters name the tenant, because the caller reads several
 */
export async function usualOf(service: ServiceDoor, event: AuditEvent, withTenant: boolean): Promise<Usual> {
  const tenants = oneTenant(Number(event.tenantId));
  const at = ticksOfRecordId(event.recordId);
  const from = at - BigInt(PERIOD_DAYS * DAY_MS) * TICKS_PER_MS;
  const hourMs = Math.floor(Number(at / TICKS_PER_MS) / HOUR_MS) * HOUR_MS;
  const period = { startTime: formatTicks(from), endTime: formatTicks(at) };
  const hour = {
    startTime: new Date(hourMs).toISOString(),
    endTime: new Date(hourMs + HOUR_MS).toISOString(),
  };
  const historyDays = await historyOf(service, event, from, at);
  const filterOf = filtersOf(event, withTenant);
  const login = filterOf('serverPrincipalName');
  const object = event.objectName === null ? null : filterOf(...OBJECT);
  const both = object && filterOf('serverPrincipalName', ...OBJECT);
  const asked = (filter: string, range = period) => toSummaryFilter({ filter, ...range });
  const counted = await guarded(() =>
    inSnapshot(service, tenants, asked(login), async (counter) => {
      const about = (filter: string, fields: readonly GroupField[]) => ({
        counter: counter.with(asked(filter)),
        asked: { ...PLAIN, fields },
      });
      const [byLogin, byObject = null, byBoth = null] = await ColumnCounter.together([
        { counter, asked: { ...PLAIN, windowMs: HOUR_MS, fields: OF_LOGIN.filter((field) => event[field]) } },
        ...(object && both ? [about(object, ['serverPrincipalName']), about(both, ['actionId'])] : []),
      ]);
      const inHour = await counter.with(asked(login, hour)).count(PLAIN);
      return { byLogin: byLogin as Tally, inHour, byObject, byBoth };
    }),
  );
  const { byLogin, inHour, byObject, byBoth } = counted;
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
  const total = byLogin.total.n;
  const who = `login ${event.serverPrincipalName ?? '(none)'}`;
  const notes: Note[] = [noted(['serverPrincipalName'], who, total, total)];
  for (const field of OF_LOGIN) {
    const value = event[field];
    if (!value) continue;
    const count = byLogin.values.get(field)?.get(value)?.n ?? 0;
    notes.push(noted(['serverPrincipalName', field], `${who}, ${WORDS[field]} ${value}`, count, total));
  }
  if (byObject && byBoth) {
    const on = `${who}, object ${[event.schemaName, event.objectName].filter(Boolean).join('.')}`;
    notes.push(noted(['serverPrincipalName', ...OBJECT], on, byBoth.total.n, total));
    const same = byBoth.values.get('actionId')?.get(event.actionId)?.n ?? 0;
    if (byBoth.total.n > 0)
      notes.push(
        noted(
          ['serverPrincipalName', ...OBJECT, 'actionId'],
          `${on}, action ${event.actionId}`,
          same,
          byBoth.total.n,
        ),
      );
  }
  const before = [...byLogin.windows].filter(([window]) => window * HOUR_MS < hourMs);
  const most = before.reduce((max, [, { n }]) => Math.max(max, n), 0);
  const isHigh = hasHistory && inHour.total.n >= VOLUME_MIN && inHour.total.n > 2 * most;
  notes.push({
    kind: isHigh ? 'HighVolume' : null,
    fields: ['serverPrincipalName', 'hour'],
    text: onOneLine(`${who}: ${inHour.total.n} events in this hour, and at most ${most} in an hour before`),
    count: inHour.total.n,
    of: most,
    filter: login,
    ...hour,
  });
  const logins = [...(byObject?.values.get('serverPrincipalName') ?? [])]
    .sort(([a, { n }], [b, { n: m }]) => m - n || (a < b ? -1 : 1))
    .slice(0, LOGINS_SHOWN);
  return {
    recordId: event.recordId,
    ...period,
    historyDays,
    hasHistory,
    nth: total + 1,
    notes: notes.sort((a, b) => Number(a.kind === null) - Number(b.kind === null)),
    objectCount: byObject?.total.n ?? null,
    othersCount: byObject && byBoth ? byObject.total.n - byBoth.total.n : null,
    objectFilter: object,
    logins: logins.map(([value, { n }]) => ({
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

const OBJECT = ['databaseName', 'schemaName', 'objectName'] as const satisfies readonly ExpressionField[];

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
