import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../caller/access-log';
import { changeOfTenant } from '../../caller/access-log.store';
import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import { fromStored, toStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';
import type { EVENT_NOTE } from './answers';
import { assertNotErased, noSuchRecord, type StoredRecord, tooMany, type Writer } from './records';

type Note = Answer<typeof EVENT_NOTE>;

/** Stores notes on events. Each change writes its entry of the access log in its own transaction. */
export class NoteStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly nowMs: () => number,
  ) {}

  /** @returns the newest notes on some events, oldest first, removed ones among them */
  async list(tenants: TenantSet, recordIds: readonly string[]): Promise<readonly Note[]> {
    const rows = await guarded(() =>
      ofTenants(this.service, tenants, (tx) =>
        tx.eventNote.findMany({
          where: { tenantId: { in: [...tenants] }, recordId: { in: [...recordIds] } },
          orderBy: [{ at: 'desc' }, { noteId: 'desc' }],
          take: LIMITS.notesShownMax,
        }),
      ),
    );
    return rows
      .toReversed()
      .map(({ tenantId, recordId, noteId, note, author, at, removedAt, removedBy }) => ({
        noteId,
        tenantId: String(tenantId),
        recordId,
        note: fromStored(note),
        author: fromStored(author),
        at: at.toISOString(),
        removedAt: removedAt?.toISOString() ?? null,
        removedBy: removedBy === null ? null : fromStored(removedBy),
      }));
  }

  /** @throws DomainError `invalid_parameter`: there are as many notes as are kept */
  async add(record: StoredRecord, note: string, by: Writer, attempt: Attempt): Promise<void> {
    const { tenantId, recordId } = record;
    await changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      await assertNotErased(tx, record);
      if ((await tx.eventNote.count({ where: { tenantId, recordId } })) >= LIMITS.notesMax)
        throw tooMany(`An event has at most ${LIMITS.notesMax} notes, removed ones among them.`);
      if ((await tx.eventNote.count({ where: { tenantId, holder: by.holder } })) >= LIMITS.notesOfHolderMax)
        throw tooMany(
          `You have written ${LIMITS.notesOfHolderMax} notes in this tenant, and no more are kept.`,
        );
      if ((await tx.eventNote.count({ where: { tenantId } })) >= LIMITS.notesOfTenantMax)
        throw tooMany(`A tenant has at most ${LIMITS.notesOfTenantMax} notes.`);
      const noteId = randomUUID();
      const data = { tenantId, recordId, noteId, at: new Date(this.nowMs()), holder: by.holder };
      await tx.eventNote.create({ data: { ...data, author: toStored(by.name), note: toStored(note) } });
      return { value: null, subject: noteId };
    });
  }

  /** @throws DomainError `not_found` */
  async remove(record: StoredRecord, noteId: string, by: Writer, attempt: Attempt): Promise<void> {
    const { tenantId, recordId } = record;
    await changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      const { count } = await tx.eventNote.updateMany({
        where: { tenantId, recordId, noteId, removedAt: null },
        data: { removedAt: new Date(this.nowMs()), removedBy: toStored(by.name) },
      });
      if (count === 0) throw noSuchRecord();
      return { value: null, subject: noteId };
    });
  }
}
