import { Readable } from 'node:stream';
import timers from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { NetworkGuard } from '../../../src/delivery/network-guard';
import { newSigningSecret } from '../../../src/delivery/standard-webhooks';
import type { Item } from '../../../src/modules/destinations/batch';
import { openSender } from '../../../src/modules/destinations/senders/open-sender';
import { messageItem, testItem } from '../../../src/modules/destinations/to-item';
import type { DestinationType } from '../../../src/modules/destinations/types';
import { type Received, Receiver, type Reply } from '../support/receiver';

const NOW_MS = Date.parse('2026-01-05T08:00:00Z');
const itemAt = (position: number, change: Partial<Item> = {}): Item => ({
  position,
  recordId: `record ${position}`,
  time: '2026-01-05T07:00:00.1234567Z',
  actionId: 'SL',
  succeeded: true,
  hostName: 'SQL01',
  json: JSON.stringify({ n: position }),
  ...change,
});
const BATCH = {
  id: 'msg_1',
  tenantId: 7,
  epoch: '6925a1b0c3d4e5f6',
  mark: '9f86d081884c7d65',
  from: 4,
  to: 7,
  items: [itemAt(4), itemAt(5, { hostName: null }), itemAt(6)],
};

describe('a sender', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.open();
  });
  afterEach(() => receiver.close());

  const send = async (
    type: DestinationType,
    { settings = {}, secrets = {}, path = '' }: { settings?: object; secrets?: object; path?: string },
    replies: Reply[] = [],
    batch: typeof BATCH = BATCH,
  ) => {
    receiver.answers = () => replies.shift() ?? {};
    const sender = openSender(type, { url: receiver.url + path, ...settings }, secrets, {
      guard: new NetworkGuard(['127.0.0.1']),
      nowMs: () => NOW_MS,
    });
    const outcome = await sender.send(batch, new AbortController().signal);
    sender.close();
    return outcome;
  };
  const body = (i = 0) => receiver.requests[i]?.body.toString('utf8') ?? '';

  describe('of webhooks', () => {
    const [current, former, ended] = ['v1', 'v1', 'v1'].map(() => newSigningSecret('v1')) as [
      string,
      string,
      string,
    ];
    const later = (seconds: number) => new Date(NOW_MS + seconds * 1_000).toISOString();

    it('signs with the current secret and with those whose overlap has not ended', async () => {
      const signing = [
        { secret: current },
        { secret: former, until: later(1) },
        { secret: ended, until: later(0) },
      ];
      const secrets = { signing, query: '?token=abcd', headers: { 'X-A': 'b' } };
      await send('webhook', { settings: { encoding: 'json' }, secrets, path: '/hook' });
      const [{ path, headers, method }] = receiver.requests as [Received];
      expect([method, path, headers['x-a']]).toEqual(['POST', '/hook?token=abcd', 'b']);
      expect(headers).toMatchObject({
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(NOW_MS / 1_000),
        'content-type': 'application/json',
      });
      expect(JSON.parse(body())).toEqual([{ n: 4 }, { n: 5 }, { n: 6 }]);
      const isBy = (secret: string) => {
        try {
          // The library refuses messages that are not of now.
          jest.useFakeTimers({ now: NOW_MS });
          new Webhook(secret).verify(body(), headers as Record<string, string>);
          return true;
        } catch {
          return false;
        } finally {
          jest.useRealTimers();
        }
      };
      expect([current, former, ended].map(isBy)).toEqual([true, true, false]);
    });

    it('sends lines of JSON where that is asked for, and its own headers come before given ones', async () => {
      const headers = { 'Content-Type': 'text/plain', 'webhook-id': 'x' };
      await send('webhook', { settings: { encoding: 'ndjson' }, secrets: { headers } });
      expect(receiver.requests[0]?.headers).toMatchObject({
        'content-type': 'application/x-ndjson',
        'webhook-id': 'msg_1',
      });
      expect(body()).toBe('{"n":4}\n{"n":5}\n{"n":6}\n');
    });

    it('sends lines of text as texts of JSON, or as plain text', async () => {
      const items = ['CEF:0|a "b"', 'CEF:0|c'].map((line, i) =>
        itemAt(i, { line, json: JSON.stringify(line) }),
      );
      await send('webhook', { settings: { encoding: 'json' } }, [], { ...BATCH, items });
      expect(JSON.parse(body())).toEqual(['CEF:0|a "b"', 'CEF:0|c']);
      await send('webhook', { settings: { encoding: 'ndjson' } }, [], { ...BATCH, items });
      expect(body(1)).toBe('CEF:0|a "b"\nCEF:0|c\n');
      expect(receiver.requests[1]?.headers['content-type']).toBe('text/plain; charset=utf-8');
    });
  });

  describe('of Splunk', () => {
    const settings = { index: 'audit', source: 'x', sourcetype: 'audit_activity', acknowledge: false };
    const secrets = { token: 'hec-token' };

    it('sends events with their time in seconds, and the host where there is one', async () => {
      expect(await send('splunk-hec', { settings, secrets })).toEqual({ kind: 'accepted' });
      expect(receiver.requests[0]).toMatchObject({
        path: '/services/collector/event',
        headers: { authorization: 'Splunk hec-token' },
      });
      const common = { time: 1_767_596_400.123, sourcetype: 'audit_activity', source: 'x', index: 'audit' };
      expect(
        body()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual([
        { ...common, host: 'SQL01', event: { n: 4 } },
        { ...common, event: { n: 5 } },
        { ...common, host: 'SQL01', event: { n: 6 } },
      ]);
    });

    it.each([
      [400, 6, 'refused'],
      [400, 7, 'failed'],
      [400, 10, 'failed'],
      [400, 11, 'failed'],
      [400, 14, 'failed'],
      [403, 4, 'failed'],
      [503, 9, 'failed'],
    ])('takes %i with the code %i for events that are %s', async (status, code, kind) => {
      const answer = { status, body: JSON.stringify({ text: 'no', code }) };
      expect(await send('splunk-hec', { settings, secrets }, [answer])).toMatchObject({ kind });
    });

    it('asks for the acknowledgement of the same channel, below a path that names the collector', async () => {
      const replies = ['{"ackId":3}', '{"acks":{"3":false}}', '{"acks":{"3":true}}'].map((body) => ({
        body,
      }));
      const asked = {
        settings: { ...settings, acknowledge: true },
        secrets,
        path: '/x/services/collector/raw',
      };
      expect(await send('splunk-hec', asked, replies)).toEqual({ kind: 'accepted' });
      const [sent, ack] = receiver.requests;
      const channel = sent?.headers['x-splunk-request-channel'];
      expect(channel).toMatch(/^[0-9a-f-]{36}$/);
      expect([sent?.path, ack?.path]).toEqual([
        '/x/services/collector/event',
        `/x/services/collector/ack?channel=${channel}`,
      ]);
      expect([body(1), body(2)]).toEqual(['{"acks":[3]}', '{"acks":[3]}']);
    });

    it('asks for the acknowledgement less and less often, and for no more than a minute', async () => {
      const asked = { settings: { ...settings, acknowledge: true }, secrets };
      const waits: unknown[] = [];
      let elapsed = 0;
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => elapsed);
      const wait = jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms) => {
        waits.push(ms);
        elapsed += Number(ms);
      });
      const never = Array.from({ length: 40 }, () => ({ body: '{"acks":{"3":false}}' }));
      const outcome = await send('splunk-hec', asked, [{ body: '{"ackId":3}' }, ...never]);
      clock.mockRestore();
      wait.mockRestore();
      expect(outcome).toEqual({ kind: 'failed', message: 'not acknowledged within 60 seconds' });
      expect(waits.slice(0, 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
      expect(elapsed).toBeGreaterThanOrEqual(60_000);
      expect(elapsed).toBeLessThan(65_000);
    });

    it('fails if the token does not acknowledge, or does not know the number', async () => {
      const asked = { settings: { ...settings, acknowledge: true }, secrets };
      expect(await send('splunk-hec', asked, [{ body: '{}' }])).toMatchObject({
        kind: 'failed',
        message: expect.stringContaining('the token does not acknowledge'),
      });
      expect(await send('splunk-hec', asked, [{ body: '{"ackId":3}' }, { status: 400 }])).toMatchObject({
        kind: 'failed',
        message: 'no acknowledgement: HTTP 400',
      });
    });
  });

  describe('of Elasticsearch', () => {
    const asked = { settings: { index: 'a b', pipeline: 'p/q' }, secrets: { apiKey: 'key0' }, path: '/es/' };
    const item = (status: number, reason = 'why') => ({
      create: { status, error: { type: 'kind', reason } },
    });
    const bulk = (...items: object[]): Reply => ({ body: JSON.stringify({ items }) });

    it('creates each event under its record id', async () => {
      expect(await send('elasticsearch', asked, [bulk(item(201), item(200), item(409))])).toEqual({
        kind: 'accepted',
      });
      const url = new URL(receiver.requests[0]?.path ?? '', 'http://x');
      expect([url.pathname, url.searchParams.get('pipeline')]).toEqual(['/es/a%20b/_bulk', 'p/q']);
      expect(receiver.requests[0]?.headers).toMatchObject({ authorization: 'ApiKey key0' });
      expect(body().split('\n').slice(0, 2)).toEqual(['{"create":{"_id":"record 4"}}', '{"n":4}']);
      expect(body().endsWith('\n')).toBe(true);
    });

    it.each<[string, Reply, object]>([
      [
        'some events are bad',
        bulk(item(201), item(400), item(409)),
        {
          kind: 'accepted',
          refused: [{ index: 1, message: '400 kind why' }],
        },
      ],
      [
        'all events are bad',
        bulk(item(400), item(422), item(413)),
        { kind: 'refused', message: '400 kind why' },
      ],
      [
        'one event cannot be stored now',
        bulk(item(201), item(400), item(429)),
        {
          kind: 'failed',
          message: '_bulk: 429 kind why',
        },
      ],
      [
        'an answer is missing',
        bulk(item(201), item(201)),
        { kind: 'failed', message: 'the answer is not that of _bulk' },
      ],
      [
        'there is an answer too many',
        bulk(item(201), item(201), item(201), item(201)),
        { kind: 'failed', message: 'the answer is not that of _bulk' },
      ],
      [
        'the answer is no JSON',
        { body: 'hello' },
        { kind: 'failed', message: 'the answer is not that of _bulk' },
      ],
      ['the index is missing', { status: 404, body: 'x' }, { kind: 'failed', message: 'HTTP 404: x' }],
    ])('says so if %s', async (_, reply, outcome) => {
      expect(await send('elasticsearch', asked, [reply])).toEqual(outcome);
    });
  });

  describe('of object stores', () => {
    const settings = { bucket: 'buck', region: 'r1', prefix: "it's/" };
    const secrets = { accessKeyId: 'AKIA', secretAccessKey: 'secret', sessionToken: 'session' };
    const pathOf = async (batch: object) => {
      await send('s3', { settings, secrets, path: '/' }, [], { ...BATCH, ...batch });
      return receiver.requests.at(-1)?.path;
    };

    it('names an object by tenant, epoch, first and last position, and last entry', async () => {
      const named =
        '/buck/it%27s/tenant-7/6925a1b0c3d4e5f6/000000000000004-000000000000006-9f86d081.ndjson.gz';
      expect(await pathOf({})).toBe(named);
      expect(receiver.requests[0]?.method).toBe('PUT');
      expect(gunzipSync(receiver.requests[0]?.body ?? '').toString()).toBe('{"n":4}\n{"n":5}\n{"n":6}\n');
      const lines = { items: [itemAt(4, { line: 'CEF:0|a' })] };
      expect(await pathOf(lines)).toBe(named.replace('ndjson', 'cef'));
      expect(gunzipSync(receiver.requests.at(-1)?.body ?? '').toString()).toBe('CEF:0|a\n');
      expect(await pathOf({ epoch: '' })).toBe(named.replace('6925a1b0c3d4e5f6/', ''));
      const message = messageItem(
        { id: 'alert_1', at: new Date(NOW_MS), severity: 3, content: {} },
        'native',
      );
      expect(await pathOf({ id: 'alert_1', items: [message] })).toBe(
        '/buck/it%27s/tenant-7/alert_1.ndjson.gz',
      );
    });

    it('stores a file under its own name, and tells none of its secrets where that fails', async () => {
      const open = (type: DestinationType, of: object) =>
        openSender(type, { url: receiver.url, ...of }, secrets as object, {
          guard: new NetworkGuard(['127.0.0.1']),
          nowMs: () => NOW_MS,
        });
      const sender = open('s3', settings);
      const file = { name: 'run.pdf', mediaType: 'application/pdf', bytes: 3, sha256: 'ab'.repeat(32) };
      const put = (tenantId: number, content: () => Readable) =>
        sender.put?.(tenantId, { ...file, open: content }, new AbortController().signal);
      const text = () => Readable.from([Buffer.from('pdf')]);
      receiver.answers = ({ path }) =>
        path.includes('tenant-8') ? { status: 403, body: 'no session for AKIA' } : {};
      expect(await put(7, text)).toEqual({ kind: 'accepted' });
      expect(receiver.requests[0]).toMatchObject({
        method: 'PUT',
        path: '/buck/it%27s/tenant-7/run.pdf',
        headers: { 'content-type': 'application/pdf', 'content-length': '3' },
      });
      expect(body()).toBe('pdf');
      const refused = await put(8, text);
      expect(refused).toMatchObject({ kind: 'failed', message: expect.stringContaining('HTTP 403') });
      expect(JSON.stringify(refused)).not.toMatch(/session|AKIA/);
      const broken = await put(7, () => {
        throw new Error('no file');
      });
      expect(broken).toEqual({ kind: 'failed', message: 'no file' });
      sender.close();
      expect(open('webhook', {}).put).toBeUndefined();
    });

    it('signs every header of its request that starts with x-amz-, and the host', async () => {
      await pathOf({});
      const { authorization = '', ...headers } = receiver.requests[0]?.headers ?? {};
      const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';');
      expect(signed).toEqual([
        'host',
        ...Object.keys(headers)
          .filter((name) => name.startsWith('x-amz-'))
          .sort(),
      ]);
      expect(headers['x-amz-security-token']).toBe('session');
      expect(authorization).toContain('Credential=AKIA/20260105/r1/s3/aws4_request');
    });

    it.each([
      [400, 'EntityTooLarge', 'refused'],
      [413, '', 'refused'],
      [400, 'RequestTimeTooSkewed', 'failed'],
      [422, '', 'failed'],
    ])('takes %i %s for an object that is %s', async (status, code, kind) => {
      expect(await send('s3', { settings, secrets }, [{ status, body: code }])).toMatchObject({ kind });
    });
  });
});

