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
import { oneTenant, type TenantSet } from '../../../tenant-set';
import { takeTurn } from '../base/tenant-turn';
import type { ALERT_CHANGE, ALERT_SUPPRESSION } from '../base/work-answers';

type SuppressionAnswer = Answer<typeof ALERT_SUPPRESSION>;
type AlertChange = Answer<typeof ALERT_CHANGE>;

/** A change of an alert, and who makes it. */
export interface AlertWork {
  readonly kind: 'acknowledged' | 'resolved' | 'suppressed' | 'assigned' | 'commented';
  readonly actor: string;
  readonly comment: string | null;
  /** The columns to change. */
  readonly set: Prisma.AlertUpdateInput;
  /** The details that the history shows. */
  readonly detail: Readonly<Record<string, string | null>>;
  /** Also suppresses further alerts. @param group of the alert */
  readonly suppress?: (group: Readonly<Record<string, string | null>>) => {
    readonly fields: Readonly<Record<string, string | null>>;
    readonly until: Date;
    readonly reason: string;
  };
}

const CHANGES_MAX = 1_000;

/** Changes alerts. Each change writes its history and its entry of the access log. */
export class AlertStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly nowMs: () => number,
    /** Called in the transaction of a change, so that notices of the change are written with it. */
    private readonly onChange: (
      tx: Prisma.TransactionClient,
      alert: ChangedAlert,
    ) => Promise<void> = async () => {},
  ) {}

  /** @returns the tenant of the alert @throws DomainError `not_found` */
  work(tenants: TenantSet, alertId: string, work: AlertWork, attempt: Attempt): Promise<number> {
    const at = new Date(this.nowMs());
    return change(
      (run) => ofTenants(this.service, tenants, run),
      attempt,
      async (tx) => {
        const alert = await tx.alert.findFirst({ where: { alertId, tenantId: { in: [...tenants] } } });
        if (!alert) throw new DomainError('not_found', { public: 'There is no such record.' });
        const { tenantId, ruleId, groupValues, severity } = alert;
        const suppression = work.suppress?.(JSON.parse(groupValues));
        // Alerts that are being made without it are there afterwards, and all later ones are made under it.
        if (suppression) await takeTurn(tx, tenantId);
        if (
          suppression &&
          (await tx.alertSuppression.count({ where: { tenantId, until: { gt: at } } })) >=
            LIMITS.suppressionsMax
        )
          throw new DomainError('invalid_parameter', {
            public: `A tenant has at most ${LIMITS.suppressionsMax} suppressions at once. Tune the rule instead, with exceptions.`,
          });
        await tx.alert.updateMany({
          where: { tenantId, alertId },
          data: {
            ...storedSet(work.set),
            updatedAt: at,
            ...(work.set.status !== undefined && { acknowledgedAt: alert.acknowledgedAt ?? at }),
          } as object,
        });
        await tx.alertChange.create({
          data: {
            tenantId,
            alertId,
            changeId: randomUUID(),
            at,
            actor: toStored(work.actor),
            kind: work.kind,
            detail: JSON.stringify(work.detail),
            comment: work.comment === null ? null : toStored(work.comment),
          },
        });
        if (suppression) {
          const { fields, until, reason } = suppression;
          await tx.alertSuppression.create({
            data: {
              tenantId,
              suppressionId: randomUUID(),
              ruleId,
              fields: JSON.stringify(fields),
              until,
              reason: toStored(reason),
              createdBy: toStored(work.actor),
              createdAt: at,
            },
          });
        }
        const status = (work.set.status as string | undefined) ?? null;
        if (status !== null && status !== alert.status)
          await this.onChange(tx, { tenantId, alertId, ruleId, severity, status });
        return { value: tenantId, subject: alertId, tenantIds: [tenantId] };
      },
    );
  }

  /** Resolves alerts of a tenant in a transaction; those that are done meanwhile stay as they are. @returns how many */
  async resolveThese(
    tx: Prisma.TransactionClient,
    tenantId: number,
    alertIds: readonly string[],
    by: { readonly actor: string; readonly verdict: string; readonly comment: string | null },
  ): Promise<number> {
    const at = new Date(this.nowMs());
    const set = { status: 'resolved', verdict: by.verdict };
    const open = await tx.alert.findMany({
      where: { tenantId, alertId: { in: [...alertIds] }, status: { in: ['new', 'acknowledged'] } },
      select: { alertId: true, ruleId: true, severity: true },
    });
    const ids = open.map(({ alertId }) => alertId);
    await tx.alert.updateMany({ where: { tenantId, alertId: { in: ids } }, data: { ...set, updatedAt: at } });
    await tx.alert.updateMany({
      where: { tenantId, alertId: { in: ids }, acknowledgedAt: null },
      data: { acknowledgedAt: at },
    });
    const entry = {
      at,
      actor: toStored(by.actor),
      kind: 'resolved',
      detail: JSON.stringify(set),
      comment: by.comment === null ? null : toStored(by.comment),
    };
    await tx.alertChange.createMany({
      data: ids.map((alertId) => ({ tenantId, alertId, changeId: randomUUID(), ...entry })),
    });
    for (const alert of open) await this.onChange(tx, { ...alert, tenantId, status: set.status });
    return ids.length;
  }

  /** @returns the suppressions that have not ended, the first to end first */
  async suppressions(tenantId: number): Promise<readonly SuppressionAnswer[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), (tx) =>
        tx.alertSuppression.findMany({
          where: { tenantId, until: { gt: new Date(this.nowMs()) } },
          orderBy: [{ until: 'asc' }, { suppressionId: 'asc' }],
          take: CHANGES_MAX,
        }),
      ),
    );
    return rows.map(({ suppressionId, ruleId, fields, until, reason, createdBy, createdAt }) => ({
      suppressionId,
      tenantId: String(tenantId),
      ruleId,
      fields: JSON.parse(fields) as object,
      until: until.toISOString(),
      reason: fromStored(reason),
      createdBy: fromStored(createdBy),
      createdAt: createdAt.toISOString(),
    }));
  }

  /**
   * Ends a suppression for later findings. Alerts that it suppressed stay suppressed, and take no finding or problem any
   * more: the next one makes an alert. @throws DomainError `not_found`
   */
  async endSuppression(tenantId: number, suppressionId: string, attempt: Attempt): Promise<boolean> {
    const now = new Date(this.nowMs());
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      // Alerts that are being made under it are there afterwards.
      await takeTurn(tx, tenantId);
      const where = { tenantId, suppressionId, until: { gt: now } };
      const found = await tx.alertSuppression.findFirst({ where });
      if (!found) throw new DomainError('not_found', { public: 'There is no such record.' });
      await tx.alertSuppression.updateMany({ where, data: { until: now } });
      const { ruleId, until } = found;
      // An alert of another suppression that ends at the same time is among them: the next one is suppressed by that.
      await tx.alert.updateMany({
        where: { tenantId, status: 'suppressed', suppressedUntil: until, ...(ruleId !== null && { ruleId }) },
        data: { suppressedUntil: now },
      });
      return { value: true, subject: suppressionId };
    });
  }

  /** @returns the newest changes, oldest first */
  async changes(tenants: TenantSet, alertId: string): Promise<readonly AlertChange[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, tenants, (tx) =>
        tx.alertChange.findMany({
          where: { alertId, tenantId: { in: [...tenants] } },
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

const storedSet = (set: AlertWork['set']) =>
  typeof set.assignee === 'string' ? { ...set, assignee: toStored(set.assignee) } : set;

/** An alert that has another state now. */
export interface ChangedAlert {
  readonly tenantId: number;
  readonly alertId: string;
  readonly ruleId: string;
  readonly severity: number;
  readonly status: string;
}
