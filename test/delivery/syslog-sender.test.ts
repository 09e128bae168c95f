import { type AddressInfo, createServer } from 'node:net';
import { NetworkGuard } from '../../src/delivery/network-guard';
import { SYSLOG_SEVERITY } from '../../src/delivery/syslog-message';
import { openSender } from '../../src/modules/destinations/senders/open-sender';

const item = {
  position: 1,
  recordId: 'r',
  time: '2026-01-05T08:00:00Z',
  actionId: 'SL',
  succeeded: true,
  hostName: null,
  json: '{"user":"eve\u2028\u202e\u0085"}',
};
const BATCH = {
  id: 'msg_1',
  tenantId: 1,
  epoch: '',
  mark: '',
  from: 1,
  to: 2,
  items: [item, { ...item, succeeded: false }, { ...item, severity: SYSLOG_SEVERITY.error }],
};
const SIGNAL = new AbortController().signal;

it('a batch and an alert that are sent at the same time go one after the other on one connection', async () => {
  const commands: string[] = [];
  const texts: string[] = [];
  let connections = 0;
  const receiver = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      texts.push(bytes.toString('utf8'));
      for (const [, number, command] of bytes.toString('utf8').matchAll(/^(\d+) (open|syslog) /gm)) {
        commands.push(String(command));
        socket.write(`${number} rsp 6 200 OK\n`);
      }
    });
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const { port } = receiver.address() as AddressInfo;
  const sender = openSender(
    'relp',
    { url: `relp://127.0.0.1:${port}`, appName: 'x' } as { readonly url: string },
    {},
    { guard: new NetworkGuard(['127.0.0.1']), nowMs: Date.now },
  );
  const outcomes = await Promise.all([sender.send(BATCH, SIGNAL), sender.send(BATCH, SIGNAL)]);
  expect(outcomes).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }]);
  // Nobody can forge a line: characters that end a line or turn text are escaped.
  expect(texts.slice(1).every((text) => text.endsWith(' - {"user":"eve\\u2028\\u202e\\u0085"}\n'))).toBe(
    true,
  );
  const sent = Array<string>(2 * BATCH.items.length).fill('syslog');
  expect([connections, commands]).toEqual([1, ['open', ...sent]]);
  const priorities = [...texts.join('').matchAll(/<(\d+)>1 /g)].map(([, priority]) => Number(priority));
  // A success, a failure, and a message with a severity of its own.
  expect(priorities).toEqual([110, 108, 107, 110, 108, 107]);
  sender.close();
  await new Promise((done) => receiver.close(done));
});
