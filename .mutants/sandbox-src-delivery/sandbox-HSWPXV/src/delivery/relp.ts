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
const ANSWER_MS = 20_000;
const SHOWN_CHARS = 300;
const OFFER = 'relp_version=0\nrelp_software=audit-activity\ncommands=syslog';
/** Transaction numbers have nine digits. */
const NUMBER_MAX = 999_999_999;
const OK = stryMutAct_9fa48("371") ? /200\b/ : (stryCov_9fa48("371"), /^200\b/);
/** The beginning of a response: number, command and length. Its text follows. */
const HEAD = stryMutAct_9fa48("379") ? /^(\d{1,9}) ([a-z]{1,32}) (\d{1,9})([^ \n])/ : stryMutAct_9fa48("378") ? /^(\d{1,9}) ([a-z]{1,32}) (\D{1,9})([ \n])/ : stryMutAct_9fa48("377") ? /^(\d{1,9}) ([a-z]{1,32}) (\d)([ \n])/ : stryMutAct_9fa48("376") ? /^(\d{1,9}) ([^a-z]{1,32}) (\d{1,9})([ \n])/ : stryMutAct_9fa48("375") ? /^(\d{1,9}) ([a-z]) (\d{1,9})([ \n])/ : stryMutAct_9fa48("374") ? /^(\D{1,9}) ([a-z]{1,32}) (\d{1,9})([ \n])/ : stryMutAct_9fa48("373") ? /^(\d) ([a-z]{1,32}) (\d{1,9})([ \n])/ : stryMutAct_9fa48("372") ? /(\d{1,9}) ([a-z]{1,32}) (\d{1,9})([ \n])/ : (stryCov_9fa48("372", "373", "374", "375", "376", "377", "378", "379"), /^(\d{1,9}) ([a-z]{1,32}) (\d{1,9})([ \n])/);
const HEAD_CHARS_MAX = 64;
const RESPONSE_BYTES_MAX = stryMutAct_9fa48("380") ? 128 / 1024 : (stryCov_9fa48("380"), 128 * 1024);

/**
 * Syslog over RELP, the reliable event logging protocol (librelp's document relp.html). The receiver acknowledges each
 * message. A batch is delivered when all of its messages are acknowledged.
 */
