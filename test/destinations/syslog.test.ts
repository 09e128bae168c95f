import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { change, createDestination, LOCAL, shown, untilShown } from './support/destinations';
import { describeWithRsyslog, Rsyslog } from './support/rsyslog';

const HEAD = /^<(\d+)>1 (\S+) (\S+) (\S+) - (\S+) - (\{.*\})$/;

describeWithRsyslog('a real rsyslog', () => {
  const use = useWorld(ANY_ENGINE, LOCAL);
  let rsyslog: Rsyslog;
  beforeAll(async () => {
    rsyslog = await Rsyslog.open();
  });
  afterAll(() => rsyslog.close());

  const WAYS = [
    ['syslog', 'tls'],
    ['relp', 'relp+tls'],
    ['relp', 'relp'],
  ] as const;
  const portOf = (protocol: (typeof WAYS)[number][1]) =>
    ({ tls: rsyslog.ports.tls, 'relp+tls': rsyslog.ports.relpTls, relp: rsyslog.ports.relp })[protocol];

  it.each(WAYS)('gets each event once, in order and whole, as %s over %s', async (type, protocol) => {
    const tenant = await use.world.tenant();
    const marker = `${type} ${protocol} é漢 ${'x'.repeat(40_000)}`;
    const statements = [...Array.from({ length: 300 }, (_, i) => `SELECT ${i}`), marker, 'line\nbreak'];
    await tenant.ingest(statements.map((statement, i) => anEvent({ statement, succeeded: i !== 1 })));
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type,
      url: `${protocol}://127.0.0.1:${portOf(protocol)}`,
      settings: protocol === 'relp' ? {} : { ca: rsyslog.certificate },
      secrets:
        protocol === 'relp+tls' ? { clientCertificate: rsyslog.certificate, clientKey: rsyslog.key } : {},
    });
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === statements.length);
    const own = async () =>
      (await rsyslog.messages())
        .map((line) => HEAD.exec(line))
        .filter((match) => match && JSON.parse(match[6] ?? '').tenantId === tenant.tenantId);
    const came = await until(own, ({ length }) => length >= statements.length);
    expect(came.map((match) => JSON.parse(match?.[6] ?? '').statement)).toEqual(statements);
    const [first, second] = came;
    expect(first?.slice(1, 6)).toEqual([
      ...['110', expect.stringMatching(/^2026-01-05T08:00:00\.\d{6}Z$/), 'SQLPROD01', 'audit-activity', 'SL'],
    ]);
    expect(second?.[1]).toBe('108');
  });

  it('gets the remaining events when it is back after an outage', async () => {
    const tenant = await use.world.tenant();
    await rsyslog.stop();
    await tenant.ingest([anEvent(), anEvent()]);
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type: 'relp',
      url: `relp://127.0.0.1:${rsyslog.ports.relp}`,
    });
    await untilShown(use.world, destinationId, ({ attempts }) => attempts > 0);
    await rsyslog.startAgain();
    await change(use.world, 'resumeDestination', destinationId);
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 2);
  });

  it('gets nothing when its certificate is not trusted', async () => {
    const tenant = await use.world.tenant();
    await tenant.audited();
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type: 'syslog',
      url: `tls://127.0.0.1:${rsyslog.ports.tls}`,
    });
    await untilShown(use.world, destinationId, ({ attempts }) => attempts > 0);
    expect((await shown(use.world, destinationId)).lastError).toMatch(/self-signed|certificate/);
  });
});
