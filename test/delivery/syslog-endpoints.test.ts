import type { Endpoint } from '../../src/delivery/guarded-socket';
import { NetworkGuard } from '../../src/delivery/network-guard';
import { openSender } from '../../src/modules/destinations/senders/open-sender';

const asked: Endpoint[] = [];
jest.mock('../../src/delivery/guarded-socket', () => ({
  openSocket: async (_guard: object, endpoint: Endpoint) => {
    asked.push(endpoint);
    throw new Error('not opened');
  },
}));

const TLS = { ca: 'ca', cert: 'cert', key: 'key' };
const item = { position: 1, recordId: 'r', time: '2026-01-05T08:00:00Z', actionId: 'SL' };
const BATCH = {
  ...{ id: 'msg_1', tenantId: 1, epoch: '', mark: '', from: 1, to: 2 },
  items: [{ ...item, succeeded: true, hostName: null, json: '{}' }],
};

it.each([
  ['syslog', 'tls://siem.example', { host: 'siem.example', port: 6514, tls: TLS }],
  ['syslog', 'tls://[2001:db8::1]:1514', { host: '2001:db8::1', port: 1514, tls: TLS }],
  ['relp', 'relp+tls://siem.example', { host: 'siem.example', port: 20514, tls: TLS }],
  ['relp', 'relp+tls://siem.example:2514', { host: 'siem.example', port: 2514, tls: TLS }],
  ['relp', 'relp://siem.example', { host: 'siem.example', port: 20514, tls: null }],
] as const)('%s connects to %s', async (type, url, endpoint) => {
  asked.length = 0;
  const sender = openSender(
    type,
    { url, appName: 'x', ca: TLS.ca } as { readonly url: string },
    { clientCertificate: TLS.cert, clientKey: TLS.key } as object,
    { guard: new NetworkGuard([]), nowMs: Date.now },
  );
  expect(await sender.send(BATCH, new AbortController().signal)).toEqual({
    kind: 'failed',
    message: 'not opened',
  });
  expect(asked).toEqual([endpoint]);
});
