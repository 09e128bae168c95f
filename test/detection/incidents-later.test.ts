import { DomainError } from '../../src/errors';
import { Detector } from '../../src/modules/detection/detector/detector';
import { FileCache } from '../../src/store/archive/file-cache';
import { runCli } from '../support/cli';
import { ENGINES } from '../support/engines';
import { anEvent, type IngestedEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const SERVER = 'SQLPROD01\\PAYROLL';
const WEEK = '2026-01-05T00:00:00.000Z';
const at = (minute: number, second = 0) =>
  `2026-01-05T02:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}.1234567Z`;
const by = (serverPrincipalName: string, minute: number, change: Partial<IngestedEvent>) =>
  anEvent({
    clientIp: '203.0.113.66',
    hostName: 'KALI',
    serverInstanceName: SERVER,
    serverPrincipalName,
    eventTime: at(minute),
    ...change,
  });
const guessed = (login = 'sa') => [
  ...Array.from({ length: 20 }, (_, i) =>
    by(login, 0, {
      actionId: 'LGIF',
      succeeded: false,
      statement: "Login failed for user 'sa'.",
      eventTime: at(Math.floor(i / 6), (i % 6) * 10),
    }),
  ),
  by(login, 11, { actionId: 'LGIS', statement: '' }),
];
const MADE = {
  actionId: 'CR',
  objectName: 'svc2',
  statement: "CREATE LOGIN svc2 WITH PASSWORD='x'",
  additional: { classType: 'SL' },
};
const GRANTED = {
  actionId: 'APRL',
  objectName: 'sysadmin',
  statement: 'ALTER SERVER ROLE sysadmin ADD MEMBER svc2',
  additional: { classType: 'SG', targetServerPrincipalName: 'svc2' },
};
const STOPPED = {
  actionId: 'AUSC',
  objectName: 'Audit',
  statement: 'ALTER SERVER AUDIT Audit WITH (STATE = OFF)',
  additional: {
    classType: 'A',
    additionalInformation: '<action_info><action>event disabled</action></action_info>',
  },
};

describe.each(ENGINES)('an incident whose events are not where they were, on %s', (engine) => {
  useLimits({
    ...QUICK_LOG,
    ...{ checkpointMs: 1, erasureMs: 100, archiveAnnounceMs: 0 },
    ...{ foldMs: 50, foldRestMs: 0, indexMs: 50, indexQuietMs: 0, indexLiveQuietMs: 0 },
  });
  const open = useWorld(engine);
  const run = async (...args: string[]) => {
    const { url } = open.world.service;
    const as = ['--service', url, '--operator-key', open.world.operatorKey, '--json'];
    const { lines, error } = await runCli([...args, ...as], {});
    return { error, answer: JSON.parse(lines[0] ?? 'null') };
  };
  const keyOf = async ({ tenantId }: TestTenant) =>
    (await open.world.key({ tenantIds: [tenantId], scopes: ['read:alerts', 'work:alerts'] })).key;
  const list = async (path: string, key: string) => (await open.world.get(path, key)).body.data;

  it('goes on after an erasure of events of one of its alerts, also by hand', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const key = await keyOf(tenant);
    await tenant.ingest([...guessed(), by('sa', 12, MADE)]);
    await until(
      () => list('/incidents', key),
      ([one]) => one?.alertCount >= 4,
    );
    const ofTenant = ['--tenant', tenant.tenantId];
    const begun = await run('erase', ...ofTenant, '--filter', 'actionId:CR', '--reason', 'r', '--yes');
    expect(begun.error).toBeNull();
    await until(
      async () => (await run('erasures', ...ofTenant)).answer,
      ([{ endedAt }]) => endedAt !== null,
    );
    const before = await list('/alerts', key);

    await tenant.ingest([by('sa', 13, GRANTED)]);
    await until(
      () => list('/alerts', key),
      (alerts) => alerts.length > before.length,
    );
    const [incident, ...others] = await list('/incidents', key);
    expect(others).toEqual([]);
    expect(incident.title).toBe('203.0.113.66 guessed sa → svc2 sysadmin');
    const erased = (await list('/alerts', key)).find(({ title }: { title: string }) => /erased/.test(title));
    const move = 'mutation($a: String!) { moveAlert(alertId: $a) { alertCount } }';
    const { body } = await world.graphql(key, move, { a: erased.alertId });
    expect(body).toEqual({ data: { moveAlert: { alertCount: 1 } } });
  });

  it('tells in which time nothing was recorded, also when the week lies in a file', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const key = await keyOf(tenant);
    await tenant.ingest([...guessed(), by('sa', 36, STOPPED)]);
    const again = { serverInstanceName: SERVER, actionId: 'LGIS', eventTime: '2026-01-05T03:18:00.0000000Z' };
    await tenant.ingest([
      anEvent({ ...again, serverInstanceName: 'OTHER', eventTime: at(40) }),
      anEvent(again),
    ]);
    const [{ incidentId }] = await until(
      () => list('/incidents', key),
      ([one]) => one?.title.endsWith('audit stopped'),
    );
    const told = [{ serverInstanceName: SERVER, from: at(36), to: again.eventTime }];
    expect((await list(`/incidents/${incidentId}`, key)).unrecorded).toEqual(told);
    const { answer } = await until(
      () => run('archive', 'run', tenant.tenantId, '--week', WEEK),
      ({ answer: { outcome } }) => outcome !== 'waits',
    );
    expect(answer.outcome).toBe('sealed');
    expect((await list(`/incidents/${incidentId}`, key)).unrecorded).toEqual(told);
  });

  it.each(['sa', 'the\t"login"\n\\'])(
    'keeps the rows that its logins read, also when their week lies in a file: %j',
    async (login) => {
      const { world } = open;
      const tenant = await world.tenant();
      const key = await keyOf(tenant);
      const read = (minute: number, responseRows: number) =>
        by(login, minute, {
          actionId: 'BCM',
          objectName: 'Salaries',
          statement: 'SELECT 1',
          additional: { responseRows },
        });
      await tenant.ingest([...guessed(login), by(login, 12, MADE), read(13, 7_000), read(14, 500)]);
      const incident = async () => (await list('/incidents', key))[0];
      await until(incident, (one) => one?.alertCount >= 4 && one.rowsRead === 7_500);
      const { answer } = await until(
        () => run('archive', 'run', tenant.tenantId, '--week', WEEK),
        ({ answer: { outcome } }) => outcome !== 'waits',
      );
      expect(answer.outcome).toBe('sealed');
      // A person takes an alert out, and puts it back.
      const [{ alertId }] = await list('/alerts', key);
      const { incidentId } = await incident();
      const move =
        'mutation($a: String!, $i: String) { moveAlert(alertId: $a, incidentId: $i) { rowsRead } }';
      const { body } = await world.graphql(key, move, { a: alertId, i: null });
      expect(body).toEqual({ data: { moveAlert: { rowsRead: 7_500 } } });
      await world.graphql(key, move, { a: alertId, i: incidentId });
      // While the file cannot be read, the numbers stay as they are.
      const using = jest
        .spyOn(FileCache.prototype, 'using')
        .mockRejectedValue(new DomainError('service_unavailable', { public: 'The file is gone.' }));
      try {
        await world.graphql(key, move, { a: alertId, i: null });
        expect(using).toHaveBeenCalled();
      } finally {
        using.mockRestore();
      }
      expect(await list(`/incidents/${incidentId}`, key)).toMatchObject({ rowsRead: 7_500 });
      await world.graphql(key, move, { a: alertId, i: incidentId });
      // One event comes late, and stays a row beside the file.
      await tenant.ingest([read(15, 20)]);
      await until(incident, (one) => one?.rowsRead !== 7_500);
      expect(await incident()).toMatchObject({ rowsRead: 7_520 });
    },
  );

  it('is told of events whose week went into a file before the rules looked at them', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const key = await keyOf(tenant);
    const looking = jest.spyOn(Detector.prototype, 'run').mockResolvedValue(0);
    try {
      await tenant.ingest([...guessed(), by('sa', 12, MADE), by('sa', 13, GRANTED)]);
      const { answer } = await until(
        () => run('archive', 'run', tenant.tenantId, '--week', WEEK),
        ({ answer: { outcome } }) => outcome !== 'waits',
      );
      expect(answer.outcome).toBe('sealed');
      expect(await list('/alerts', key)).toEqual([]);
    } finally {
      looking.mockRestore();
    }
    const [one] = await until(
      () => list('/incidents', key),
      ([incident]) => incident?.alertCount >= 5,
    );
    expect(one.title).toBe('203.0.113.66 guessed sa → svc2 sysadmin');
    const { entities } = await list(`/incidents/${one.incidentId}`, key);
    expect(entities.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['sa', '203.0.113.66', 'KALI', 'svc2']),
    );
  });
});
