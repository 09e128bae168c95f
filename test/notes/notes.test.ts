import { accessLog } from '../support/access-log';
import { DashboardSession } from '../support/dashboard-session';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const READ = 'read:audit-activity';
const ALL = [READ, 'read:alerts', 'work:alerts'];
const NOTE = 'noteId recordId tenantId note author at removedBy removedAt';
const ADD = `mutation($recordId: String!, $note: String!) { addEventNote(recordId: $recordId, note: $note) { ${NOTE} } }`;
const REMOVE = `mutation($recordId: String!, $noteId: String!) {
  removeEventNote(recordId: $recordId, noteId: $noteId) { ${NOTE} } }`;
const LIST = `query($recordIds: [String!]!) { eventNotes(recordIds: $recordIds) { ${NOTE} } }`;
const PUT = `mutation($incidentId: String!, $recordId: String!, $note: String) {
  addToIncident(incidentId: $incidentId, recordId: $recordId, note: $note) { incidentId title placedBy note } }`;
const TAKE = `mutation($incidentId: String!, $recordId: String!) {
  takeOutOfIncident(incidentId: $incidentId, recordId: $recordId) { incidentId } }`;
const PLACED = `query($incidentId: String!) { incidentEvents(incidentId: $incidentId) {
  recordId placedBy placedAt note event { recordId actionId statementPreview } } }`;
const CHOICES = `query($recordId: String!, $search: String) {
  incidentChoices(recordId: $recordId, search: $search) { incidentId title createdAt } }`;

