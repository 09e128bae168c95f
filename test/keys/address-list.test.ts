import fc from 'fast-check';
import { AddressList, addressGroup, addressProblems, plainAddress } from '../../src/address-list';

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', ''],
    ['192.0.2.1:443', ''],
    ['unknown', ''],
    ['256.0.0.1', ''],
  ])('%s is compared and shown as %j', (text, plain) => {
    expect(plainAddress(text)).toBe(plain);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
    ['', ''],
  ])('%s is counted in the group %j', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  it('of IPv6 is in one group with its /64 network, and with no other network', () => {
    const part = fc.integer({ min: 0, max: 0xffff });
    const network = fc.array(part, { minLength: 4, maxLength: 4 });
    const text = (parts: readonly number[]) => plainAddress(parts.map((p) => p.toString(16)).join(':'));
    fc.assert(
      fc.property(network, network, network, network, (a, b, host, other) => {
        fc.pre(a.some(Boolean) && b.some(Boolean)); // otherwise it may be an IPv4 address
        const groups = [
          [...a, ...host],
          [...a, ...other],
          [...b, ...host],
        ]
          .map(text)
          .map(addressGroup);
        expect(groups[0]).toBe(groups[1]);
        expect(groups[0] === groups[2]).toBe(String(a) === String(b));
      }),
    );
  });
});

describe('a list of addresses', () => {
  const list = new AddressList(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32', '2001:dbf::1/128']);

  it.each([
    ['192.0.2.0', true],
    ['192.0.2.255', true],
    ['192.0.3.0', false],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8:ffff::1', true],
    ['2001:db9::1', false],
    ['2001:dbf::1', true],
    ['2001:dbf::2', false],
    ['', false],
  ])('with %s: %s', (address, included) => {
    expect(list.includes(address)).toBe(included);
  });

  it('of IPv4 also includes an IPv4 address in its IPv6 form', () => {
    expect(list.includes(plainAddress('::ffff:192.0.2.9'))).toBe(true);
    expect(list.includes(plainAddress('::ffff:192.0.3.9'))).toBe(false);
  });

  it('of all addresses of one family includes none of the other', () => {
    expect(new AddressList(['0.0.0.0/0']).includes('2001:db8::1')).toBe(false);
    expect(new AddressList(['::/0']).includes('192.0.2.1')).toBe(false);
  });

  it('includes an IPv4 address exactly if its first bits are those of the network', () => {
    const bits = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const dotted = (n: number) => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.');
    fc.assert(
      fc.property(
        bits,
        fc.integer({ min: 0, max: 32 }),
        fc.integer({ min: 0, max: 32 }),
        bits,
        (network, length, flip, noise) => {
          // The addresses are near the network, since hardly any random address would be in it.
          const address = flip === 32 ? noise : (network ^ (1 << flip)) >>> 0;
          const shift = 2 ** (32 - length);
          const expected = Math.floor(network / shift) === Math.floor(address / shift);
          expect(new AddressList([`${dotted(network)}/${length}`]).includes(dotted(address))).toBe(expected);
        },
      ),
    );
  });

  it.each([
    '192.0.2.0/33',
    '2001:db8::/129',
    '192.0.2/24',
    '192.0.2.0/',
    '192.0.2.0/024',
    '192.0.2.0/-1',
    'a',
    '',
  ])('refuses %j, and says why', (network) => {
    expect(addressProblems(['192.0.2.1', network])).toEqual([expect.stringContaining('is no address')]);
  });

  it.each(['::ffff:192.0.2.0/120', '0:0:0:0:0:ffff:c000:200/120', 'fe80::1%eth0/64', '192.0.2.0/24/8'])(
    'refuses %j, which could never match',
    (network) => {
      expect(addressProblems([network])).toHaveLength(1);
    },
  );

  it('has a greatest length', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `192.0.2.${i}`);
    expect(addressProblems(many(100))).toEqual([]);
    expect(addressProblems(many(101))).toEqual(['allowedAddresses must be at most 100']);
  });
});
