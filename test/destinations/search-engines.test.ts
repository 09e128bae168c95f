import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { change, createDestination, LOCAL, shown, untilShown } from './support/destinations';
import { Receiver } from './support/receiver';
import { StrictBulk } from './support/strict-bulk';
import { StrictSplunk } from './support/strict-splunk';

describe('a destination of type', () => {
  const use = useWorld(ANY_ENGINE, LOCAL);
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.open();
  });
  afterEach(() => receiver.close());
  const statements = (n: number) =>
    Array.from({ length: n }, (_, i) => anEvent({ statement: `SELECT ${i}` }));

  it('splunk-hec sends events with their time, host, index and source type', async () => {
    const splunk = new StrictSplunk('hec-token', false);
    receiver.answers = (request) => splunk.answer(request);
    const tenant = await use.world.tenant();
    await tenant.ingest([anEvent({ eventTime: '2026-01-05T08:00:00.1234567Z' })]);
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type: 'splunk-hec',
      url: receiver.url,
      settings: { index: 'audit' },
      secrets: { token: 'hec-token' },
    });
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 1);
    expect(splunk.events).toMatchObject([
      {
        time: 1_767_600_000.123,
        host: 'SQLPROD01',
        index: 'audit',
        sourcetype: 'audit_activity',
        event: { position: '0' },
      },
    ]);
  });

  it('splunk-hec with indexer acknowledgement counts a batch as delivered only when Splunk has indexed it', async () => {
    const splunk = new StrictSplunk('hec-token', true);
    splunk.isIndexed = false;
    receiver.answers = (request) => splunk.answer(request);
    const tenant = await use.world.tenant();
    await tenant.ingest(statements(3));
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type: 'splunk-hec',
      url: receiver.url,
      settings: { acknowledge: true },
      secrets: { token: 'hec-token' },
    });
    const polls = () => receiver.requests.filter(({ path }) => path.includes('/ack'));
    await until(polls, ({ length }) => length > 1);
    expect((await shown(use.world, destinationId)).delivered).toBe(0);
    splunk.isIndexed = true;
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 3);
    expect(splunk.events.map(({ event }) => event.position)).toEqual(['0', '1', '2']);
  });

  it('splunk-hec whose token is refused sets nothing aside, and shows the error', async () => {
    const splunk = new StrictSplunk('another', true);
    receiver.answers = (request) => splunk.answer(request);
    const tenant = await use.world.tenant();
    await tenant.ingest(statements(2));
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type: 'splunk-hec',
      url: receiver.url,
      secrets: { token: 'hec-token' },
    });
    const one = await untilShown(use.world, destinationId, ({ attempts }) => attempts > 0);
    expect(one).toMatchObject({ setAside: 0, lastError: expect.stringContaining('Invalid token') });
  });

  it('elasticsearch stores each event once, however often it is sent', async () => {
    const bulk = new StrictBulk('audit-activity', 'ApiKey key');
    receiver.answers = (request) => bulk.answer(request);
    const tenant = await use.world.tenant();
    await tenant.ingest(statements(20));
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type: 'elasticsearch',
      url: receiver.url,
      settings: { index: 'audit-activity' },
      secrets: { apiKey: 'key' },
    });
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 20);
    await change(use.world, 'replayDestination', destinationId, ', from: "beginning"');
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 40);
    expect([...bulk.documents.values()].map(({ position }) => position)).toEqual(
      [...Array(20).keys()].map(String),
    );
  });

  it('elasticsearch sends a batch again when some events cannot be stored now, and sets nothing aside', async () => {
    const bulk = new StrictBulk('audit-activity', 'ApiKey key');
    const answers = [403, 404, 503, 401];
    bulk.refuses = ({ statement }) => {
      const status = statement === 'SELECT 3' ? answers[0] : undefined;
      return status === undefined ? null : { status, type: 'cluster_block_exception' };
    };
    receiver.answers = (request) => {
      const reply = bulk.answer(request);
      answers.shift();
      return reply;
    };
    const tenant = await use.world.tenant();
    await tenant.ingest(statements(5));
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type: 'elasticsearch',
      url: receiver.url,
      settings: { index: 'audit-activity' },
      secrets: { apiKey: 'key' },
    });
    for (let tries = 1; tries <= 4; tries++) {
      await untilShown(use.world, destinationId, ({ failures }) => failures >= tries);
      await change(use.world, 'resumeDestination', destinationId);
    }
    await untilShown(use.world, destinationId, ({ lagEvents }) => lagEvents === 0);
    expect(await shown(use.world, destinationId)).toMatchObject({ setAside: 0, delivered: 5 });
    expect(bulk.documents.size).toBe(5);
  });

  it('elasticsearch sets the events aside that are refused for good, and waits while Elasticsearch is busy', async () => {
    const bulk = new StrictBulk('audit-activity', `Basic ${Buffer.from('u:p').toString('base64')}`);
    let isBusy = true;
    bulk.refuses = ({ statement }) => {
      if (isBusy && statement === 'SELECT 3') return { status: 429, type: 'es_rejected_execution_exception' };
      return statement === 'SELECT 7' ? { status: 400, type: 'document_parsing_exception' } : null;
    };
    receiver.answers = (request) => bulk.answer(request);
    const tenant = await use.world.tenant();
    await tenant.ingest(statements(10));
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      type: 'elasticsearch',
      url: receiver.url,
      settings: { index: 'audit-activity' },
      secrets: { username: 'u', password: 'p' },
    });
    await untilShown(use.world, destinationId, ({ attempts }) => attempts > 0);
    isBusy = false;
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 9);
    expect(await shown(use.world, destinationId)).toMatchObject({ setAside: 1, lagEvents: 0 });
    expect(bulk.documents.size).toBe(9);
  });
});
