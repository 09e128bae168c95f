import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../../caller/access-log';
import { change, changeOfTenant } from '../../../caller/access-log.store';
import type { Prisma, ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { ofTenants } from '../../../database/tenant-rows';
import { DomainError } from '../../../errors';
import type { Answer } from '../../../event/shape';
import { LIMITS } from '../../../limits';
import { fromStored, toStored } from '../../../store/rows/stored-text';
import type { TenantSet } from '../../../tenant-set';
import type { INCIDENT_CHANGE } from '../base/incident-answers';
import { takeTurn } from '../base/tenant-turn';
import type { ChangedAlert } from './alert.store';
import { putIncidents } from './put-incidents';

/** A change of an incident and of its alerts, and who makes it. */
export interface IncidentWork {
  readonly kind: 'acknowledged' | 'resolved' | 'assigned' | 'commented';
  readonly actor: string;
  readonly comment: string | null;
  readonly set: {
    readonly status?: string;
    readonly verdict?: string | null;
    readonly assignee?: string | null;
  };
}

const CHANGES_MAX = 1_000;
const tooManyAlerts = () =>
  new DomainError('invalid_parameter', {
    public: `These incidents have more than ${LIMITS.incidentAlertsWorkedMax} open alerts. Take fewer at once.`,
  });
const noSuchRecord = () => new DomainError('not_found', { public: 'There is no such record.' });

/** Open alerts of incidents that are not yet as a change sets them. */
const TO_CHANGE = `
SELECT alert_id::text AS "alertId", rule_id::text AS "ruleId", severity::int AS severity, status FROM alert
WHERE tenant_id = $1::int AND incident_id = ANY($2::uuid[]) AND status NOT IN ('resolved', 'suppressed')
  AND NOT jsonb_build_object('status', status, 'verdict', verdict, 'assignee', assignee) @> $3::jsonb LIMIT $4::int`;
interface ToChange {
  readonly alertId: string;
  readonly ruleId: string;
  readonly severity: number;
  readonly status: string;
}
const NOTE_CHANGES = `
INSERT INTO alert_change (tenant_id, alert_id, change_id, at, actor, kind, detail, comment)
SELECT t.tenant_id, x.alert_id, x.change_id, $3::timestamptz, $4, $5, $6, $7
FROM tenant t CROSS JOIN json_to_recordset($2::json) AS x(alert_id uuid, change_id uuid) WHERE t.tenant_id = $1::int`;

/** Events that are in one incident and were taken out of the other. */
const PUT_AGAIN = `
UPDATE incident_event x SET taken_out = false, at = e.at, holder = e.holder, placed_by = e.placed_by, note = e.note
FROM incident_event e WHERE e.tenant_id = $1::int AND e.incident_id = $2::uuid AND NOT e.taken_out
  AND x.tenant_id = $1::int AND x.incident_id = $3::uuid AND x.record_id = e.record_id AND x.taken_out`;
const CARRY_EVENTS = `
UPDATE incident_event e SET incident_id = $3::uuid WHERE e.tenant_id = $1::int AND e.incident_id = $2::uuid AND NOT EXISTS (
  SELECT FROM incident_event x WHERE x.tenant_id = $1::int AND x.incident_id = $3::uuid AND x.record_id = e.record_id)`;
const LEAVE_NONE = `
UPDATE incident_event SET taken_out = true WHERE tenant_id = $1::int AND incident_id = $2::uuid`;
/** An incident without alerts is no story: the events that people put into it go where its last alert goes. */
async function carryEvents(tx: Prisma.TransactionClient, tenantId: number, from: string, to: string) {
  await tx.$executeRawUnsafe(PUT_AGAIN, tenantId, from, to);
  await tx.$executeRawUnsafe(CARRY_EVENTS, tenantId, from, to);
  await tx.$executeRawUnsafe(LEAVE_NONE, tenantId, from);
}

/** Changes incidents. Each change writes its history and its entry of the access log, and takes the tenant's turn. */
export class IncidentStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly nowMs: () => number,
    /** Called in the transaction of a change with the alerts of a tenant that have another state now. */
    private readonly onAlerts: (
      tx: Prisma.TransactionClient,
      alerts: readonly ChangedAlert[],
    ) => Promise<void> = async () => {},
  ) {}

  /**
   * Also changes the alerts of the incidents that are not resolved or suppressed, in one transaction. One incident may have
   * more alerts than a transaction has time for. They are changed in parts then, and the incident with the last one: a
   * call that is broken off goes on when it is made again.
   * @returns the number of incidents
   * @throws DomainError `not_found` where one of them is not there; `invalid_parameter` for too many alerts
   */
  async work(
    tenants: TenantSet,
    given: readonly string[],
    work: IncidentWork,
    attempt: Attempt,
  ): Promise<number> {
    const wanted = [...new Set(given.map((id) => id.toLowerCase()))];
    const subject = wanted.length === 1 ? String(wanted[0]) : `${wanted.length} incidents`;
    for (let isDone = false; !isDone; )
      isDone = await change(
        (run) => ofTenants(this.service, tenants, run),
        attempt,
        async (tx) => ({ subject, ...(await this.#workPart(tx, { tenants, wanted, work })) }),
      );
    return wanted.length;
  }

  /** @returns whether nothing is left to change */
  async #workPart(
    tx: Prisma.TransactionClient,
    of: { readonly tenants: TenantSet; readonly wanted: readonly string[]; readonly work: IncidentWork },
  ): Promise<{ readonly value: boolean; readonly tenantIds: readonly number[] }> {
    const { tenants, wanted, work } = of;
    const at = new Date(this.nowMs());
    const { kind, actor, comment } = work;
    const set = { ...work.set, ...(work.set.assignee && { assignee: toStored(work.set.assignee) }) };
    const found = await tx.incident.findMany({
      where: { incidentId: { in: [...wanted] }, tenantId: { in: [...tenants] } },
      select: { tenantId: true, incidentId: true },
    });
    if (found.length < wanted.length) throw noSuchRecord();
    // Turns are taken in one order, so that two such changes do not wait for each other.
    const tenantIds = [...new Set(found.map(({ tenantId }) => tenantId))].sort((a, b) => a - b);
    const detail = JSON.stringify(work.set);
    const entry = { at, actor: toStored(actor), kind, detail, comment: comment && toStored(comment) };
    let room: number = LIMITS.incidentAlertsWorkedMax;
    for (const tenantId of tenantIds) {
      await takeTurn(tx, tenantId);
      const incidentIds = found.filter((one) => one.tenantId === tenantId).map((one) => one.incidentId);
      const own = { tenantId, incidentId: { in: incidentIds } };
      const open = await tx.$queryRawUnsafe<ToChange[]>(
        TO_CHANGE,
        ...[tenantId, incidentIds, JSON.stringify(set), room + 1],
      );
      if (open.length > room && wanted.length > 1) throw tooManyAlerts();
      const alerts = open.slice(0, room);
      room -= alerts.length;
      const ids = alerts.map(({ alertId }) => alertId);
      await tx.alert.updateMany({
        where: { tenantId, alertId: { in: ids } },
        data: { ...set, updatedAt: at },
      });
      await tx.$executeRawUnsafe(
        NOTE_CHANGES,
        ...[tenantId, JSON.stringify(ids.map((id) => ({ alert_id: id, change_id: randomUUID() })))],
        ...[at, entry.actor, kind, detail, entry.comment],
      );
      const { status } = work.set;
      if (status !== undefined) {
        await tx.alert.updateMany({
          where: { tenantId, alertId: { in: ids }, acknowledgedAt: null },
          data: { acknowledgedAt: at },
        });
        const others = alerts.filter((alert) => alert.status !== status);
        await this.onAlerts(
          tx,
          others.map((alert) => ({ ...alert, tenantId, status })),
        );
      }
      if (alerts.length < open.length) return { value: false, tenantIds };
      await tx.incident.updateMany({ where: own, data: { ...set, touched: true, updatedAt: at } });
      if (status !== undefined)
        await tx.incident.updateMany({
          where: { ...own, acknowledgedAt: null },
          data: { acknowledgedAt: at },
        });
      await tx.incidentChange.createMany({
        data: incidentIds.map((incidentId) => ({
          tenantId,
          incidentId,
          changeId: randomUUID(),
          ...entry,
        })),
      });
    }
    return { value: true, tenantIds };
  }

  /** Moves an alert to an incident of its tenant, where it stays. @param to null: to one of its own @returns its id */
  move(
    tenants: TenantSet,
    alertId: string,
    to: string | null,
    by: { readonly actor: string; readonly comment: string | null },
    attempt: Attempt,
  ): Promise<string> {
    const nowMs = this.nowMs();
    return change(
      (run) => ofTenants(this.service, tenants, run),
      attempt,
      async (tx) => {
        const alert = await tx.alert.findFirst({ where: { alertId, tenantId: { in: [...tenants] } } });
        if (!alert) throw noSuchRecord();
        const { tenantId } = alert;
        await takeTurn(tx, tenantId);
        const { incidentId: from } = await tx.alert.findFirstOrThrow({ where: { tenantId, alertId } });
        if (to !== null && (await tx.incident.count({ where: { tenantId, incidentId: to } })) === 0)
          throw noSuchRecord();
        // An alert that is alone in its incident has one of its own.
        const isAlone = (await tx.alert.count({ where: { tenantId, incidentId: from } })) === 1;
        const incidentId = to ?? (isAlone && from !== null ? from : randomUUID());
        await tx.alert.updateMany({
          where: { tenantId, alertId },
          data: { incidentId, placedBy: toStored(by.actor), updatedAt: new Date(nowMs) },
        });
        const both = [...new Set([from, incidentId])].filter((one) => one !== null);
        await putIncidents(tx, tenantId, both, { nowMs, door: this.service });
        await tx.incident.updateMany({
          where: { tenantId, incidentId: { in: both } },
          data: { touched: true },
        });
        if (isAlone && from !== null && from !== incidentId)
          await carryEvents(tx, tenantId, from, incidentId);
        await this.#noteMove(tx, { tenantId, alertId, from, incidentId, nowMs, ...by });
        return { value: incidentId, subject: alertId, tenantIds: [tenantId] };
      },
    );
  }

  /**
   * Writes into the history of an incident that a person put an event into it or took one out, in the transaction of
   * that. From then on no other incident takes it over. @throws DomainError `not_found`
   */
  async noteEvent(
    tx: Prisma.TransactionClient,
    { tenantId, incidentId }: { readonly tenantId: number; readonly incidentId: string },
    what: {
      readonly kind: 'event_added' | 'event_removed';
      readonly recordId: string;
      readonly actor: string;
      readonly comment: string | null;
    },
  ): Promise<void> {
    const { kind, recordId, comment } = what;
    const at = new Date(this.nowMs());
    await takeTurn(tx, tenantId);
    const { count } = await tx.incident.updateMany({
      where: { tenantId, incidentId },
      data: { touched: true, updatedAt: at },
    });
    if (count === 0) throw noSuchRecord();
    const entry = { at, actor: toStored(what.actor), kind, detail: JSON.stringify({ recordId }) };
    await tx.incidentChange.create({
      data: { tenantId, incidentId, changeId: randomUUID(), ...entry, comment: comment && toStored(comment) },
    });
  }

  async #noteMove(
    tx: Prisma.TransactionClient,
    of: {
      readonly tenantId: number;
      readonly alertId: string;
      readonly from: string | null;
      readonly incidentId: string;
      readonly nowMs: number;
      readonly actor: string;
      readonly comment: string | null;
    },
  ): Promise<void> {
    const { tenantId, alertId, from, incidentId, comment } = of;
    const entry = {
      at: new Date(of.nowMs),
      actor: toStored(of.actor),
      kind: 'moved',
      detail: JSON.stringify({ alertId, from, to: incidentId }),
      comment: comment && toStored(comment),
    };
    await tx.alertChange.create({ data: { tenantId, alertId, changeId: randomUUID(), ...entry } });
    for (const id of new Set([from, incidentId]))
      if (id !== null)
        await tx.incidentChange.create({
          data: { tenantId, incidentId: id, changeId: randomUUID(), ...entry },
        });
  }

  /** Sets the time within which alerts of a tenant form one incident. */
  setMinutes(tenantId: number, minutes: number, attempt: Attempt): Promise<number> {
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      await takeTurn(tx, tenantId);
      await tx.detectionPosition.updateMany({ where: { tenantId }, data: { incidentMinutes: minutes } });
      return { value: minutes, subject: `${minutes} minutes` };
    });
  }

  /** @returns the newest changes, oldest first */
  async changes(tenants: TenantSet, incidentId: string): Promise<readonly Answer<typeof INCIDENT_CHANGE>[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, tenants, (tx) =>
        tx.incidentChange.findMany({
          where: { incidentId, tenantId: { in: [...tenants] } },
          orderBy: [{ at: 'desc' }, { changeId: 'desc' }],
          take: CHANGES_MAX,
        }),
      ),
    );
    return rows.toReversed().map(({ changeId, at, actor, kind, detail, comment }) => ({
      changeId,
      kind,
      at: at.toISOString(),
      actor: fromStored(actor),
      detail: JSON.parse(detail) as object,
      comment: comment === null ? null : fromStored(comment),
    }));
  }
}
