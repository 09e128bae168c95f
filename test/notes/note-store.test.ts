import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../src/limits';
import { IncidentEventStore } from '../../src/modules/notes/incident-event.store';
import { NoteStore } from '../../src/modules/notes/note.store';
import { oneTenant } from '../../src/tenant-set';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const NOW_MS = Date.parse('2026-02-03T04:05:06.007Z');
const ADA = { holder: 'key a', name: 'Ada' };
const BOB = { holder: 'key b', name: 'Bob' };

describe('stored notes', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());
  afterEach(() => jest.restoreAllMocks());

  async function aTenant() {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const at = { ms: NOW_MS };
    const notes = new NoteStore(own.database.service, () => at.ms);
    const list = (...recordIds: readonly string[]) => notes.list(oneTenant(tenantId), recordIds);
    return { own, tenantId, at, notes, list, recordId: randomUUID() };
  }

  it('are shown up to a number, the newest ones, the oldest of those first', async () => {
    jest.replaceProperty(LIMITS, 'notesShownMax', 2 as never);
    const { tenantId, at, notes, list, recordId } = await aTenant();
    for (const note of ['first', 'second', 'third']) {
      await notes.add({ tenantId, recordId }, note, ADA, AN_ATTEMPT);
      at.ms += 1_000;
    }
    expect((await list(recordId)).map(({ note }) => note)).toEqual(['second', 'third']);
  });

  it('keep who removed them first, and are removed of their own event only', async () => {
    const { tenantId, at, notes, list, recordId } = await aTenant();
    const record = { tenantId, recordId };
    await notes.add(record, 'a note', ADA, AN_ATTEMPT);
    const noteId = (await list(recordId))[0]?.noteId ?? '';
    const strange = { tenantId, recordId: randomUUID() };
    const refused = { code: 'not_found' };
    await expect(notes.remove(strange, noteId, BOB, AN_ATTEMPT)).rejects.toMatchObject(refused);
    await notes.remove(record, noteId, BOB, AN_ATTEMPT);
    at.ms += 60_000;
    await expect(notes.remove(record, noteId, ADA, AN_ATTEMPT)).rejects.toMatchObject(refused);
    expect(await list(recordId)).toMatchObject([
      { removedBy: 'Bob', removedAt: new Date(NOW_MS).toISOString(), author: 'Ada' },
    ]);
  });

  it('are bounded for each event, each holder and each tenant, and not one less', async () => {
    for (const [name, most] of Object.entries({ notesMax: 2, notesOfHolderMax: 3, notesOfTenantMax: 4 }))
      jest.replaceProperty(LIMITS, name as keyof typeof LIMITS, most as never);
    const { tenantId, notes } = await aTenant();
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const added = (recordId: string, by: typeof ADA) =>
      notes.add({ tenantId, recordId }, 'a note', by, AN_ATTEMPT).then(
        () => 'added',
        ({ code }) => code,
      );
    const told: string[] = [];
    for (const [recordId, by] of [
      ...([
        [a, ADA],
        [a, ADA],
        [a, BOB],
        [b, ADA],
        [c, ADA],
        [b, BOB],
        [c, BOB],
      ] as const),
    ])
      told.push(await added(recordId, by));
    const [yes, no] = ['added', 'invalid_parameter'];
    expect(told).toEqual([yes, yes, no, yes, no, yes, no]);
  });

  it('of incidents offer the open ones with alerts, by a part of their title in any letter case', async () => {
    const { own, tenantId } = await aTenant();
    const { models } = own.database.owner;
    const events = new IncidentEventStore(
      own.database.service,
      async () => {},
      () => NOW_MS,
    );
    const made = async (title: string, number: number, more: object = {}) => {
      const createdAt = new Date(NOW_MS + number);
      await models.incident.create({
        data: {
          ...{ tenantId, incidentId: randomUUID(), number, title, severity: 3, status: 'new', alertCount: 1 },
          ...{ eventCount: 1n, firstEvent: 0n, lastEvent: 0n, rowsRead: 0n, rowsChanged: 0n, touched: false },
          ...{ createdAt, updatedAt: createdAt, ...more },
        },
      });
    };
    await made('203.0.113.66 guessed SA', 1);
    await made('sa sysadmin', 2, { status: 'acknowledged' });
    await made('sa is over', 3, { status: 'resolved' });
    await made('sa is empty', 4, { alertCount: 0 });
    await made('app 100% read', 5);
    const titles = async (search: string) =>
      (await events.choices(tenantId, search)).map(({ title }) => title);
    expect(await titles(' Sa ')).toEqual(['sa sysadmin', '203.0.113.66 guessed SA']);
    expect(await titles('')).toHaveLength(3);
  });
});