describe('notes and events in incidents', () => {
  const open = useWorld(ANY_ENGINE);
  useLimits({
    notesMax: 3,
    notesOfHolderMax: 5,
    notesOfTenantMax: 7,
    incidentEventsMax: 2,
    eventIncidentsMax: 1,
  });
  let tenant: TestTenant;
  let ada: DashboardSession;
  let ids: readonly string[];

  const signIn = async (name: string, scopes = ALL, tenantIds = [tenant.tenantId]) =>
    DashboardSession.signIn(open.world, (await open.world.key({ name, scopes, tenantIds })).key);
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of every shape
  const ask = async (session: DashboardSession, query: string, variables: object): Promise<any> => {
    const { body } = await session.graphql(query, variables);
    if (body.errors) throw new Error(`${body.errors[0].extensions?.code}: ${body.errors[0].message}`);
    return Object.values(body.data)[0];
  };
  const notesOf = (session: DashboardSession, ...recordIds: readonly string[]) =>
    ask(session, LIST, { recordIds });

  beforeEach(async () => {
    tenant = await open.world.tenant();
    ada = await signIn('Ada');
    await tenant.ingest(
      [1, 2, 3, 4].map((i) => anEvent({ statement: `SELECT 'secret ${i}'`, objectName: `o${i}` })),
    );
    const found = await open.world.get('/audit-activity', tenant.key);
    ids = found.body.data.map(({ recordId }: { recordId: string }) => recordId);
    expect(ids).toHaveLength(4);
  });

  /** Incidents of the tenant, one for each login. */
  async function incidents(...logins: readonly string[]) {
    const role = (serverPrincipalName: string) =>
      anEvent({
        ...{
          actionId: 'APRL',
          objectName: 'sysadmin',
          serverPrincipalName,
          hostName: `host of ${serverPrincipalName}`,
        },
        ...{
          clientIp: null,
          additional: { classType: 'SG', targetServerPrincipalName: `new ${serverPrincipalName}` },
        },
      });
    await tenant.ingest(logins.map(role));
    const found = await until(
      () => ask(ada, '{ incidents(sortDirection: "asc") { items { incidentId title } } }', {}),
      ({ items }) => items.length >= logins.length,
    );
    return logins.map((login) => {
      const of = found.items.find(({ title }: { title: string }) => title.includes(`new ${login}`));
      return of.incidentId as string;
    });
  }

  it('are written and removed by who may work on alerts, and their history stays', async () => {
    const [first, second] = ids as [string, string];
    const [note] = await ask(ada, ADD, { recordId: first, note: 'looks\nlike \u0000 ours' });
    expect(note).toMatchObject({
      recordId: first,
      tenantId: tenant.tenantId,
      author: 'Ada',
      note: 'looks\nlike \u0000 ours',
    });
    await ask(ada, ADD, { recordId: second, note: 'another' });

    const reader = await signIn('Reader', [READ]);
    expect((await notesOf(reader, second, first)).map((one: { note: string }) => one.note)).toEqual([
      'looks\nlike \u0000 ours',
      'another',
    ]);
    for (const [query, more] of [
      [ADD, { note: 'x' }],
      [REMOVE, { noteId: note.noteId }],
    ] as const)
      await expect(ask(reader, query, { recordId: first, ...more })).rejects.toThrow('forbidden');

    const eve = await signIn('Eve');
    const [removed] = await ask(eve, REMOVE, { recordId: first, noteId: note.noteId });
    expect(removed).toMatchObject({ ...note, removedBy: 'Eve', removedAt: expect.any(String) });
    await expect(ask(eve, REMOVE, { recordId: first, noteId: note.noteId })).rejects.toThrow('not_found');
    expect(await notesOf(reader, first)).toEqual([removed]);
  });

  it('leave an entry in the access log for each change, without the text of the note', async () => {
    const [recordId] = ids as [string];
    const [{ noteId }] = await ask(ada, ADD, { recordId, note: 'Kellermann' });
    await ask(ada, REMOVE, { recordId, noteId });
    await ask(ada, ADD, { recordId, note: 'Kellermann '.repeat(400) }).catch(() => {});
    const entries = await until(
      () => accessLog(open.world),
      (found) =>
        found.some(
          ({ operation, outcome }) => operation === 'addEventNote' && outcome === 'invalid_parameter',
        ),
    );
    for (const operation of ['addEventNote', 'removeEventNote'])
      expect(entries).toContainEqual(
        expect.objectContaining({ operation, outcome: 'ok', subject: noteId, tenantIds: [tenant.tenantId] }),
      );
    expect(JSON.stringify(entries)).not.toContain('Kellermann');
  });

  it('are bounded for each event, each key and each tenant', async () => {
    const [first, second, third] = ids as [string, string, string];
    const add = (session: DashboardSession, recordId: string) => ask(session, ADD, { recordId, note: 'x' });
    for (let i = 0; i < 3; i++) await add(ada, first);
    await expect(add(ada, first)).rejects.toThrow('An event has at most 3 notes');
    for (let i = 0; i < 2; i++) await add(ada, second);
    await expect(add(ada, third)).rejects.toThrow('You have written 5 notes');
    const eve = await signIn('Eve');
    for (let i = 0; i < 2; i++) await add(eve, third);
    await expect(add(eve, third)).rejects.toThrow('A tenant has at most 7 notes');
    await expect(ask(ada, ADD, { recordId: first, note: ' ' })).rejects.toThrow('note must not be empty');
    await expect(ask(ada, ADD, { recordId: first, note: 'x'.repeat(4_001) })).rejects.toThrow(
      'at most 4000 characters',
    );
    await expect(notesOf(ada)).rejects.toThrow('recordIds must be ids of records');
  });

  it('are of their tenant alone', async () => {
    const [recordId] = ids as [string];
    const [incidentId] = (await incidents('mallory')) as [string];
    const [{ noteId }] = await ask(ada, ADD, { recordId, note: 'ours' });
    await ask(ada, PUT, { incidentId, recordId });
    const other = await open.world.tenant();
    const stranger = await signIn('Stranger', ALL, [other.tenantId]);
    expect(await notesOf(stranger, recordId)).toEqual([]);
    expect(await ask(stranger, PLACED, { incidentId })).toEqual([]);
    await expect(ask(stranger, ADD, { recordId, note: 'x' })).rejects.toThrow('not_found');
    await expect(ask(stranger, REMOVE, { recordId, noteId })).rejects.toThrow('not_found');
    await expect(ask(stranger, TAKE, { incidentId, recordId })).rejects.toThrow('not_found');
    await expect(ask(stranger, CHOICES, { recordId })).rejects.toThrow('not_found');

    // An incident takes events of its own tenant alone, also from who reads both.
    await other.ingest([anEvent({})]);
    const theirs = (await open.world.get('/audit-activity', other.key)).body.data[0].recordId;
    const both = await signIn('Both', ALL, [tenant.tenantId, other.tenantId]);
    await expect(ask(both, PUT, { incidentId, recordId: theirs })).rejects.toThrow('not_found');
    expect(await ask(both, PLACED, { incidentId })).toHaveLength(1);
  });

  it('an event is put into an incident with a reason and taken out again, and the history says who did it', async () => {
    const [first, second, third] = ids as [string, string, string];
    const [incidentId, another] = (await incidents('mallory', 'trudy')) as [string, string];
    const put = (recordId: string, note?: string) => ask(ada, PUT, { incidentId, recordId, note });
    expect(await put(first, 'the same tool')).toEqual([
      { incidentId, title: expect.any(String), placedBy: 'Ada', note: 'the same tool' },
    ]);
    await expect(put(first)).rejects.toThrow('in this incident already');
    await expect(ask(ada, PUT, { incidentId: another, recordId: first })).rejects.toThrow(
      'at most 1 incidents',
    );
    await put(second);
    await expect(put(third)).rejects.toThrow('at most 2 events');

    const placed = await ask(ada, PLACED, { incidentId });
    const idsOf = (events: { recordId: string }[]) => events.map(({ recordId }) => recordId);
    expect(idsOf(placed)).toEqual([first, second].sort());
    for (const one of placed) expect(one.event.recordId).toBe(one.recordId);
    await ask(ada, TAKE, { incidentId, recordId: first });
    expect(idsOf(await ask(ada, PLACED, { incidentId }))).toEqual([second]);
    await expect(ask(ada, TAKE, { incidentId, recordId: first })).rejects.toThrow('not_found');
    expect(await put(first, 'after all')).toMatchObject([{ note: 'after all' }]);
    const changes = await ask(
      ada,
      `query($id: String!) { incidentChanges(incidentId: $id) { kind actor detail comment } }`,
      {
        id: incidentId,
      },
    );
    expect(changes).toMatchObject([
      { kind: 'event_added', actor: 'Ada', detail: { recordId: first }, comment: 'the same tool' },
      { kind: 'event_added', detail: { recordId: second }, comment: null },
      { kind: 'event_removed', detail: { recordId: first } },
      { kind: 'event_added', detail: { recordId: first }, comment: 'after all' },
    ]);

    const reader = await signIn('Reader', [READ]);
    await expect(ask(reader, PLACED, { incidentId })).rejects.toThrow('lacks the scope read:alerts');
    const blind = await signIn('Blind', ['read:alerts', 'work:alerts']);
    await expect(ask(blind, PLACED, { incidentId })).rejects.toThrow(`lacks the scope ${READ}`);
    await expect(ask(blind, PUT, { incidentId, recordId: third })).rejects.toThrow(`lacks the scope ${READ}`);
  });

  it('incidents to choose from are the open ones, newest first, by a part of the title', async () => {
    const [recordId] = ids as [string];
    const [mallory, trudy] = (await incidents('mallory', 'trudy')) as [string, string];
    const choices = async (search = '') =>
      (await ask(ada, CHOICES, { recordId, search })).map(
        ({ incidentId }: { incidentId: string }) => incidentId,
      );
    expect((await choices()).sort()).toEqual([mallory, trudy].sort());
    expect(await choices('NEW TRUDY')).toEqual([trudy]);
    await ask(
      ada,
      `mutation($id: String!) { resolveIncident(incidentId: $id, verdict: expected) { incidentId } }`,
      { id: trudy },
    );
    expect(await choices()).toEqual([mallory]);
  });

  it('an incident with an event is taken over by no other one, and its events go with its last alert', async () => {
    const [recordId, second] = ids as [string, string];
    const [older, newer] = (await incidents('mallory', 'trudy')) as [string, string];
    await ask(ada, PUT, { incidentId: newer, recordId });
    // The login of one incident and the target of the other: without the event, they would be one.
    await tenant.ingest([
      anEvent({
        ...{
          actionId: 'APRL',
          objectName: 'sysadmin',
          serverPrincipalName: 'mallory',
          hostName: 'host of trudy',
        },
        ...{ clientIp: null, additional: { classType: 'SG', targetServerPrincipalName: 'third' } },
      }),
    ]);
    const alertsOf = async (id: string) =>
      (await ask(ada, `query($id: String!) { incident(incidentId: $id) { alerts { alertId } } }`, { id }))
        ?.alerts ?? [];
    await until(
      async () => (await alertsOf(older)).length + (await alertsOf(newer)).length,
      (n) => n >= 3,
    );
    expect(await ask(ada, PLACED, { incidentId: newer })).toHaveLength(1);

    await ask(ada, PUT, { incidentId: newer, recordId: second });
    for (const { alertId } of await alertsOf(newer))
      await ask(
        ada,
        `mutation($alertId: String!, $to: String) { moveAlert(alertId: $alertId, incidentId: $to) { incidentId } }`,
        {
          ...{ alertId, to: older },
        },
      );
    expect(await alertsOf(newer)).toEqual([]);
    expect(await ask(ada, PLACED, { incidentId: newer })).toEqual([]);
    const moved = await ask(ada, PLACED, { incidentId: older });
    expect(moved.map((one: { recordId: string }) => one.recordId)).toEqual([recordId, second].sort());
  });

  it('a masked tenant shows the event in an incident without its literals', async () => {
    const [recordId] = ids as [string];
    const [incidentId] = (await incidents('mallory')) as [string];
    await ask(ada, PUT, { incidentId, recordId });
    const preview = async () => (await ask(ada, PLACED, { incidentId }))[0].event.statementPreview;
    expect(await preview()).toContain('secret');
    await open.world.operate(
      'mutation($id: String!) { setTenantMasking(tenantId: $id, masksStatements: true) { tenantId } }',
      { id: tenant.tenantId },
    );
    expect(await until(preview, (text) => !text.includes('secret'))).toMatch(/^SELECT/);
  });
});
