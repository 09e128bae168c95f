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
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsOptions } from './guarded-http';
import type { NetworkGuard } from './network-guard';
const CONNECT_MS = 10_000;

/** The host and port of a TCP connection. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** Null: without encryption. */
  readonly tls: TlsOptions | null;
}

/** Opens a connection to an address that the guard allows. @throws RefusedAddress, or the error of the connection */
export async function openSocket(guard: NetworkGuard, place: Place, signal: AbortSignal): Promise<Socket> {
  if (stryMutAct_9fa48("126")) {
    {}
  } else {
    stryCov_9fa48("126");
    const {
      host,
      port,
      tls
    } = place;
    const isPlain = stryMutAct_9fa48("129") ? tls !== null : stryMutAct_9fa48("128") ? false : stryMutAct_9fa48("127") ? true : (stryCov_9fa48("127", "128", "129"), tls === null);
    // An address is not resolved, so it is checked here. For a name, the connection itself asks the guard by `lookup`.
    if (stryMutAct_9fa48("133") ? isIP(host) <= 0 : stryMutAct_9fa48("132") ? isIP(host) >= 0 : stryMutAct_9fa48("131") ? false : stryMutAct_9fa48("130") ? true : (stryCov_9fa48("130", "131", "132", "133"), isIP(host) > 0)) await guard.addressesOf(host, isPlain);
    const lookup = guard.lookup(isPlain);
    const isName = stryMutAct_9fa48("136") ? isIP(host) !== 0 : stryMutAct_9fa48("135") ? false : stryMutAct_9fa48("134") ? true : (stryCov_9fa48("134", "135", "136"), isIP(host) === 0);
    const socket = isPlain ? connect(stryMutAct_9fa48("137") ? {} : (stryCov_9fa48("137"), {
      host,
      port,
      lookup,
      autoSelectFamily: stryMutAct_9fa48("138") ? true : (stryCov_9fa48("138"), false)
    })) : connectTls(stryMutAct_9fa48("139") ? {} : (stryCov_9fa48("139"), {
      ...(stryMutAct_9fa48("140") ? {} : (stryCov_9fa48("140"), {
        host,
        port,
        lookup,
        autoSelectFamily: stryMutAct_9fa48("141") ? true : (stryCov_9fa48("141"), false)
      })),
      ...(stryMutAct_9fa48("144") ? isName || {
        servername: host
      } : stryMutAct_9fa48("143") ? false : stryMutAct_9fa48("142") ? true : (stryCov_9fa48("142", "143", "144"), isName && (stryMutAct_9fa48("145") ? {} : (stryCov_9fa48("145"), {
        servername: host
      })))),
      ...(stryMutAct_9fa48("148") ? tls.ca !== undefined || {
        ca: tls.ca
      } : stryMutAct_9fa48("147") ? false : stryMutAct_9fa48("146") ? true : (stryCov_9fa48("146", "147", "148"), (stryMutAct_9fa48("150") ? tls.ca === undefined : stryMutAct_9fa48("149") ? true : (stryCov_9fa48("149", "150"), tls.ca !== undefined)) && (stryMutAct_9fa48("151") ? {} : (stryCov_9fa48("151"), {
        ca: tls.ca
      })))),
      ...(stryMutAct_9fa48("154") ? tls.cert !== undefined || {
        cert: tls.cert
      } : stryMutAct_9fa48("153") ? false : stryMutAct_9fa48("152") ? true : (stryCov_9fa48("152", "153", "154"), (stryMutAct_9fa48("156") ? tls.cert === undefined : stryMutAct_9fa48("155") ? true : (stryCov_9fa48("155", "156"), tls.cert !== undefined)) && (stryMutAct_9fa48("157") ? {} : (stryCov_9fa48("157"), {
        cert: tls.cert
      })))),
      ...(stryMutAct_9fa48("160") ? tls.key !== undefined || {
        key: tls.key
      } : stryMutAct_9fa48("159") ? false : stryMutAct_9fa48("158") ? true : (stryCov_9fa48("158", "159", "160"), (stryMutAct_9fa48("162") ? tls.key === undefined : stryMutAct_9fa48("161") ? true : (stryCov_9fa48("161", "162"), tls.key !== undefined)) && (stryMutAct_9fa48("163") ? {} : (stryCov_9fa48("163"), {
        key: tls.key
      }))))
    }));
    return new Promise((done, fail) => {
      if (stryMutAct_9fa48("164")) {
        {}
      } else {
        stryCov_9fa48("164");
        const late = setTimeout(stryMutAct_9fa48("165") ? () => undefined : (stryCov_9fa48("165"), () => end(new Error(`no connection within ${stryMutAct_9fa48("167") ? CONNECT_MS * 1000 : (stryCov_9fa48("167"), CONNECT_MS / 1000)} seconds`))), CONNECT_MS);
        const aborted = stryMutAct_9fa48("168") ? () => undefined : (stryCov_9fa48("168"), (() => {
          const aborted = () => end(new Error('the attempt was ended'));
          return aborted;
        })());
        const end = (error?: Error) => {
          if (stryMutAct_9fa48("170")) {
            {}
          } else {
            stryCov_9fa48("170");
            clearTimeout(late);
            signal.removeEventListener('abort', aborted);
            socket.off('error', end);
            if (stryMutAct_9fa48("175") ? false : stryMutAct_9fa48("174") ? true : stryMutAct_9fa48("173") ? error : (stryCov_9fa48("173", "174", "175"), !error)) return done(socket);
            socket.on('error', () => {});
            socket.destroy();
            fail(error);
          }
        };
        socket.once('error', end);
        socket.once(isPlain ? 'connect' : 'secureConnect', stryMutAct_9fa48("180") ? () => undefined : (stryCov_9fa48("180"), () => end()));
        signal.addEventListener('abort', aborted, stryMutAct_9fa48("182") ? {} : (stryCov_9fa48("182"), {
          once: stryMutAct_9fa48("183") ? false : (stryCov_9fa48("183"), true)
        }));
        if (stryMutAct_9fa48("185") ? false : stryMutAct_9fa48("184") ? true : (stryCov_9fa48("184", "185"), signal.aborted)) aborted();
      }
    });
  }
}