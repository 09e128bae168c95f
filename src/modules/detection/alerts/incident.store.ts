import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../../caller/access-log';
import { change, changeOfTenant } from '../../../caller/access-log.store';
import type { Prisma, ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/failure';
import { ofTenants } from '../../../database/tenant-rows';
import { DomainError } from '../../../errors';
import type { Answer } from '../../../event/shape';
import { fromStored, toStored } from '../../../store/rows/stored-text';
import type { TenantSet } from '../../../tenant-set';
import type { INCIDENT_CHANGE } from '../base/incident-answers';
import { takeTurn } from '../base/tenant-turn';
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
const noSuchRecord = () => new DomainError('not_found', { public: 'There is no such record.' });

/** Changes incidents. Each change writes its history and its entry of the access log, and takes the tenant's turn. */
export class IncidentStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly nowMs: () => number,
  ) {}

  /** Also changes the alerts of the incident that are not resolved. @throws DomainError `not_found` */
  work(tenants: TenantSet, incidentId: string, work: IncidentWork, attempt: Attempt): Promise<string> {
    const at = new Date(this.nowMs());
    const { kind, actor, comment } = work;
    const set = { ...work.set, ...(work.set.assignee && { assignee: toStored(work.set.assignee) }) };
    return change(
      (run) => ofTenants(this.service, tenants, run),
      attempt,
      async (tx) => {
        const incident = await tx.incident.findFirst({
          where: { incidentId, tenantId: { in: [...tenants] } },
        });
        if (!incident) throw noSuchRecord();
        const { tenantId } = incident;
        await takeTurn(tx, tenantId);
        await tx.incident.updateMany({
          where: { tenantId, incidentId },
          data: { ...set, touched: true, updatedAt: at },
        });
        const detail = JSON.stringify(work.set);
        const entry = { at, actor: toStored(actor), kind, detail, comment: comment && toStored(comment) };
        await tx.incidentChange.create({
          data: { tenantId, incidentId, changeId: randomUUID(), ...entry },
        });
        if (Object.keys(set).length > 0) {
          const where = { tenantId, incidentId, status: { notIn: ['resolved', 'suppressed'] } };
          const alerts = await tx.alert.findMany({ where, select: { alertId: true }, take: CHANGES_MAX });
          const ids = alerts.map(({ alertId }) => alertId);
          await tx.alert.updateMany({
            where: { tenantId, alertId: { in: ids } },
            data: { ...set, updatedAt: at },
          });
          await tx.alertChange.createMany({
            data: ids.map((alertId) => ({ tenantId, alertId, changeId: randomUUID(), ...entry })),
          });
        }
        return { value: incidentId, subject: incidentId, tenantIds: [tenantId] };
      },
    );
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
        await putIncidents(tx, tenantId, both, nowMs);
        await tx.incident.updateMany({
          where: { tenantId, incidentId: { in: both } },
          data: { touched: true },
        });
        await this.#noteMove(tx, { tenantId, alertId, from, incidentId, nowMs, ...by });
        return { value: incidentId, subject: alertId, tenantIds: [tenantId] };
      },
    );
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
