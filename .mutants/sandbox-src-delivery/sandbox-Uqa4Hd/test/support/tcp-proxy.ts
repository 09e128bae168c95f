import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How a network, or the server at its other end, can fail. */
export const NETWORK_FAULTS = ['cut', 'silence', 'deafen', 'slow', 'garble', 'breakOff'] as const;
export type NetworkFault = (typeof NETWORK_FAULTS)[number];

const SLOW_MS = 150;

/** A proxy between the service and a server, which makes that server fail in the ways that networks do. */
export class TcpProxy {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #waiting = new Set<Socket>();
  readonly #server = createServer((near) => this.#accept(near));
  #fault: NetworkFault | null = null;
  /** Number of connections and pieces of data that met the present fault. */
  #met = 0;

  private constructor(private readonly target: URL) {}

  static async to(target: string | null): Promise<TcpProxy> {
    if (target === null) throw new Error('there is no server to stand before');
    const proxy = new TcpProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The target's URL through this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Whether any connection has met the present fault. */
  get wasMet(): boolean {
    return this.#met > 0;
  }

  /** Resets every connection, and every new one, as if the server were down. */
  cut(): void {
    this.#begin('cut');
    this.#reset();
    for (const socket of this.#waiting) socket.resetAndDestroy();
  }

  /** Keeps connections and accepts new ones, but passes no byte, as if the server were unplugged. */
  silence(): void {
    this.#begin('silence');
  }

  /** Passes requests, but no answers: the server does the work, and the client does not learn of it. */
  deafen(): void {
    this.#begin('deafen');
  }

  /** Delays every piece of data. */
  slow(): void {
    this.#begin('slow');
  }

  /** Replaces answers with random bytes. */
  garble(): void {
    this.#begin('garble');
  }

  /** Cuts every answer in half, and ends its connection. */
  breakOff(): void {
    this.#begin('breakOff');
  }

  mend(): void {
    const held = this.#fault === 'silence' || this.#fault === 'deafen';
    this.#fault = null;
    if (held) for (const sockets of this.#pairs) for (const socket of sockets) socket.resume();
    for (const near of this.#waiting) this.#join(near);
    this.#waiting.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #begin(fault: NetworkFault): void {
    this.#fault = fault;
    this.#met = 0;
  }

  #reset(): void {
    for (const sockets of this.#pairs) for (const socket of sockets) socket.resetAndDestroy();
  }

  #accept(near: Socket): void {
    if (this.#fault !== null) this.#met++;
    near.on('error', () => near.destroy());
    near.on('close', () => this.#waiting.delete(near));
    if (this.#fault === 'cut') near.resetAndDestroy();
    else if (this.#fault === 'silence') this.#waiting.add(near);
    else this.#join(near);
  }

  #join(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    this.#pass(near, far, false);
    this.#pass(far, near, true);
  }

  #pass(from: Socket, to: Socket, isAnswer: boolean): void {
    const hand = (data: Buffer) => {
      if (to.destroyed || to.write(data)) return;
      from.pause();
      to.once('drain', () => this.#isHeld(isAnswer) || from.resume());
    };
    from.on('data', (data: Buffer) => {
      if (this.#fault !== null) this.#met++;
      if (this.#fault === 'slow') {
        from.pause();
        setTimeout(() => {
          hand(data);
          if (!this.#isHeld(isAnswer)) from.resume();
        }, SLOW_MS);
      } else if (this.#fault === 'garble' && isAnswer) hand(randomBytes(data.length));
      else if (this.#fault === 'breakOff' && isAnswer) to.end(data.subarray(0, data.length / 2));
      else if (this.#isHeld(isAnswer)) {
        // This piece and all later ones are kept until the fault is over.
        from.pause();
        from.unshift(data);
      } else hand(data);
    });
    from.on('end', () => to.end());
  }

  #isHeld(isAnswer: boolean): boolean {
    return this.#fault === 'silence' || (this.#fault === 'deafen' && isAnswer);
  }
}
