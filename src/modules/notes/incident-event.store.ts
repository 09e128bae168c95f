import type { Attempt } from '../../caller/access-log';
import { changeOfTenant } from '../../caller/access-log.store';
import type { Prisma, ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import { fromStored, toStored } from '../../store/rows/stored-text';
import { oneTenant, type TenantSet } from '../../tenant-set';
import type { EVENT_INCIDENT, INCIDENT_CHOICE } from './answers';
import { assertNotErased, noSuchRecord, type StoredRecord, tooMany, type Writer } from './records';

type Tx = Prisma.TransactionClient;
type EventIncident = Answer<typeof EVENT_INCIDENT>;
/** An event that somebody put into an incident. */
export type PlacedEvent = Omit<EventIncident, 'title'> & { readonly tenantId: number };

/**
 * Writes into the history of an incident that an event was put into it or taken out, in the transaction of that. From
 * then on a person has worked on the incident: no other one takes it over. @throws DomainError `not_found`
 */
export type NoteInIncident = (
  tx: Tx,
  incident: { readonly tenantId: number; readonly incidentId: string },
  what: {
    readonly kind: 'event_added' | 'event_removed';
    readonly recordId: string;
    readonly actor: string;
    readonly comment: string | null;
  },
) => Promise<void>;

/** Stores which events people put into incidents. Each change writes its entry of the access log in its own transaction. */
export class IncidentEventStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly noteInIncident: NoteInIncident,
    private readonly nowMs: () => number,
  ) {}

  /** @returns the events of an incident, in the order of their times */
  async ofIncident(tenants: TenantSet, incidentId: string): Promise<readonly PlacedEvent[]> {
    const rows = await this.#inTenants(tenants, (tx) =>
      tx.incidentEvent.findMany({
        where: { tenantId: { in: [...tenants] }, incidentId, takenOut: false },
        orderBy: { recordId: 'asc' },
        // Events of another incident may have come with its last alert.
        take: 2 * LIMITS.incidentEventsMax,
      }),
    );
    return rows.map((row) => ({ ...placedOf(row), tenantId: row.tenantId }));
  }

  /** @returns the incidents of an event */
  async ofEvent({ tenantId, recordId }: StoredRecord): Promise<readonly EventIncident[]> {
    return this.#inTenants(oneTenant(tenantId), async (tx) => {
      const rows = await tx.incidentEvent.findMany({
        where: { tenantId, recordId, takenOut: false },
        orderBy: [{ at: 'asc' }, { incidentId: 'asc' }],
        take: LIMITS.eventIncidentsMax,
      });
      const incidents = await tx.incident.findMany({
        where: { tenantId, incidentId: { in: rows.map(({ incidentId }) => incidentId) } },
        select: { incidentId: true, title: true },
      });
      const titles = new Map(incidents.map(({ incidentId, title }) => [incidentId, title]));
      return rows.map((row) => ({ ...placedOf(row), title: fromStored(titles.get(row.incidentId) ?? '') }));
    });
  }

  /** @returns open incidents of a tenant whose title has a text, newest first */
  async choices(tenantId: number, search: string): Promise<readonly Answer<typeof INCIDENT_CHOICE>[]> {
    const rows = await this.#inTenants(oneTenant(tenantId), (tx) =>
      tx.incident.findMany({
        where: {
          tenantId,
          status: { not: 'resolved' },
          alertCount: { gt: 0 },
          ...(search.trim() !== '' && { title: { contains: toStored(search.trim()), mode: 'insensitive' } }),
        },
        orderBy: [{ createdAt: 'desc' }, { incidentId: 'desc' }],
        take: LIMITS.incidentChoicesMax,
        select: { incidentId: true, title: true, createdAt: true },
      }),
    );
    return rows.map(({ incidentId, title, createdAt }) => ({
      incidentId,
      title: fromStored(title),
      createdAt: createdAt.toISOString(),
    }));
  }

  /** @throws DomainError `not_found`: no such incident; `invalid_parameter`: it is in there, or there are too many */
  async add(
    record: StoredRecord,
    { incidentId, note }: { readonly incidentId: string; readonly note: string | null },
    by: Writer,
    attempt: Attempt,
  ): Promise<void> {
    const { tenantId, recordId } = record;
    await changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      await assertNotErased(tx, record);
      const change = { kind: 'event_added', recordId, actor: by.name, comment: note } as const;
      await this.noteInIncident(tx, { tenantId, incidentId }, change);
      await assertRoom(tx, record, incidentId, by.holder);
      const data = {
        at: new Date(this.nowMs()),
        holder: by.holder,
        placedBy: toStored(by.name),
        note: note === null ? null : toStored(note),
      };
      // The turn of the tenant is held: nobody else adds it meanwhile.
      const again = { ...data, takenOut: false };
      const { count } = await tx.incidentEvent.updateMany({
        where: { tenantId, incidentId, recordId },
        data: again,
      });
      if (count === 0) await tx.incidentEvent.create({ data: { tenantId, incidentId, recordId, ...data } });
      return { value: null, subject: incidentId };
    });
  }

  /** @throws DomainError `not_found`: it is not in there */
  async takeOut(record: StoredRecord, incidentId: string, by: Writer, attempt: Attempt): Promise<void> {
    const { tenantId, recordId } = record;
    await changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      const change = { kind: 'event_removed', recordId, actor: by.name, comment: null } as const;
      await this.noteInIncident(tx, { tenantId, incidentId }, change);
      const { count } = await tx.incidentEvent.updateMany({
        where: { tenantId, incidentId, recordId, takenOut: false },
        data: { takenOut: true },
      });
      if (count === 0) throw noSuchRecord();
      return { value: null, subject: incidentId };
    });
  }

  #inTenants<T>(tenants: TenantSet, work: (tx: Tx) => Promise<T>): Promise<T> {
    return guarded(() => ofTenants(this.service, tenants, work));
  }
}

async function assertRoom(
  tx: Tx,
  { tenantId, recordId }: StoredRecord,
  incidentId: string,
  holder: string,
): Promise<void> {
  const count = (where: Prisma.IncidentEventWhereInput) =>
    tx.incidentEvent.count({ where: { tenantId, ...where } });
  if ((await count({ incidentId, recordId, takenOut: false })) > 0)
    throw tooMany('The event is in this incident already.');
  if ((await count({ incidentId, takenOut: false })) >= LIMITS.incidentEventsMax)
    throw tooMany(`People can put at most ${LIMITS.incidentEventsMax} events into an incident.`);
  if ((await count({ recordId, takenOut: false })) >= LIMITS.eventIncidentsMax)
    throw tooMany(`An event can be put into at most ${LIMITS.eventIncidentsMax} incidents.`);
  if ((await count({ holder })) >= LIMITS.incidentEventsOfHolderMax)
    throw tooMany(
      `You have put ${LIMITS.incidentEventsOfHolderMax} events of this tenant into incidents, and no more can be.`,
    );
  if ((await count({})) >= LIMITS.incidentEventsOfTenantMax)
    throw tooMany(
      `People can put at most ${LIMITS.incidentEventsOfTenantMax} events of a tenant into incidents.`,
    );
}

const placedOf = (row: {
  readonly incidentId: string;
  readonly recordId: string;
  readonly placedBy: string;
  readonly at: Date;
  readonly note: string | null;
}) => ({
  incidentId: row.incidentId,
  recordId: row.recordId,
  placedBy: fromStored(row.placedBy),
  placedAt: row.at.toISOString(),
  note: row.note === null ? null : fromStored(row.note),
});
