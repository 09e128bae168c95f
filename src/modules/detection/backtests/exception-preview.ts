import type { ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { ofTenants } from '../../../database/tenant-rows';
import { DomainError } from '../../../errors';
import { DAY_MS } from '../../../event/event-time';
import { microsecondsOfRecordId } from '../../../event/record-id';
import { fold } from '../../../event/search';
import type { Answer } from '../../../event/shape';
import type { DetectionEvent } from '../../../rules/event';
import { fieldSlot } from '../../../rules/field-names';
import { Seen } from '../../../rules/seen';
import { rowsByIds } from '../../../store/archive/rows-by-id';
import { toStoredEvent } from '../../../store/rows/event-rows';
import { oneTenant, type TenantSet } from '../../../tenant-set';
import type { EXCEPTION_PREVIEW } from '../base/work-answers';

export const PREVIEW_DAYS = 30;
/** The newest alerts of the rule, their findings and the events of these that a preview looks at. */
const ALERTS_MAX = 250;
const FINDINGS_MAX = 2_000;
const EVENTS_MAX = 2_000;
/** Events of the alert that show which values all of them share. */
const OWN_EVENTS_MAX = 250;
/** Rows that are read at once: a statement below the size of a mark may take 256 KB. */
const ROWS_AT_ONCE = 50;
/** The fields that an exception made from an alert may name. */
const FIELDS = [
  'serverPrincipalName',
  'clientIp',
  'hostName',
  'applicationName',
  'serverInstanceName',
  'databaseName',
  'databasePrincipalName',
  'schemaName',
  'objectName',
  'roleMember',
  'grantee',
] as const;

type Values = Readonly<Record<string, string>>;
interface OwnAlert {
  readonly alertId: string;
  readonly status: string;
  readonly verdict: string | null;
  readonly findingCount: number;
}
interface OwnFinding {
  readonly alertId: string;
  readonly group: Readonly<Record<string, string | null>>;
  readonly recordIds: readonly string[];
}

export interface Preview extends Answer<typeof EXCEPTION_PREVIEW> {
  readonly tenantId: number;
  readonly ruleId: string;
  /** The values of the fields that were chosen. */
  readonly values: Values;
  /** The alerts that it would remove and on which the work is not done. */
  readonly openIds: readonly string[];
}

/**
 * Tells what an exception with values of an alert would have removed: it goes through the findings of the rule's alerts of
 * 30 days. An alert would be gone if the exception leaves out each event of each of its findings.
 */
export class ExceptionPreview {
  constructor(
    private readonly service: ServiceDoor,
    private readonly nowMs: () => number,
  ) {}

  /** @throws DomainError `not_found`; `invalid_parameter` for a field whose values the alert's events do not share */
  async of(tenants: TenantSet, alertId: string, fields: readonly string[]): Promise<Preview> {
    const alert = await this.#alert(tenants, alertId);
    const { tenantId, ruleId } = alert;
    const alerts = await this.#alerts(tenantId, ruleId, alertId);
    const findings = await this.#findings(tenantId, alerts, alertId);
    const own = findings.filter((one) => one.alertId === alertId);
    const read = this.#reader(tenantId);
    const shown = own.flatMap(({ recordIds }) => recordIds).slice(0, OWN_EVENTS_MAX);
    const choices = sharedOf(await read(shown));
    const values = chosenOf(choices, fields);
    const removed = fields.length === 0 ? [] : await this.#removed(alerts, findings, values, read);
    const ids = new Set(removed);
    const gone = alerts.filter((one) => ids.has(one.alertId));
    const truePositives = gone.filter(({ verdict }) => verdict === 'true_positive').length;
    const open = gone.filter(({ status }) => ['new', 'acknowledged'].includes(status));
    const isAll = alerts.length < ALERTS_MAX;
    return {
      tenantId,
      ruleId,
      values,
      choices: Object.entries(choices).map(([field, value]) => ({ field, value })),
      alerts: alerts.length,
      removed: gone.length,
      truePositives,
      open: open.length,
      text: textOf(gone.length, alerts.length, truePositives, isAll),
      openIds: open.map((one) => one.alertId),
    };
  }

  async #alert(tenants: TenantSet, alertId: string) {
    const found = await guarded(() =>
      ofTenants(this.service, tenants, (tx) =>
        tx.alert.findFirst({
          where: { alertId, tenantId: { in: [...tenants] } },
          select: { tenantId: true, ruleId: true },
        }),
      ),
    );
    if (!found) throw new DomainError('not_found', { public: 'There is no such record.' });
    return found;
  }

  /** The newest alerts. The alert itself counts, also when it is older. */
  async #alerts(tenantId: number, ruleId: string, alertId: string): Promise<readonly OwnAlert[]> {
    const since = new Date(this.nowMs() - PREVIEW_DAYS * DAY_MS);
    const select = { alertId: true, status: true, verdict: true, findingCount: true };
    return guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), async (tx) => {
        const own = await tx.alert.findMany({ where: { tenantId, alertId }, select });
        const others = await tx.alert.findMany({
          where: { tenantId, ruleId, createdAt: { gte: since }, alertId: { not: alertId } },
          orderBy: [{ createdAt: 'desc' }, { alertId: 'desc' }],
          take: ALERTS_MAX - 1,
          select,
        });
        return [...own, ...others];
      }),
    );
  }

  async #findings(
    tenantId: number,
    alerts: readonly OwnAlert[],
    alertId: string,
  ): Promise<readonly OwnFinding[]> {
    const ids = [...new Set([alertId, ...alerts.map((one) => one.alertId)])];
    return guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), async (tx) => {
        const rows = await tx.$queryRawUnsafe<
          readonly { alert: string; values: string; records: readonly string[] }[]
        >(
          `SELECT alert_id::text AS alert, group_values AS values, record_ids::text[] AS records
           FROM finding WHERE tenant_id = $1::int AND alert_id = ANY($2::uuid[])
           ORDER BY alert_id = $3::uuid DESC, detected_at DESC, finding_id LIMIT ${FINDINGS_MAX}`,
          ...[tenantId, ids, alertId],
        );
        return rows.map(({ alert, values, records }) => ({
          alertId: alert,
          group: JSON.parse(values) as OwnFinding['group'],
          recordIds: records,
        }));
      }),
    );
  }

  /** Reads events, each once. Those that retention has removed are missing. */
  #reader(tenantId: number) {
    const known = new Map<string, Seen>();
    let room = EVENTS_MAX;
    return async (ids: readonly string[]): Promise<readonly Seen[]> => {
      const news = ids.filter((id) => !known.has(id)).slice(0, room);
      room -= news.length;
      for (let at = 0; at < news.length; at += ROWS_AT_ONCE)
        for (const row of await rowsByIds(
          this.service,
          oneTenant(tenantId),
          news.slice(at, at + ROWS_AT_ONCE),
        )) {
          const { additional, ...fields } = toStoredEvent(row);
          const { recordId } = fields;
          const event = { recordId, at: microsecondsOfRecordId(recordId), position: 0, fields, additional };
          known.set(recordId, new Seen(event as DetectionEvent));
        }
      return ids.flatMap((id) => known.get(id) ?? []);
    };
  }

  async #removed(
    alerts: readonly OwnAlert[],
    findings: readonly OwnFinding[],
    values: Values,
    read: (ids: readonly string[]) => Promise<readonly Seen[]>,
  ): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const { alertId, findingCount } of alerts) {
      const own = findings.filter((one) => one.alertId === alertId);
      // An alert of which not every finding was read stays.
      let isGone = own.length > 0 && own.length >= findingCount;
      for (const finding of own) isGone = isGone && (await isLeftOut(finding, values, read));
      if (isGone) removed.push(alertId);
    }
    return removed;
  }
}

