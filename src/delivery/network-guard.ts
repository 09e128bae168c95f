import { lookup as resolve } from 'node:dns';
import { isIP, isIPv4, type LookupFunction } from 'node:net';
import { AddressList, plainAddress } from '../address-list';

/** For receivers that the operator of the service names: they may be anywhere. */
export const ANYWHERE = ['0.0.0.0/0', '::/0'];

/** The target of a connection is not allowed. The message says how to allow it. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * Addresses outside the public internet: IANA's special-purpose registries (RFC 6890 and later), multicast, and the
 * address by which Azure's hosts serve their guests. The metadata services of clouds have such addresses.
 */
const SPECIAL_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...[
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
  ],
  ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  '168.63.129.16/32',
];
/**
 * Special ranges within the global unicast addresses. All addresses outside those are special too. Teredo and 6to4 are
 * in this list because their addresses contain an IPv4 address.
 */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];
const SPECIAL = new AddressList([...SPECIAL_V4, ...SPECIAL_V6]);
const GLOBAL_V6 = new AddressList(['2000::/3']);

const isPublic = (address: string): boolean =>
  !SPECIAL.includes(address) && (isIPv4(address) || GLOBAL_V6.includes(address));

interface Resolved {
  readonly address: string;
  readonly family: number;
}
type ResolveName = (host: string) => Promise<readonly Resolved[]>;

const byDns: ResolveName = (host) =>
  new Promise((done, fail) => {
    resolve(host, { all: true }, (error, found) => (error ? fail(error) : done(found)));
  });

/**
 * Decides to which addresses the service may connect for a destination: the public internet, and the networks that the
 * operator allows. It decides by the resolved address. The connection uses exactly the address that was checked, even
 * if the name resolves to another one a moment later.
 */
export class NetworkGuard {
  readonly #allowed: AddressList;

  /** @param networks valid networks (CIDR), see `addressProblems` */
  constructor(
    networks: readonly string[],
    private readonly resolveName: ResolveName = byDns,
  ) {
    this.#allowed = new AddressList(networks);
  }

  /**
   * The addresses of a host to which the service may connect: at least one.
   * @param host a name or an address, without brackets
   * @param isPlain without encryption: only the allowed networks
   * @throws RefusedAddress, or the resolver's error
   */
  async addressesOf(host: string, isPlain: boolean): Promise<readonly Resolved[]> {
    const found = isIP(host) > 0 ? [{ address: host, family: isIP(host) }] : await this.resolveName(host);
    const open = found.filter(({ address }) => this.#mayReach(plainAddress(address), isPlain));
    if (open.length > 0) return open;
    throw new RefusedAddress(this.#refusal(host, found, isPlain));
  }

  /**
   * For `net.connect`, `tls.connect` and `http.request`. They call this function only for names, so a caller checks a
   * given address before.
   */
  lookup(isPlain: boolean): LookupFunction {
    return (host, options, done) => {
      this.addressesOf(host, isPlain).then(
        (open) => {
          const [first = { address: '', family: 0 }] = open;
          if (options.all) done(null, [...open]);
          else done(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => done(error, '', 0),
      );
    };
  }

  #mayReach(address: string, isPlain: boolean): boolean {
    return address !== '' && (this.#allowed.includes(address) || (!isPlain && isPublic(address)));
  }

  #refusal(host: string, found: readonly Resolved[], isPlain: boolean): string {
    const isOutside = found.some(({ address }) => isPublic(plainAddress(address)));
    if (isPlain && isOutside)
      return `${host} is reached without encryption, which is allowed only to networks of DESTINATION_ALLOW_NETWORKS`;
    return `${host} leads to a private or reserved address, which DESTINATION_ALLOW_NETWORKS does not allow`;
  }
}
