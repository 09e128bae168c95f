import { type AddressInfo, createServer } from 'node:net';
import { GuardedHttp } from '../../src/delivery/guarded-http';
import { NetworkGuard, RefusedAddress } from '../../src/delivery/network-guard';
import { Receiver } from './support/receiver';

const resolvingTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const PUBLIC = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'];
const SPECIAL = [
  ...[
    '127.0.0.1',
    '127.255.0.9',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
  ],
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192', '198.18.0.1'],
  ...[
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '64:ff9b::7f00:1',
  ],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '::127.0.0.1',
  ],
];
/** The first and the last address of each special range. The addresses beside them are public. */
const RANGES = [
  ...[
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.31.196.0', '192.31.196.255'],
  ],
  ...[
    ['192.52.193.0', '192.52.193.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
  ],
  ...[
    ['192.175.48.0', '192.175.48.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
  ],
  ...[
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '255.255.255.255'],
    ['0.0.0.0', '0.255.255.255'],
  ],
  ...[
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
  ],
  ...[
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['168.63.129.16', '168.63.129.16'],
  ],
] as const;
const RANGES_V6 = [
  ...[['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::']],
  ...[['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::']],
  ...[['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::']],
  ...[['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::']],
  ...[['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::']],
  ...[
    ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
    ['4000::', 'ffff::', '3ffe::'],
  ],
] as const;
/** The address that is so many addresses further on. */
const beside = (address: string, by: number) => {
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + by;
  return [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join('.');
};
const BODY = { method: 'POST', headers: {}, body: Buffer.from('{}') } as const;

describe('the guard of networks', () => {
  it.each(SPECIAL)('refuses %s, as an address and behind a name', async (address) => {
    await expect(new NetworkGuard([]).addressesOf(address, false)).rejects.toThrow(RefusedAddress);
    const named = new NetworkGuard([], resolvingTo(address));
    await expect(named.addressesOf('innocent.example', false)).rejects.toThrow(RefusedAddress);
  });

  it.each([...PUBLIC, '::ffff:93.184.215.14'])('lets %s pass, but only with encryption', async (address) => {
    const guard = new NetworkGuard([], resolvingTo(address));
    expect(await guard.addressesOf('example.com', false)).toMatchObject([{ address }]);
    await expect(guard.addressesOf('example.com', true)).rejects.toThrow('without encryption');
  });

  it('refuses special ranges from their first to their last address, and no address beside them', async () => {
    const guard = new NetworkGuard([]);
    const isOpen = (address: string) =>
      guard.addressesOf(address, false).then(
        () => true,
        () => false,
      );
    for (const [first, last] of RANGES) {
      const outside = [
        first === '0.0.0.0' ? '1.0.0.0' : beside(first, -1),
        last === '255.255.255.255' ? '1.1.1.1' : beside(last, 1),
      ];
      expect([first, await isOpen(first), await isOpen(last)]).toEqual([first, false, false]);
      for (const address of outside) expect([address, await isOpen(address)]).toEqual([address, true]);
    }
    for (const [first, last, outside] of RANGES_V6)
      expect([first, await isOpen(first), await isOpen(last), await isOpen(outside)]).toEqual([
        first,
        false,
        false,
        true,
      ]);
  });

  it('repeats a request once if the receiver had closed a kept connection, and no request else', async () => {
    const receiver = await Receiver.open();
    const http = new GuardedHttp(new NetworkGuard(['127.0.0.1']));
    const send = (path: string) => http.send({ ...BODY, url: receiver.url + path });
    const cut = new Set(['/second']);
    receiver.answers = ({ path }) =>
      path === '/never' ? { isCut: true } : cut.delete(path) ? { isCut: true } : {};
    await send('/first');
    expect(await send('/second')).toMatchObject({ status: 200 });
    await expect(send('/never')).rejects.toThrow();
    await expect(send('/never')).rejects.toThrow();
    expect(receiver.requests.map(({ path }) => path)).toEqual([
      ...['/first', '/second', '/second'],
      // The first attempt was on the kept connection, and the next one is not.
      ...['/never', '/never', '/never'],
    ]);
    http.close();
    await receiver.close();
  });

  it('lets allowed networks pass, and keeps only the allowed addresses of a name', async () => {
    const guard = new NetworkGuard(
      ['10.20.0.0/16', '::1/128'],
      resolvingTo('10.0.0.1', '10.20.3.4', '127.0.0.1', '::1'),
    );
    const open = await guard.addressesOf('inner.example', true);
    expect(open.map(({ address }) => address)).toEqual(['10.20.3.4', '::1']);
  });

  it.each([
    ...[
      'http://127.0.0.1',
      'http://127.1',
      'http://2130706433',
      'http://0x7f.0.0.1',
      'http://0177.0.0.1',
      'http://[::1]',
    ],
    ...['http://[::ffff:127.0.0.1]', 'http://localhost', 'http://0'],
  ])('sends no request to %s', async (base) => {
    const receiver = await Receiver.open();
    const http = new GuardedHttp(new NetworkGuard([]));
    try {
      const url = `${base}:${new URL(receiver.url).port}/`;
      await expect(http.send({ ...BODY, url })).rejects.toThrow('DESTINATION_ALLOW_NETWORKS');
      expect(receiver.requests).toEqual([]);
    } finally {
      http.close();
      await receiver.close();
    }
  });

  it('checks the address of each connection, so a name that resolves differently the second time is refused', async () => {
    const receiver = await Receiver.open();
    let asked = 0;
    const rebinding = async (host: string) =>
      resolvingTo(asked++ === 0 && host ? '93.184.215.14' : '127.0.0.1')();
    const guard = new NetworkGuard([], rebinding);
    await guard.addressesOf('rebinding.example', false);
    const http = new GuardedHttp(guard);
    const url = `https://rebinding.example:${new URL(receiver.url).port}/`;
    await expect(http.send({ ...BODY, url })).rejects.toThrow('private or reserved');
    http.close();
    await receiver.close();
  });

  it.each([
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['half an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['half a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf'],
    ['nothing', ''],
  ])('ends the request with an error when the receiver answers with %s', async (_, answer) => {
    const receiver = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const http = new GuardedHttp(new NetworkGuard(['127.0.0.1']));
    const { port } = receiver.address() as AddressInfo;
    await expect(http.send({ ...BODY, url: `http://127.0.0.1:${port}/` })).rejects.toThrow();
    http.close();
    await new Promise((done) => receiver.close(done));
  });

  it('follows no redirect, and stops waiting for an answer after its time', async () => {
    const receiver = await Receiver.open();
    const http = new GuardedHttp(new NetworkGuard(['127.0.0.1']), {}, 300);
    receiver.answers = () => ({ status: 302, headers: { Location: `${receiver.url}/other` } });
    expect(await http.send({ ...BODY, url: `${receiver.url}/one` })).toMatchObject({ status: 302 });
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/one']);
    receiver.answers = () => undefined;
    await expect(http.send({ ...BODY, url: receiver.url })).rejects.toThrow('no answer within');
    http.close();
    await receiver.close();
  });

  it('cuts an answer that is too long or never ends, and ends with the attempt', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n12345');
        setImmediate(() => socket.write('67890'));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const http = new GuardedHttp(new NetworkGuard(['127.0.0.1']));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { body } = await http.send({ ...BODY, url, answerBytesMax: 7 });
    expect('12345'.startsWith(body.toString())).toBe(true);
    const stop = new AbortController();
    const never = http.send({ ...BODY, url }, stop.signal);
    stop.abort();
    await expect(never).rejects.toThrow('the attempt was ended');
    const receiver = await Receiver.open();
    const later = new AbortController();
    receiver.answers = () => void later.abort();
    await expect(http.send({ ...BODY, url: receiver.url }, later.signal)).rejects.toThrow(
      'the attempt was ended',
    );
    await receiver.close();
    http.close();
    await new Promise((done) => server.close(done));
  });

  it('gives a connection the open addresses of a name in the order of the resolver', async () => {
    const guard = new NetworkGuard([], resolvingTo(PUBLIC[1] ?? '', '10.0.0.1', PUBLIC[0] ?? ''));
    const ask = (all: boolean) =>
      new Promise((done) => guard.lookup(false)('x.example', { all }, (_, address) => done(address)));
    expect(await ask(false)).toBe(PUBLIC[1]);
    expect(await ask(true)).toMatchObject([{ address: PUBLIC[1] }, { address: PUBLIC[0] }]);
  });
});
