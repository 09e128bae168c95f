import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { isWithinAny, type Network, parseAddresses } from './event/network';
import { LIMITS } from './limits';

const MAPPED = '::ffff:';
const ZONE = /%.*$/;

/**
 * The form in which addresses are compared and stored: an IPv4 address in IPv6 form becomes IPv4. Empty: not an
 * address.
 */
export function plainAddress(text: string): string {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return '';
  const { address } = new SocketAddress({ address: text.replace(ZONE, ''), family: 'ipv6' });
  const inner = address.slice(MAPPED.length);
  return address.startsWith(MAPPED) && isIPv4(inner) ? inner : address;
}

/**
 * The group in which failed keys are counted together. For IPv6 it is the /64, because one machine can use any address
 * in it.
 * @param address plain
 */
export function addressGroup(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const front = head.split(':').filter(Boolean);
  const back = tail.split(':').filter(Boolean);
  const missing = address.includes('::') ? Math.max(0, 8 - front.length - back.length) : 0;
  const groups = [...front, ...Array<string>(missing).fill('0'), ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** The networks from which a key may be used. */
export class AddressList {
  readonly #networks: readonly Network[];

  /** @param networks valid ones, see `addressProblems` */
  constructor(networks: readonly string[]) {
    this.#networks = networks.map(parseAddresses).filter((network) => network !== null);
  }

  /** @param address plain */
  includes(address: string): boolean {
    return isWithinAny(address, this.#networks);
  }
}

/** The problems of a list of addresses and networks (CIDR) from an operator. */
export function addressProblems(networks: readonly string[]): string[] {
  const max = LIMITS.keyAddressesMax;
  if (networks.length > max) return [`allowedAddresses must be at most ${max}`];
  return networks
    .filter((network) => parseAddresses(network) === null)
    .map(
      (network) =>
        `${network} is no address and no network such as 192.0.2.0/24 or 2001:db8::/32 (IPv4 is written as IPv4)`,
    );
}
