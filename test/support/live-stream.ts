import { DashboardSession } from './dashboard-session';
import { until } from './until';

export const LIVE = '/dashboard/api/live';

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
type Message = { readonly event: string; readonly data: any };

/** A stream of live events, read as a browser reads it. */
export class LiveStream {
  readonly messages: Message[] = [];
  /** Bytes of comments and of ids alone count too. */
  text = '';
  /** The id of the last complete message. */
  id: string | null = null;
  isOver = false;
  readonly #stop = new AbortController();

  private constructor(readonly status: number) {}

  static async open(
    url: string,
    session: DashboardSession,
    { query = '', id = null }: { readonly query?: string; readonly id?: string | null } = {},
  ): Promise<LiveStream> {
    const stop = new AbortController();
    const response = await fetch(`${url}${LIVE}${query}`, {
      headers: { Cookie: session.cookie, 'X-Dashboard': '1', ...(id !== null && { 'Last-Event-ID': id }) },
      signal: stop.signal,
    });
    const stream = new LiveStream(response.status);
    stream.#stop.signal.addEventListener('abort', () => stop.abort());
    void stream.#read(response);
    return stream;
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        const text = decoder.decode(chunk, { stream: true });
        this.text += text;
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // It was cut off: what was read counts.
    }
    this.isOver = true;
  }

  #take(block: string): void {
    const fields = block.split('\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      return [name, value] as const;
    });
    const of = (name: string) => fields.find(([field]) => field === name)?.[1];
    this.id = of('id') ?? this.id;
    const data = of('data');
    if (data !== undefined) this.messages.push({ event: of('event') ?? 'message', data: JSON.parse(data) });
  }

  // biome-ignore lint/suspicious/noExplicitAny: items of every shape
  get items(): any[] {
    return this.messages.flatMap(({ event, data }) => (event === 'events' ? data.items : []));
  }

  /** What the last message says about the end; undefined: it did not end by itself. */
  get end(): { readonly code: string | null } | undefined {
    return this.messages.find(({ event }) => event === 'end')?.data;
  }

  /** Resolves when this many events have come. */
  async has(count: number): Promise<this> {
    await until(
      () => this.items.length,
      (found) => found >= count || this.isOver,
    );
    return this;
  }

  async over(): Promise<this> {
    await until(
      () => this.isOver,
      (isOver) => isOver,
    );
    return this;
  }

  /** As a network does it, at any byte. */
  cut(): void {
    this.#stop.abort();
  }
}
