import type { Socket } from 'node:net';
import { type Endpoint, openSocket } from './guarded-socket';
import type { NetworkGuard } from './network-guard';
import { failureOf, type Outcome } from './outcome';

const ANSWER_MS = 20_000;
const OFFER = 'relp_version=0\nrelp_software=audit-activity\ncommands=syslog';
/** Transaction numbers have nine digits. */
const NUMBER_MAX = 999_999_999;
const OK = /^200\b/;
/** The beginning of a response: number, command and length. Its text follows. */
const HEAD = /^(\d{1,9}) ([a-z]{1,32}) (\d{1,9})([ \n])/;
const HEAD_CHARS_MAX = 64;
const RESPONSE_BYTES_MAX = 128 * 1024;

/**
 * Syslog over RELP, the reliable event logging protocol (librelp's document relp.html). The receiver acknowledges each
 * message. A batch is delivered when all of its messages are acknowledged.
 */
export class Relp {
  #session: Session | null = null;

  constructor(
    private readonly guard: NetworkGuard,
    private readonly endpoint: Endpoint,
  ) {}

  async send(messages: readonly Buffer[], signal: AbortSignal): Promise<Outcome> {
    try {
      const session = await this.#open(signal);
      const answers = await session.command('syslog', messages, signal);
      const refusal = answers.find((answer) => !OK.test(answer));
      if (refusal === undefined) return { kind: 'accepted' };
      throw new Error(`RELP: ${refusal}`);
    } catch (error) {
      this.close();
      return failureOf(error);
    }
  }

  async #open(signal: AbortSignal): Promise<Session> {
    if (this.#session?.isOpen) return this.#session;
    const session = new Session(await openSocket(this.guard, this.endpoint, signal));
    this.#session = session;
    const [answer = ''] = await session.command('open', [Buffer.from(OFFER)], signal);
    if (!OK.test(answer)) throw new Error('RELP: the receiver does not open a session');
    return session;
  }

  close(): void {
    this.#session?.end();
    this.#session = null;
  }
}

class Session {
  #number = 0;
  #waiting = new Map<number, (answer: string) => void>();
  #received: Buffer = Buffer.alloc(0);
  #fail: (error: Error) => void = () => {};
  isOpen = true;

  constructor(private readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#ended(error));
    socket.on('close', () => this.#ended(new Error('the connection was closed')));
    socket.unref();
  }

  /** Sends one command for each text. @returns the answers, in the order of the texts */
  command(name: string, texts: readonly Buffer[], signal: AbortSignal): Promise<string[]> {
    return new Promise((done, fail) => {
      const answers: string[] = [];
      let left = texts.length;
      const end = (error?: Error) => {
        clearTimeout(late);
        signal.removeEventListener('abort', aborted);
        if (error) fail(error);
        else done(answers);
      };
      const aborted = () => end(new Error('the attempt was ended'));
      const late = setTimeout(
        () => end(new Error(`no acknowledgement within ${ANSWER_MS / 1000} seconds`)),
        ANSWER_MS,
      );
      signal.addEventListener('abort', aborted, { once: true });
      this.#fail = end;
      if (!this.isOpen) return end(new Error('the connection was closed'));
      const frames = texts.flatMap((text, i) => {
        const number = this.#next();
        this.#waiting.set(number, (answer) => {
          answers[i] = answer;
          left -= 1;
          if (left === 0) end();
        });
        return [Buffer.from(`${number} ${name} ${text.length} `), text, Buffer.from('\n')];
      });
      this.socket.write(Buffer.concat(frames));
    });
  }

  end(): void {
    this.isOpen = false;
    this.socket.destroy();
  }

  #next(): number {
    this.#number = this.#number >= NUMBER_MAX ? 1 : this.#number + 1;
    return this.#number;
  }

  #ended(error: Error): void {
    this.isOpen = false;
    this.#fail(error);
  }

  #take(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
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
  }

  #garbled(): void {
    this.#ended(new Error('RELP: what the receiver answered is no RELP'));
    this.socket.destroy();
  }
}
