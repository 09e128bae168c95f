import type { Attempt } from '../../../caller/access-log';
import type { Tenant } from '../../../caller/tenant.store';
import { isUnavailable } from '../../../errors';
import { DAY_MS, TICKS_PER_MS } from '../../../event/event-time';
import { splitExpression } from '../../../event/expression/split';
import type { AuditEventFilter } from '../../../event/query';
import { noSuchTenant, oneTenant, parseTenantId, type TenantSet } from '../../../tenant-set';
import { type Held, heldBy } from '../holds/held';
import type { HoldStore } from '../holds/hold.store';
import { EVERY, type RetentionPreview } from './preview';
import type { RetentionRun, RetentionStore } from './retention-store';

/** Counts the events that pass a filter. */
export type CountEvents = (tenants: TenantSet, filter: AuditEventFilter) => Promise<number>;

/** A preview, with what holds change of it. */
export interface HeldPreview extends RetentionPreview {
  /** Events of before that holds keep; null: they could not be counted in time, and `events` has them too. */
  readonly held: number | null;
  /** The number of holds in force. */
  readonly holds: number;
}

/** The operations on retention for operators. */
export class RetentionManager {
  constructor(
    private readonly store: RetentionStore,
    private readonly holds: Pick<HoldStore, 'inForce'>,
    private readonly countEvents: CountEvents,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** @param days null: events are kept for ever @throws DomainError `not_found` */
  async setDays(tenantId: string, days: number | null, attempt: Attempt): Promise<Tenant> {
    const tenant = await this.store.setDays(tenantNumber(tenantId), days, attempt);
    if (!tenant) throw noSuchTenant();
    return tenant;
  }

  /** The number of holds of the tenant that are in force. */
  async holdsOf(tenantId: string): Promise<number> {
    return (await this.holds.inForce(oneTenant(tenantNumber(tenantId)), new Date(this.nowMs()))).length;
  }

  /**
   * The number of events that a retention would remove now.
   * @throws DomainError `not_found`
   */
  async preview(tenantId: string, days: number): Promise<HeldPreview> {
    const [id, nowMs] = [tenantNumber(tenantId), this.nowMs()];
    const preview = await this.store.preview(id, nowMs - days * DAY_MS);
    if (!preview) throw noSuchTenant();
    const inForce = await this.holds.inForce(oneTenant(id), new Date(nowMs));
    const counted = await this.#held(id, heldBy(inForce.map(({ filter }) => filter)), preview);
    const held = counted === null ? null : Math.min(counted, preview.events);
    const stay = held ?? 0;
    return {
      ...preview,
      held,
      events: preview.events - stay,
      kept: preview.kept + stay,
      holds: inForce.length,
    };
  }

  /** Counts by the times of events. @returns null: there was no time for it */
  async #held(tenantId: number, held: Held, { before, events }: RetentionPreview): Promise<number | null> {
    if (held === 'nothing' || events === 0) return 0;
    if (held === 'everything') return events;
    const { values, search, expression } = splitExpression(held, EVERY, []);
    const to = BigInt(before.getTime()) * TICKS_PER_MS;
    return this.countEvents(oneTenant(tenantId), { ...EVERY, ...values, search, expression, to }).catch(
      (error: unknown) => {
        if (isUnavailable(error)) return null;
        throw error;
      },
    );
  }

  /** Newest first. @param tenantId null: of every tenant */
  runs(tenantId: string | null, first: number): Promise<readonly RetentionRun[]> {
    return this.store.runs(tenantId === null ? null : tenantNumber(tenantId), first);
  }
}

function tenantNumber(text: string): number {
  const tenantId = parseTenantId(text);
  if (tenantId === null) throw noSuchTenant();
  return tenantId;
}
