/** A message of a stream of server-sent events. */
export interface Block {
  readonly event: string;
  /** Null: the message has none. */
  readonly id: string | null;
  readonly data: string | null;
}

/** The service sends a comment every ten seconds. */
const SILENCE_MS = 35_000;

/** The messages of a stream, whole ones only. @throws Error if the stream falls silent, or its connection breaks */
export async function* blocksOf(
  body: ReadableStream<Uint8Array>,
  silenceMs = SILENCE_MS,
): AsyncGenerator<Block> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), silenceMs);
      if (done) return;
      const texts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = texts.pop() ?? '';
      for (const text of texts) yield blockOf(text);
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function blockOf(text: string): Block {
  const values = new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const] : [];
    }),
  );
  return {
    event: values.get('event') ?? 'message',
    id: values.get('id') ?? null,
    data: values.get('data') ?? null,
  };
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream fell silent')), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
