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
import type { Socket } from 'node:net';
import { openSocket, type Place } from './guarded-socket';
import type { NetworkGuard } from './network-guard';
import { failed, type Outcome } from './outcome';
const WRITE_MS = 20_000;

/**
 * Syslog over TLS (RFC 5425), with each message preceded by its length. The protocol has no acknowledgements. Messages
 * count as delivered when the connection has taken all of them. If the receiver fails at that moment, messages on the
 * way are lost.
 */
export class SyslogTls {
  #socket: Socket | null = null;
  constructor(private readonly guard: NetworkGuard, private readonly place: Place) {}
  async send(messages: readonly Buffer[], signal: AbortSignal): Promise<Outcome> {
    if (stryMutAct_9fa48("720")) {
      {}
    } else {
      stryCov_9fa48("720");
      try {
        if (stryMutAct_9fa48("721")) {
          {}
        } else {
          stryCov_9fa48("721");
          const socket = await this.#open(signal);
          const frames = messages.flatMap(stryMutAct_9fa48("722") ? () => undefined : (stryCov_9fa48("722"), message => stryMutAct_9fa48("723") ? [] : (stryCov_9fa48("723"), [Buffer.from(`${message.length} `), message])));
          await write(socket, Buffer.concat(frames), signal);
          return stryMutAct_9fa48("725") ? {} : (stryCov_9fa48("725"), {
            kind: 'accepted'
          });
        }
      } catch (error) {
        if (stryMutAct_9fa48("727")) {
          {}
        } else {
          stryCov_9fa48("727");
          this.close();
          return failed(error instanceof Error ? stryMutAct_9fa48("730") ? error.message && String(error) : stryMutAct_9fa48("729") ? false : stryMutAct_9fa48("728") ? true : (stryCov_9fa48("728", "729", "730"), error.message || String(error)) : String(error));
        }
      }
    }
  }
  async #open(signal: AbortSignal): Promise<Socket> {
    if (stryMutAct_9fa48("731")) {
      {}
    } else {
      stryCov_9fa48("731");
      const open = this.#socket;
      // A receiver that has closed its side would lose the messages.
      if (stryMutAct_9fa48("734") ? open && !open.destroyed && open.writable || !open.readableEnded : stryMutAct_9fa48("733") ? false : stryMutAct_9fa48("732") ? true : (stryCov_9fa48("732", "733", "734"), (stryMutAct_9fa48("736") ? open && !open.destroyed || open.writable : stryMutAct_9fa48("735") ? true : (stryCov_9fa48("735", "736"), (stryMutAct_9fa48("738") ? open || !open.destroyed : stryMutAct_9fa48("737") ? true : (stryCov_9fa48("737", "738"), open && (stryMutAct_9fa48("739") ? open.destroyed : (stryCov_9fa48("739"), !open.destroyed)))) && open.writable)) && (stryMutAct_9fa48("740") ? open.readableEnded : (stryCov_9fa48("740"), !open.readableEnded)))) return open;
      const socket = await openSocket(this.guard, this.place, signal);
      socket.on('error', () => {});
      socket.on('end', stryMutAct_9fa48("743") ? () => undefined : (stryCov_9fa48("743"), () => socket.destroy()));
      // The receiver sends no data, but the end of the connection must be noticed.
      socket.resume();
      socket.unref();
      this.#socket = socket;
      return socket;
    }
  }
  close(): void {
    if (stryMutAct_9fa48("744")) {
      {}
    } else {
      stryCov_9fa48("744");
      stryMutAct_9fa48("745") ? this.#socket.destroy() : (stryCov_9fa48("745"), this.#socket?.destroy());
      this.#socket = null;
    }
  }
}
function write(socket: Socket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  if (stryMutAct_9fa48("746")) {
    {}
  } else {
    stryCov_9fa48("746");
    return new Promise((done, fail) => {
      if (stryMutAct_9fa48("747")) {
        {}
      } else {
        stryCov_9fa48("747");
        const end = (error?: Error | null) => {
          if (stryMutAct_9fa48("748")) {
            {}
          } else {
            stryCov_9fa48("748");
            clearTimeout(late);
            socket.off('close', closed);
            signal.removeEventListener('abort', closed);
            if (stryMutAct_9fa48("752") ? false : stryMutAct_9fa48("751") ? true : (stryCov_9fa48("751", "752"), error)) fail(error);else done();
          }
        };
        const closed = stryMutAct_9fa48("753") ? () => undefined : (stryCov_9fa48("753"), (() => {
          const closed = () => end(new Error('the connection was closed'));
          return closed;
        })());
        const late = setTimeout(stryMutAct_9fa48("755") ? () => undefined : (stryCov_9fa48("755"), () => end(new Error(`not taken within ${stryMutAct_9fa48("757") ? WRITE_MS * 1000 : (stryCov_9fa48("757"), WRITE_MS / 1000)} seconds`))), WRITE_MS);
        socket.once('close', closed);
        signal.addEventListener('abort', closed, stryMutAct_9fa48("760") ? {} : (stryCov_9fa48("760"), {
          once: stryMutAct_9fa48("761") ? false : (stryCov_9fa48("761"), true)
        }));
        socket.write(bytes, end);
      }
    });
  }
}