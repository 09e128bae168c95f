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
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { NetworkGuard } from './network-guard';
interface HttpRequest {
  readonly method: 'POST' | 'PUT' | 'GET';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Limit of the answer's bytes. The rest is cut off. */
  readonly answerBytesMax?: number;
}
export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Certificates and keys in PEM that TLS trusts and shows in addition to the usual ones. */
export interface TlsOptions {
  readonly ca?: string | undefined;
  /** The certificate for a receiver that asks for one. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}
const ANSWER_MS = 20_000;
const ANSWER_BYTES = stryMutAct_9fa48("51") ? 64 / 1024 : (stryCov_9fa48("51"), 64 * 1024);
const IDLE_MS = 15_000;
const SOCKETS = 4;

/**
 * Sends the requests of one destination. It connects only to addresses that the guard allows, follows no redirects and
 * limits the time.
 */
export class GuardedHttp {
  readonly #agents: {
    readonly http: http.Agent;
    readonly https: https.Agent;
  };
  constructor(private readonly guard: NetworkGuard, tls: TlsOptions = {}, private readonly answerMs = ANSWER_MS) {
    if (stryMutAct_9fa48("52")) {
      {}
    } else {
      stryCov_9fa48("52");
      const options = {
        keepAlive: true,
        maxSockets: SOCKETS,
        timeout: IDLE_MS,
        scheduling: 'lifo'
      } as const;
      this.#agents = stryMutAct_9fa48("53") ? {} : (stryCov_9fa48("53"), {
        http: new http.Agent(options),
        https: new https.Agent(stryMutAct_9fa48("54") ? {} : (stryCov_9fa48("54"), {
          ...options,
          ...(stryMutAct_9fa48("57") ? tls.ca !== undefined || {
            ca: tls.ca
          } : stryMutAct_9fa48("56") ? false : stryMutAct_9fa48("55") ? true : (stryCov_9fa48("55", "56", "57"), (stryMutAct_9fa48("59") ? tls.ca === undefined : stryMutAct_9fa48("58") ? true : (stryCov_9fa48("58", "59"), tls.ca !== undefined)) && (stryMutAct_9fa48("60") ? {} : (stryCov_9fa48("60"), {
            ca: tls.ca
          }))))
        }))
      });
    }
  }

  /** @throws RefusedAddress; Error when the receiver did not answer, or did not finish its answer, in time */
  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    if (stryMutAct_9fa48("61")) {
      {}
    } else {
      stryCov_9fa48("61");
      const url = new URL(request.url);
      const isPlain = stryMutAct_9fa48("64") ? url.protocol !== 'http:' : stryMutAct_9fa48("63") ? false : stryMutAct_9fa48("62") ? true : (stryCov_9fa48("62", "63", "64"), url.protocol === 'http:');
      const host = url.hostname.replace(stryMutAct_9fa48("67") ? /^\[|\]/g : stryMutAct_9fa48("66") ? /\[|\]$/g : (stryCov_9fa48("66", "67"), /^\[|\]$/g), '');
      // For a name, the connection itself asks the guard by `lookup`.
      if (stryMutAct_9fa48("72") ? isIP(host) <= 0 : stryMutAct_9fa48("71") ? isIP(host) >= 0 : stryMutAct_9fa48("70") ? false : stryMutAct_9fa48("69") ? true : (stryCov_9fa48("69", "70", "71", "72"), isIP(host) > 0)) await this.guard.addressesOf(host, isPlain);
      const attempt = stryMutAct_9fa48("73") ? () => undefined : (stryCov_9fa48("73"), (() => {
        const attempt = () => this.#attempt(url, request, signal);
        return attempt;
      })());
      // The receiver may have closed a kept connection at the moment this request was sent on it.
      return attempt().catch(stryMutAct_9fa48("74") ? () => undefined : (stryCov_9fa48("74"), (error: unknown) => error instanceof StaleConnection ? attempt() : Promise.reject(error)));
    }
  }
  #attempt(url: URL, request: HttpRequest, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    if (stryMutAct_9fa48("75")) {
      {}
    } else {
      stryCov_9fa48("75");
      const isPlain = stryMutAct_9fa48("78") ? url.protocol !== 'http:' : stryMutAct_9fa48("77") ? false : stryMutAct_9fa48("76") ? true : (stryCov_9fa48("76", "77", "78"), url.protocol === 'http:');
      return new Promise((done, fail) => {
        if (stryMutAct_9fa48("80")) {
          {}
        } else {
          stryCov_9fa48("80");
          const sent = (isPlain ? http : https).request(url, stryMutAct_9fa48("81") ? {} : (stryCov_9fa48("81"), {
            method: request.method,
            headers: stryMutAct_9fa48("82") ? {} : (stryCov_9fa48("82"), {
              'User-Agent': 'audit-activity',
              ...request.headers,
              'Content-Length': request.body.length
            }),
            agent: isPlain ? this.#agents.http : this.#agents.https,
            lookup: this.guard.lookup(isPlain)
          }));
          const late = stryMutAct_9fa48("84") ? () => undefined : (stryCov_9fa48("84"), (() => {
            const late = () => sent.destroy(new Error(`no answer within ${stryMutAct_9fa48("86") ? this.answerMs * 1000 : (stryCov_9fa48("86"), this.answerMs / 1000)} seconds`));
            return late;
          })());
          const timer = setTimeout(late, this.answerMs);
          const aborted = stryMutAct_9fa48("87") ? () => undefined : (stryCov_9fa48("87"), (() => {
            const aborted = () => sent.destroy(new Error('the attempt was ended'));
            return aborted;
          })());
          stryMutAct_9fa48("89") ? signal.addEventListener('abort', aborted, {
            once: true
          }) : (stryCov_9fa48("89"), signal?.addEventListener('abort', aborted, stryMutAct_9fa48("91") ? {} : (stryCov_9fa48("91"), {
            once: stryMutAct_9fa48("92") ? false : (stryCov_9fa48("92"), true)
          })));
          let isAnswered = stryMutAct_9fa48("93") ? true : (stryCov_9fa48("93"), false);
          sent.once('close', () => {
            if (stryMutAct_9fa48("95")) {
              {}
            } else {
              stryCov_9fa48("95");
              clearTimeout(timer);
              stryMutAct_9fa48("96") ? signal.removeEventListener('abort', aborted) : (stryCov_9fa48("96"), signal?.removeEventListener('abort', aborted));
              // Node reports nothing else after an unusable answer, such as a change of protocol.
              if (stryMutAct_9fa48("100") ? false : stryMutAct_9fa48("99") ? true : stryMutAct_9fa48("98") ? isAnswered : (stryCov_9fa48("98", "99", "100"), !isAnswered)) fail(new Error('the connection was closed without an answer'));
            }
          });
          sent.once('response', answer => {
            if (stryMutAct_9fa48("103")) {
              {}
            } else {
              stryCov_9fa48("103");
              isAnswered = stryMutAct_9fa48("104") ? false : (stryCov_9fa48("104"), true);
              readAnswer(answer, stryMutAct_9fa48("105") ? request.answerBytesMax && ANSWER_BYTES : (stryCov_9fa48("105"), request.answerBytesMax ?? ANSWER_BYTES)).then(done, fail);
            }
          });
          sent.once('error', (error: NodeJS.ErrnoException) => {
            if (stryMutAct_9fa48("107")) {
              {}
            } else {
              stryCov_9fa48("107");
              const isStale = stryMutAct_9fa48("110") ? sent.reusedSocket || error.code === 'ECONNRESET' : stryMutAct_9fa48("109") ? false : stryMutAct_9fa48("108") ? true : (stryCov_9fa48("108", "109", "110"), sent.reusedSocket && (stryMutAct_9fa48("112") ? error.code !== 'ECONNRESET' : stryMutAct_9fa48("111") ? true : (stryCov_9fa48("111", "112"), error.code === 'ECONNRESET')));
              fail(isStale ? new StaleConnection(error.message, stryMutAct_9fa48("114") ? {} : (stryCov_9fa48("114"), {
                cause: error
              })) : error);
            }
          });
          sent.end(request.body);
        }
      });
    }
  }
  close(): void {
    if (stryMutAct_9fa48("115")) {
      {}
    } else {
      stryCov_9fa48("115");
      this.#agents.http.destroy();
      this.#agents.https.destroy();
    }
  }
}
class StaleConnection extends Error {}
async function readAnswer(answer: http.IncomingMessage, bytesMax: number): Promise<HttpAnswer> {
  if (stryMutAct_9fa48("116")) {
    {}
  } else {
    stryCov_9fa48("116");
    const chunks: Buffer[] = stryMutAct_9fa48("117") ? ["Stryker was here"] : (stryCov_9fa48("117"), []);
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (stryMutAct_9fa48("118")) {
        {}
      } else {
        stryCov_9fa48("118");
        stryMutAct_9fa48("119") ? bytes -= chunk.length : (stryCov_9fa48("119"), bytes += chunk.length);
        if (stryMutAct_9fa48("123") ? bytes > bytesMax : stryMutAct_9fa48("122") ? bytes < bytesMax : stryMutAct_9fa48("121") ? false : stryMutAct_9fa48("120") ? true : (stryCov_9fa48("120", "121", "122", "123"), bytes <= bytesMax)) chunks.push(chunk);
        // A receiver that never ends its answer must not keep the connection.
        else break;
      }
    }
    return stryMutAct_9fa48("124") ? {} : (stryCov_9fa48("124"), {
      status: stryMutAct_9fa48("125") ? answer.statusCode && 0 : (stryCov_9fa48("125"), answer.statusCode ?? 0),
      headers: answer.headers,
      body: Buffer.concat(chunks)
    });
  }
}