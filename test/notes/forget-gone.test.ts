import { randomUUID } from 'node:crypto';
import { ForgetGone } from '../../src/modules/notes/forget-gone';
import { NoteStore } from '../../src/modules/notes/note.store';
import { oneTenant } from '../../src/tenant-set';
import { ArchiveTrial } from '../archive/archive-trial';
import { AN_ATTEMPT } from '../support/attempt';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { useLimits } from '../support/use-limits';

describe.each(ENGINES)('what people wrote about events, on %s', (engine) => {
  useLimits({ archiveAnnounceMs: 0, goneNotesStep: 2 });
  let store: Store;
  let archive: ArchiveTrial;
  beforeAll(async () => {
    store = await Store.open(engine);
    archive = await ArchiveTrial.open(store);
  });
  afterAll(async () => {
    await archive.close();
    await store.close();
  });

  it('is refused while its event is erased', async () => {
    const { tenantId, database } = store;
    const [erased, other] = [randomUUID(), randomUUID()];
    await database.owner.models.auditErasureRecord.create({
      data: { tenantId, erasureId: randomUUID(), recordId: erased },
    });
    const notes = new NoteStore(database.service, () => Date.parse('2026-02-01T00:00:00Z'));
    const add = (recordId: string) =>
      notes.add({ tenantId, recordId }, 'x', { holder: 'key 1', name: 'Ada' }, AN_ATTEMPT);
    await expect(add(erased)).rejects.toMatchObject({ code: 'not_found' });
    await add(other);
    expect(await notes.list(oneTenant(tenantId), [erased, other])).toMatchObject([{ recordId: other }]);
    await new ForgetGone(database.owner).run();
  });

  it('goes when its event is stored neither in rows nor in files', async () => {
    const days = ['05', '06', '20', '21', '22'];
    const events = store.checked(days.map((day) => ({ eventTime: `2026-01-${day}T08:00:00.0000000Z` })));
    await store.insert(events);
    await archive.settle();
    expect(await archive.seal('2026-01-05T00:00:00Z')).toMatchObject({ outcome: 'sealed' });
    const { tenantId, database } = store;
    const { models } = database.owner;
    const ids = events.map(({ recordId }) => recordId);
    const [at, holder] = [new Date('2026-02-01T00:00:00Z'), 'key 1'];
    for (const recordId of ids) {
      const common = { tenantId, recordId, at, holder };
      await models.eventNote.create({ data: { ...common, noteId: randomUUID(), author: 'Ada', note: 'x' } });
      await models.incidentEvent.create({ data: { ...common, incidentId: randomUUID(), placedBy: 'Ada' } });
    }
    const noted = async () => [
      (await models.eventNote.findMany({ where: { tenantId } })).map(({ recordId }) => recordId).sort(),
      (await models.incidentEvent.findMany({ where: { tenantId } })).map(({ recordId }) => recordId).sort(),
    ];
    const forget = new ForgetGone(database.owner);
    await forget.run();
    // Through a door that no files are behind, nobody knows what is in them.
    await new ForgetGone({ ...database.owner }).run();
    expect(await noted()).toEqual([ids.toSorted(), ids.toSorted()]);

    const [, , gone] = ids as [string, string, string];
    await store.query(
      'DELETE FROM audit_event WHERE tenant_id = $1 AND record_id = $2::uuid',
      tenantId,
      gone,
    );
    await forget.run();
    const left = ids.filter((id) => id !== gone).sort();
    expect(await noted()).toEqual([left, left]);
  });
});