/** Whether an exception leaves out each event of a finding. All of its events share the values of its group. */
async function isLeftOut(
  { group, recordIds }: OwnFinding,
  values: Values,
  read: (ids: readonly string[]) => Promise<readonly Seen[]>,
): Promise<boolean> {
  const others: [string, string][] = [];
  for (const [field, value] of Object.entries(values)) {
    if (!Object.hasOwn(group, field)) others.push([field, value]);
    else if (fold(group[field] ?? '') !== fold(value)) return false;
  }
  if (others.length === 0) return true;
  const events = await read(recordIds);
  return (
    events.length === recordIds.length &&
    events.every((seen) => others.every(([field, value]) => has(seen, field, value)))
  );
}

function has(seen: Seen, field: string, value: string): boolean {
  const slot = fieldSlot(field);
  return slot !== null && seen.folded(slot).includes(fold(value));
}

/** The fields of which all events have one value, with it. */
function sharedOf(events: readonly Seen[]): Values {
  const [first] = events;
  if (!first) return {};
  const shared = FIELDS.flatMap((field) => {
    const slot = fieldSlot(field);
    const value = slot && first.values(slot)[0];
    if (typeof value !== 'string' || value.trim() === '') return [];
    return events.every((seen) => has(seen, field, value)) ? [[field, value] as const] : [];
  });
  return Object.fromEntries(shared);
}

function chosenOf(choices: Values, fields: readonly string[]): Values {
  const strange = fields.find((field) => !Object.hasOwn(choices, field));
  if (strange !== undefined)
    throw new DomainError('invalid_parameter', {
      public: `The events of this alert do not share a value of ${JSON.stringify(strange.slice(0, 60))}. Choose among: ${Object.keys(choices).join(', ') || 'none'}.`,
    });
  return Object.fromEntries(fields.map((field) => [field, choices[field] ?? '']));
}

function textOf(removed: number, all: number, truePositives: number, isAll: boolean): string {
  const of = isAll
    ? `${removed} of ${all} ${all === 1 ? 'alert' : 'alerts'} of the last ${PREVIEW_DAYS} days`
    : `${removed} of the newest ${all} alerts`;
  const which =
    truePositives === 0 ? 'none that was a true positive' : `${truePositives} of them true positives`;
  return `would remove ${of}, ${which}`;
}
