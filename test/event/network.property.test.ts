import { BlockList, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { plainAddress } from '../../src/address-list';
import { IPV4, IPV6, isWithin, parseNetwork } from '../../src/event/network';

const group = fc.constantFrom('0', '1', 'ffff', 'FFFF', '2001', 'db8', '0db8', 'fe80', '12345', 'g', '');
/** Texts of the shapes of IPv6, many of which are addresses. */
const pieces = fc
  .tuple(
    fc.array(group, { minLength: 1, maxLength: 9 }),
    fc.constantFrom('', '', '%4', '%eth0', '%'),
    fc.constantFrom('', '', ':10.1.2.3', ':10.1.2.256'),
  )
  .map(([groups, zone, tail]) => groups.join(':') + tail + zone);
const octet = fc.constantFrom('0', '1', '10', '127', '128', '255', '256', '01', '');
const dotted = fc.array(octet, { minLength: 3, maxLength: 5 }).map((octets) => octets.join('.'));
const sound4 = fc.ipV4();
const address = fc.oneof(
  sound4,
  fc.ipV6(),
  dotted,
  pieces,
  sound4.map((text) => `::ffff:${text}`),
  sound4.map((text) => `0:0:0:0:0:FFFF:${text}`),
  fc.constantFrom('local machine', 'named pipe', '', '::ffff:a01:203', '::', '::1'),
);

it('the addresses are those of Node', () => {
  fc.assert(
    fc.property(address, (text) => {
      expect([text, new RegExp(IPV4).test(text), new RegExp(IPV6).test(text)]).toEqual([
        text,
        isIPv4(text),
        isIPv6(text),
      ]);
    }),
    { numRuns: 1_000 },
  );
});

it('an address lies in the networks in which Node sees it, and IPv4 written as IPv6 is IPv4', () => {
  const bits = fc.integer({ min: 0, max: 128 });
  const near = fc.oneof(
    fc.tuple(address, address),
    address.map((one) => [one, one] as const),
  );
  fc.assert(
    fc.property(near, bits, ([first, text], length) => {
      const network = parseNetwork(`${first}/${length}`);
      const isIpv4 = isIPv4(first);
      const isSound =
        (isIpv4 || isIPv6(first)) &&
        !first.includes('%') &&
        isIPv4(plainAddress(first)) === isIpv4 &&
        length <= (isIpv4 ? 32 : 128);
      expect([first, length, network !== null]).toEqual([first, length, isSound]);
      if (!network) return;
      const list = new BlockList();
      list.addSubnet(first, length, isIpv4 ? 'ipv4' : 'ipv6');
      const plain = plainAddress(text);
      const expected = isIpv4
        ? isIPv4(plain) && list.check(plain, 'ipv4')
        : isIPv6(plain) && list.check(plain, 'ipv6');
      expect([text, first, length, isWithin(text, network)]).toEqual([text, first, length, expected]);
    }),
    { numRuns: 1_000 },
  );
});