describe('items that are not events of the log', () => {
  it('are marked: a test in each format, and an alert with its severity', () => {
    expect(testItem(7, 'cef', new Date(NOW_MS))).toMatchObject({
      line: expect.stringMatching(/^CEF:0\|.*\|TEST\|TEST\|3\|.* msg=A test of this destination/),
    });
    for (const format of ['native', 'ocsf', 'ecs'] as const) {
      const item = testItem(7, format, new Date(NOW_MS));
      expect(item).toMatchObject({ position: null, actionId: 'TEST', succeeded: true, hostName: null });
      expect(JSON.parse(item.json)).toMatchObject({
        test: true,
        position: null,
        receivedAt: '2026-01-05T08:00:00.000Z',
      });
    }
    expect(
      messageItem({ id: 'alert_1', at: new Date(NOW_MS), severity: 3, content: { a: 1 } }, 'native'),
    ).toEqual({
      position: null,
      recordId: 'alert_1',
      time: '2026-01-05T08:00:00.000Z',
      actionId: 'ALERT',
      succeeded: true,
      hostName: null,
      severity: 3,
      json: '{"a":1}',
    });
    const alert = { id: 'alert_1', at: new Date(NOW_MS), severity: 3, content: { a: 'b=c' } } as const;
    expect(messageItem(alert, 'cef').line).toBe(
      `CEF:0|Audit Activity|Audit Activity|1|ALERT|Alert|8|rt=${NOW_MS} externalId=alert_1 msg={"a":"b\\=c"}`,
    );
    const report = { ...alert, kind: 'REPORT', severity: 5 } as const;
    expect(messageItem(report, 'native').actionId).toBe('REPORT');
    expect(messageItem(report, 'cef').line).toContain('|REPORT|Report|4|');
    // From critical to informational, as syslog counts.
    const severities = ([2, 3, 4, 5, 6] as const).map(
      (severity) => messageItem({ ...alert, severity }, 'cef').line?.split('|')[6],
    );
    expect(severities).toEqual(['10', '8', '6', '4', '2']);
  });
});
