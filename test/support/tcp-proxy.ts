import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

type State = 'mended' | 'cut' | 'silent';

/** Stands between the service and a server it depends on, and loses that server the way networks do. */
export class TcpProxy {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #waiting = new Set<Socket>();
  readonly #server = createServer((near) => this.#accept(near));
  #state: State = 'mended';

  private constructor(private readonly target: URL) {}

  static async to(target: string | null): Promise<TcpProxy> {
    if (target === null) throw new Error('there is no server to stand before');
    const proxy = new TcpProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The target's URL, by way of this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Resets every connection, and any new one: the server is down. */
  cut(): void {
    this.#state = 'cut';
    for (const sockets of this.#pairs) for (const socket of sockets) socket.resetAndDestroy();
    for (const socket of this.#waiting) socket.resetAndDestroy();
  }

  /** Connections stay and new ones are taken, but no byte passes: the server is unplugged. */
  silence(): void {
    this.#state = 'silent';
    for (const [near, far] of this.#pairs) {
      near.unpipe(far);
      far.unpipe(near);
    }
  }

  mend(): void {
    if (this.#state === 'silent') for (const [near, far] of this.#pairs) near.pipe(far).pipe(near);
    this.#state = 'mended';
    for (const near of this.#waiting) this.#join(near);
    this.#waiting.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(near: Socket): void {
    near.on('error', () => near.destroy());
    near.on('close', () => this.#waiting.delete(near));
    if (this.#state === 'cut') near.resetAndDestroy();
    else if (this.#state === 'silent') this.#waiting.add(near);
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
    near.pipe(far).pipe(near);
  }
}