export class Relp {
  #session: Session | null = null;
  constructor(private readonly guard: NetworkGuard, private readonly place: Place) {}
  async send(messages: readonly Buffer[], signal: AbortSignal): Promise<Outcome> {
    if (stryMutAct_9fa48("381")) {
      {}
    } else {
      stryCov_9fa48("381");
      try {
        if (stryMutAct_9fa48("382")) {
          {}
        } else {
          stryCov_9fa48("382");
          const session = await this.#open(signal);
          const answers = await session.command('syslog', messages, signal);
          const refusal = answers.find(stryMutAct_9fa48("384") ? () => undefined : (stryCov_9fa48("384"), answer => stryMutAct_9fa48("385") ? OK.test(answer) : (stryCov_9fa48("385"), !OK.test(answer))));
          if (stryMutAct_9fa48("388") ? refusal !== undefined : stryMutAct_9fa48("387") ? false : stryMutAct_9fa48("386") ? true : (stryCov_9fa48("386", "387", "388"), refusal === undefined)) return stryMutAct_9fa48("389") ? {} : (stryCov_9fa48("389"), {
            kind: 'accepted'
          });
          throw new Error(`RELP: ${stryMutAct_9fa48("392") ? refusal.replace(/\p{Cc}+/gu, ' ') : (stryCov_9fa48("392"), refusal.slice(0, SHOWN_CHARS).replace(stryMutAct_9fa48("394") ? /\P{Cc}+/gu : stryMutAct_9fa48("393") ? /\p{Cc}/gu : (stryCov_9fa48("393", "394"), /\p{Cc}+/gu), ' '))}`);
        }
      } catch (error) {
        if (stryMutAct_9fa48("396")) {
          {}
        } else {
          stryCov_9fa48("396");
          this.close();
          return failed(error instanceof Error ? stryMutAct_9fa48("399") ? error.message && String(error) : stryMutAct_9fa48("398") ? false : stryMutAct_9fa48("397") ? true : (stryCov_9fa48("397", "398", "399"), error.message || String(error)) : String(error));
        }
      }
    }
  }
  async #open(signal: AbortSignal): Promise<Session> {
    if (stryMutAct_9fa48("400")) {
      {}
    } else {
      stryCov_9fa48("400");
      if (stryMutAct_9fa48("403") ? this.#session.isOpen : stryMutAct_9fa48("402") ? false : stryMutAct_9fa48("401") ? true : (stryCov_9fa48("401", "402", "403"), this.#session?.isOpen)) return this.#session;
      const session = new Session(await openSocket(this.guard, this.place, signal));
      this.#session = session;
      const [answer = ''] = await session.command('open', stryMutAct_9fa48("406") ? [] : (stryCov_9fa48("406"), [Buffer.from(OFFER)]), signal);
      if (stryMutAct_9fa48("409") ? false : stryMutAct_9fa48("408") ? true : stryMutAct_9fa48("407") ? OK.test(answer) : (stryCov_9fa48("407", "408", "409"), !OK.test(answer))) throw new Error('RELP: the receiver does not open a session');
      return session;
    }
  }
  close(): void {
    if (stryMutAct_9fa48("411")) {
      {}
    } else {
      stryCov_9fa48("411");
      stryMutAct_9fa48("412") ? this.#session.end() : (stryCov_9fa48("412"), this.#session?.end());
      this.#session = null;
    }
  }
}
class Session {
  #number = 0;
  #waiting = new Map<number, (answer: string) => void>();
  #received: Buffer = Buffer.alloc(0);
  #fail: (error: Error) => void = () => {};
  isOpen = stryMutAct_9fa48("413") ? false : (stryCov_9fa48("413"), true);
  constructor(private readonly socket: Socket) {
    if (stryMutAct_9fa48("414")) {
      {}
    } else {
      stryCov_9fa48("414");
      socket.on('data', stryMutAct_9fa48("416") ? () => undefined : (stryCov_9fa48("416"), (bytes: Buffer) => this.#take(bytes)));
      socket.on('error', stryMutAct_9fa48("418") ? () => undefined : (stryCov_9fa48("418"), error => this.#ended(error)));
      socket.on('close', stryMutAct_9fa48("420") ? () => undefined : (stryCov_9fa48("420"), () => this.#ended(new Error('the connection was closed'))));
      socket.unref();
    }
  }

  /** Sends one command for each text. @returns the answers, in the order of the texts */
  command(name: string, texts: readonly Buffer[], signal: AbortSignal): Promise<string[]> {
    if (stryMutAct_9fa48("422")) {
      {}
    } else {
      stryCov_9fa48("422");
      return new Promise((done, fail) => {
        if (stryMutAct_9fa48("423")) {
          {}
        } else {
          stryCov_9fa48("423");
          const answers: string[] = stryMutAct_9fa48("424") ? ["Stryker was here"] : (stryCov_9fa48("424"), []);
          let left = texts.length;
          const end = (error?: Error) => {
            if (stryMutAct_9fa48("425")) {
              {}
            } else {
              stryCov_9fa48("425");
              clearTimeout(late);
              signal.removeEventListener('abort', aborted);
              if (stryMutAct_9fa48("428") ? false : stryMutAct_9fa48("427") ? true : (stryCov_9fa48("427", "428"), error)) fail(error);else done(answers);
            }
          };
          const aborted = stryMutAct_9fa48("429") ? () => undefined : (stryCov_9fa48("429"), (() => {
            const aborted = () => end(new Error('the attempt was ended'));
            return aborted;
          })());
          const late = setTimeout(stryMutAct_9fa48("431") ? () => undefined : (stryCov_9fa48("431"), () => end(new Error(`no acknowledgement within ${stryMutAct_9fa48("433") ? ANSWER_MS * 1000 : (stryCov_9fa48("433"), ANSWER_MS / 1000)} seconds`))), ANSWER_MS);
          signal.addEventListener('abort', aborted, stryMutAct_9fa48("435") ? {} : (stryCov_9fa48("435"), {
            once: stryMutAct_9fa48("436") ? false : (stryCov_9fa48("436"), true)
          }));
          this.#fail = end;
          if (stryMutAct_9fa48("439") ? false : stryMutAct_9fa48("438") ? true : stryMutAct_9fa48("437") ? this.isOpen : (stryCov_9fa48("437", "438", "439"), !this.isOpen)) return end(new Error('the connection was closed'));
          const frames = texts.flatMap((text, i) => {
            if (stryMutAct_9fa48("441")) {
              {}
            } else {
              stryCov_9fa48("441");
              const number = this.#next();
              this.#waiting.set(number, answer => {
                if (stryMutAct_9fa48("442")) {
                  {}
                } else {
                  stryCov_9fa48("442");
                  answers[i] = answer;
                  stryMutAct_9fa48("443") ? left += 1 : (stryCov_9fa48("443"), left -= 1);
                  if (stryMutAct_9fa48("446") ? left !== 0 : stryMutAct_9fa48("445") ? false : stryMutAct_9fa48("444") ? true : (stryCov_9fa48("444", "445", "446"), left === 0)) end();
                }
              });
              return stryMutAct_9fa48("447") ? [] : (stryCov_9fa48("447"), [Buffer.from(`${number} ${name} ${text.length} `), text, Buffer.from('\n')]);
            }
          });
          this.socket.write(Buffer.concat(frames));
        }
      });
    }
  }
  end(): void {
    if (stryMutAct_9fa48("450")) {
      {}
    } else {
      stryCov_9fa48("450");
      this.isOpen = stryMutAct_9fa48("451") ? true : (stryCov_9fa48("451"), false);
      this.socket.destroy();
    }
  }
  #next(): number {
    if (stryMutAct_9fa48("452")) {
      {}
    } else {
      stryCov_9fa48("452");
      this.#number = (stryMutAct_9fa48("456") ? this.#number < NUMBER_MAX : stryMutAct_9fa48("455") ? this.#number > NUMBER_MAX : stryMutAct_9fa48("454") ? false : stryMutAct_9fa48("453") ? true : (stryCov_9fa48("453", "454", "455", "456"), this.#number >= NUMBER_MAX)) ? 1 : stryMutAct_9fa48("457") ? this.#number - 1 : (stryCov_9fa48("457"), this.#number + 1);
      return this.#number;
    }
  }
  #ended(error: Error): void {
    if (stryMutAct_9fa48("458")) {
      {}
    } else {
      stryCov_9fa48("458");
      this.isOpen = stryMutAct_9fa48("459") ? true : (stryCov_9fa48("459"), false);
      this.#fail(error);
    }
  }
  #take(bytes: Buffer): void {
    if (stryMutAct_9fa48("460")) {
      {}
    } else {
      stryCov_9fa48("460");
      this.#received = Buffer.concat(stryMutAct_9fa48("461") ? [] : (stryCov_9fa48("461"), [this.#received, bytes]));
      if (stryMutAct_9fa48("462")) {
        for (; false;) {
          const head = HEAD.exec(this.#received.toString('latin1', 0, HEAD_CHARS_MAX));
          if (!head) {
            if (this.#received.length >= HEAD_CHARS_MAX) this.#garbled();
            return;
          }
          const [all, number, command, length] = head;
          const isEmpty = head[4] === '\n';
          const end = all.length + (isEmpty ? 0 : Number(length) + 1);
          if (Number(length) > RESPONSE_BYTES_MAX) {
            this.#garbled();
            return;
          }
          if (this.#received.length < end) return;
          const text = isEmpty ? '' : this.#received.toString('utf8', all.length, end - 1);
          this.#received = this.#received.subarray(end);
          if (command === 'serverclose') {
            this.end();
            return;
          }
          this.#waiting.get(Number(number))?.(text);
          this.#waiting.delete(Number(number));
        }
      } else {
        stryCov_9fa48("462");
        for (;;) {
          if (stryMutAct_9fa48("463")) {
            {}
          } else {
            stryCov_9fa48("463");
            const head = HEAD.exec(this.#received.toString('latin1', 0, HEAD_CHARS_MAX));
            if (stryMutAct_9fa48("467") ? false : stryMutAct_9fa48("466") ? true : stryMutAct_9fa48("465") ? head : (stryCov_9fa48("465", "466", "467"), !head)) {
              if (stryMutAct_9fa48("468")) {
                {}
              } else {
                stryCov_9fa48("468");
                if (stryMutAct_9fa48("472") ? this.#received.length < HEAD_CHARS_MAX : stryMutAct_9fa48("471") ? this.#received.length > HEAD_CHARS_MAX : stryMutAct_9fa48("470") ? false : stryMutAct_9fa48("469") ? true : (stryCov_9fa48("469", "470", "471", "472"), this.#received.length >= HEAD_CHARS_MAX)) this.#garbled();
                return;
              }
            }
            const [all, number, command, length] = head;
            const isEmpty = stryMutAct_9fa48("475") ? head[4] !== '\n' : stryMutAct_9fa48("474") ? false : stryMutAct_9fa48("473") ? true : (stryCov_9fa48("473", "474", "475"), head[4] === '\n');
            const end = stryMutAct_9fa48("477") ? all.length - (isEmpty ? 0 : Number(length) + 1) : (stryCov_9fa48("477"), all.length + (isEmpty ? 0 : stryMutAct_9fa48("478") ? Number(length) - 1 : (stryCov_9fa48("478"), Number(length) + 1)));
            if (stryMutAct_9fa48("482") ? Number(length) <= RESPONSE_BYTES_MAX : stryMutAct_9fa48("481") ? Number(length) >= RESPONSE_BYTES_MAX : stryMutAct_9fa48("480") ? false : stryMutAct_9fa48("479") ? true : (stryCov_9fa48("479", "480", "481", "482"), Number(length) > RESPONSE_BYTES_MAX)) {
              if (stryMutAct_9fa48("483")) {
                {}
              } else {
                stryCov_9fa48("483");
                this.#garbled();
                return;
              }
            }
            if (stryMutAct_9fa48("487") ? this.#received.length >= end : stryMutAct_9fa48("486") ? this.#received.length <= end : stryMutAct_9fa48("485") ? false : stryMutAct_9fa48("484") ? true : (stryCov_9fa48("484", "485", "486", "487"), this.#received.length < end)) return;
            const text = isEmpty ? '' : this.#received.toString('utf8', all.length, stryMutAct_9fa48("490") ? end + 1 : (stryCov_9fa48("490"), end - 1));
            this.#received = this.#received.subarray(end);
            if (stryMutAct_9fa48("493") ? command !== 'serverclose' : stryMutAct_9fa48("492") ? false : stryMutAct_9fa48("491") ? true : (stryCov_9fa48("491", "492", "493"), command === 'serverclose')) {
              if (stryMutAct_9fa48("495")) {
                {}
              } else {
                stryCov_9fa48("495");
                this.end();
                return;
              }
            }
            stryMutAct_9fa48("496") ? this.#waiting.get(Number(number))(text) : (stryCov_9fa48("496"), this.#waiting.get(Number(number))?.(text));
            this.#waiting.delete(Number(number));
          }
        }
      }
    }
  }
  #garbled(): void {
    if (stryMutAct_9fa48("497")) {
      {}
    } else {
      stryCov_9fa48("497");
      this.#ended(new Error('RELP: what the receiver answered is no RELP'));
      this.socket.destroy();
    }
  }
}