function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { AddressList, plainAddress } from '../caller/address-list';

/** The target of a connection is not allowed. The message says how to allow it. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * Addresses outside the public internet: IANA's special-purpose registries (RFC 6890 and later), multicast, and the
 * address by which Azure's hosts serve their guests. The metadata services of clouds have such addresses.
 */
const SPECIAL_V4 = stryMutAct_9fa48("254") ? [] : (stryCov_9fa48("254"), [...(stryMutAct_9fa48("255") ? [] : (stryCov_9fa48("255"), ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'])), ...(stryMutAct_9fa48("262") ? [] : (stryCov_9fa48("262"), ['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16'])), ...(stryMutAct_9fa48("269") ? [] : (stryCov_9fa48("269"), ['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'])), '168.63.129.16/32']);
/**
 * Special ranges within the global unicast addresses. All addresses outside those are special too. Teredo and 6to4 are
 * in this list because their addresses contain an IPv4 address.
 */
const SPECIAL_V6 = stryMutAct_9fa48("277") ? [] : (stryCov_9fa48("277"), ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);
const GLOBAL_V6 = '2000::/3';
const listOf = (networks: readonly string[], family: 'ipv4' | 'ipv6') => {
  if (stryMutAct_9fa48("284")) {
    {}
  } else {
    stryCov_9fa48("284");
    const list = new BlockList();
    for (const network of networks) {
      if (stryMutAct_9fa48("285")) {
        {}
      } else {
        stryCov_9fa48("285");
        const [address = '', bits = ''] = network.split('/');
        list.addSubnet(address, Number(bits), family);
      }
    }
    return list;
  }
};
const specialV4 = listOf(SPECIAL_V4, 'ipv4');
const specialV6 = listOf(SPECIAL_V6, 'ipv6');
const globalV6 = listOf(stryMutAct_9fa48("291") ? [] : (stryCov_9fa48("291"), [GLOBAL_V6]), 'ipv6');
function isPublic(address: string): boolean {
  if (stryMutAct_9fa48("293")) {
    {}
  } else {
    stryCov_9fa48("293");
    if (stryMutAct_9fa48("295") ? false : stryMutAct_9fa48("294") ? true : (stryCov_9fa48("294", "295"), isIPv4(address))) return stryMutAct_9fa48("296") ? specialV4.check(address, 'ipv4') : (stryCov_9fa48("296"), !specialV4.check(address, 'ipv4'));
    return stryMutAct_9fa48("300") ? globalV6.check(address, 'ipv6') || !specialV6.check(address, 'ipv6') : stryMutAct_9fa48("299") ? false : stryMutAct_9fa48("298") ? true : (stryCov_9fa48("298", "299", "300"), globalV6.check(address, 'ipv6') && (stryMutAct_9fa48("302") ? specialV6.check(address, 'ipv6') : (stryCov_9fa48("302"), !specialV6.check(address, 'ipv6'))));
  }
}
interface Resolved {
  readonly address: string;
  readonly family: number;
}
type ResolveName = (host: string) => Promise<readonly Resolved[]>;
const byDns: ResolveName = stryMutAct_9fa48("304") ? () => undefined : (stryCov_9fa48("304"), (() => {
  const byDns: ResolveName = host => new Promise((done, fail) => {
    if (stryMutAct_9fa48("305")) {
      {}
    } else {
      stryCov_9fa48("305");
      resolve(host, stryMutAct_9fa48("306") ? {} : (stryCov_9fa48("306"), {
        all: stryMutAct_9fa48("307") ? false : (stryCov_9fa48("307"), true)
      }), stryMutAct_9fa48("308") ? () => undefined : (stryCov_9fa48("308"), (error, found) => error ? fail(error) : done(found)));
    }
  });
  return byDns;
})());

/**
 * Decides to which addresses the service may connect for a destination: the public internet, and the networks that the
 * operator allows. It decides by the resolved address. The connection uses exactly the address that was checked, even
 * if the name resolves to another one a moment later.
 */
export class NetworkGuard {
  readonly #allowed: AddressList;

  /** @param networks valid networks (CIDR), see `addressProblems` */
  constructor(networks: readonly string[], private readonly resolveName: ResolveName = byDns) {
    if (stryMutAct_9fa48("309")) {
      {}
    } else {
      stryCov_9fa48("309");
      this.#allowed = new AddressList(networks);
    }
  }

  /**
   * The addresses of a host to which the service may connect: at least one.
   * @param host a name or an address, without brackets
   * @param isPlain without encryption: only the allowed networks
   * @throws RefusedAddress, or the resolver's error
   */
  async addressesOf(host: string, isPlain: boolean): Promise<readonly Resolved[]> {
    if (stryMutAct_9fa48("310")) {
      {}
    } else {
      stryCov_9fa48("310");
      const found = (stryMutAct_9fa48("314") ? isIP(host) <= 0 : stryMutAct_9fa48("313") ? isIP(host) >= 0 : stryMutAct_9fa48("312") ? false : stryMutAct_9fa48("311") ? true : (stryCov_9fa48("311", "312", "313", "314"), isIP(host) > 0)) ? stryMutAct_9fa48("315") ? [] : (stryCov_9fa48("315"), [stryMutAct_9fa48("316") ? {} : (stryCov_9fa48("316"), {
        address: host,
        family: isIP(host)
      })]) : await this.resolveName(host);
      const open = stryMutAct_9fa48("317") ? found : (stryCov_9fa48("317"), found.filter(stryMutAct_9fa48("318") ? () => undefined : (stryCov_9fa48("318"), ({
        address
      }) => this.#mayReach(plainAddress(address), isPlain))));
      if (stryMutAct_9fa48("322") ? open.length <= 0 : stryMutAct_9fa48("321") ? open.length >= 0 : stryMutAct_9fa48("320") ? false : stryMutAct_9fa48("319") ? true : (stryCov_9fa48("319", "320", "321", "322"), open.length > 0)) return open;
      throw new RefusedAddress(this.#refusal(host, found, isPlain));
    }
  }

  /**
   * For `net.connect`, `tls.connect` and `http.request`. They call this function only for names, so a caller checks a
   * given address before.
   */
  lookup(isPlain: boolean): LookupFunction {
    if (stryMutAct_9fa48("323")) {
      {}
    } else {
      stryCov_9fa48("323");
      return (host, options, done) => {
        if (stryMutAct_9fa48("324")) {
          {}
        } else {
          stryCov_9fa48("324");
          this.addressesOf(host, isPlain).then(open => {
            if (stryMutAct_9fa48("325")) {
              {}
            } else {
              stryCov_9fa48("325");
              const [first = stryMutAct_9fa48("326") ? {} : (stryCov_9fa48("326"), {
                address: '',
                family: 0
              })] = open;
              if (stryMutAct_9fa48("329") ? false : stryMutAct_9fa48("328") ? true : (stryCov_9fa48("328", "329"), options.all)) done(null, stryMutAct_9fa48("330") ? [] : (stryCov_9fa48("330"), [...open]));else done(null, first.address, first.family);
            }
          }, stryMutAct_9fa48("331") ? () => undefined : (stryCov_9fa48("331"), (error: NodeJS.ErrnoException) => done(error, '', 0)));
        }
      };
    }
  }
  #mayReach(address: string, isPlain: boolean): boolean {
    if (stryMutAct_9fa48("333")) {
      {}
    } else {
      stryCov_9fa48("333");
      return stryMutAct_9fa48("336") ? address !== '' || this.#allowed.includes(address) || !isPlain && isPublic(address) : stryMutAct_9fa48("335") ? false : stryMutAct_9fa48("334") ? true : (stryCov_9fa48("334", "335", "336"), (stryMutAct_9fa48("338") ? address === '' : stryMutAct_9fa48("337") ? true : (stryCov_9fa48("337", "338"), address !== '')) && (stryMutAct_9fa48("341") ? this.#allowed.includes(address) && !isPlain && isPublic(address) : stryMutAct_9fa48("340") ? true : (stryCov_9fa48("340", "341"), this.#allowed.includes(address) || (stryMutAct_9fa48("343") ? !isPlain || isPublic(address) : stryMutAct_9fa48("342") ? false : (stryCov_9fa48("342", "343"), (stryMutAct_9fa48("344") ? isPlain : (stryCov_9fa48("344"), !isPlain)) && isPublic(address))))));
    }
  }
  #refusal(host: string, found: readonly Resolved[], isPlain: boolean): string {
    if (stryMutAct_9fa48("345")) {
      {}
    } else {
      stryCov_9fa48("345");
      const isOutside = stryMutAct_9fa48("346") ? found.every(({
        address
      }) => isPublic(plainAddress(address))) : (stryCov_9fa48("346"), found.some(stryMutAct_9fa48("347") ? () => undefined : (stryCov_9fa48("347"), ({
        address
      }) => isPublic(plainAddress(address)))));
      if (stryMutAct_9fa48("350") ? isPlain || isOutside : stryMutAct_9fa48("349") ? false : stryMutAct_9fa48("348") ? true : (stryCov_9fa48("348", "349", "350"), isPlain && isOutside)) return `${host} is reached without encryption, which is allowed only to networks of DESTINATION_ALLOW_NETWORKS`;
      return `${host} leads to a private or reserved address, which DESTINATION_ALLOW_NETWORKS does not allow`;
    }
  }
}