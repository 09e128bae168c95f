import { NetworkGuard } from '../../../src/delivery/network-guard';
import { openSender } from '../../../src/modules/destinations/senders/open-sender';
import type { DestinationType } from '../../../src/modules/destinations/types';
import { type Received, Receiver } from '../support/receiver';

const item = {
  position: 1,
  recordId: 'r',
  time: '2026-01-05T08:00:00Z',
  actionId: 'SL',
  succeeded: true,
  hostName: null,
  json: '{"statement":"SELECT 1"}',
};
const BATCH = { id: 'msg_1', tenantId: 1, epoch: '', mark: '', from: 1, to: 3, items: [item, item] };
const SECRET = 'v3ry/s3cr3t+"t0k3n"';
const BASE64 = (text: string) => Buffer.from(text).toString('base64');

const ROWS: readonly (readonly [DestinationType, object, object])[] = [
  ['webhook', {}, { headers: { 'X-Token': SECRET, Authorization: `Basic ${BASE64(`ann:${SECRET}`)}` } }],
  ['webhook', {}, { query: `?sig=${encodeURIComponent(SECRET)}` }],
  ['splunk-hec', {}, { token: SECRET }],
  ['elasticsearch', { index: 'i' }, { apiKey: SECRET }],
  ['elasticsearch', { index: 'i' }, { username: 'ann', password: SECRET }],
  [
    's3',
    { bucket: 'b', region: 'r', prefix: '' },
    { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: SECRET },
  ],
];

describe.each(ROWS)('a receiver of %s', (type, settings, secrets) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.open();
  });
  afterAll(() => receiver.close());

  const heard = ({ path, headers }: Received) => {
    const { authorization, 'x-token': token, 'x-amz-security-token': session } = headers;
    const logins = JSON.stringify({ authorization, token, session });
    const [, query = ''] = path.split('?');
    return [query, decodeURIComponent(query), logins, BASE64(logins)].join(' ');
  };
  const send = async (answer: (request: Received) => { readonly status: number; readonly body: string }) => {
    receiver.answers = answer;
    const sender = openSender(type, { url: receiver.url, ...settings }, secrets, {
      guard: new NetworkGuard(['127.0.0.1']),
      nowMs: Date.now,
    });
    const outcome = await sender.send(BATCH, new AbortController().signal);
    sender.close();
    return JSON.stringify(outcome);
  };
  const expectNoSecret = (text: string) => {
    expect(text).toContain('***');
    expect(text).not.toContain('s3cr3t');
    const runs = text.split(/[^\w+/-]+/).flatMap((run) => [0, 1, 2, 3].map((skip) => run.slice(skip)));
    expect(runs.map((run) => Buffer.from(run, 'base64').toString('latin1')).join()).not.toMatch(
      /s3cr3t|t0k3n/,
    );
  };

  it.each([401, 410, 422, 500])('that repeats the request with %i gives no secret away', async (status) => {
    expectNoSecret(await send((request) => ({ status, body: heard(request) })));
  });

  if (type === 'elasticsearch')
    it('that repeats it beside an event gives no secret away', async () => {
      const refused = (request: Received) => ({ create: { status: 400, error: { reason: heard(request) } } });
      const body = (request: Received) =>
        JSON.stringify({ items: [{ create: { status: 201 } }, refused(request)] });
      expectNoSecret(await send((request) => ({ status: 200, body: body(request) })));
    });
});
