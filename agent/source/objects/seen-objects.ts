import { z } from 'zod';
import { readIfThere, replaceFile } from '../../durable-file';
import type { StoredObject } from './object-store';

/** Objects that are remembered over a restart, the oldest first. */
const WAITING_MAX = 5_000;

const seenObjects = z.object({
  version: z.literal(1),
  /** When the newest object was last written, ms since 1970; null: none was ever seen. */
  newestMs: z.number().nullable(),
  /** Seen, and not read to their end. */
  waiting: z.array(
    z.object({
      key: z.string(),
      size: z.number(),
      mtimeMs: z.number(),
      version: z.string(),
      canGrow: z.boolean(),
    }),
  ),
});
type Content = Omit<z.infer<typeof seenObjects>, 'version'>;

/** The objects that were seen in a store, on disk: one that goes before it is read is a gap, also after a restart. */
export class SeenObjects {
  private text = '';

  /** @param path neither the file nor its folder needs to exist */
  constructor(private readonly path: string) {}

  /** A file that cannot be used counts as none: what it named is listed again, unless it is gone. */
  async load(): Promise<Content> {
    const text = await readIfThere(this.path);
    return (text === null ? null : parse(text)) ?? { newestMs: null, waiting: [] };
  }

  /** Resolves when it is on disk. */
  async save(newestMs: number | null, waiting: readonly StoredObject[]): Promise<void> {
    const kept = waiting.slice(0, WAITING_MAX);
    const text = `${JSON.stringify({ version: 1, newestMs, waiting: kept })}\n`;
    if (text === this.text) return;
    await replaceFile(this.path, text);
    this.text = text;
  }
}

function parse(text: string): Content | null {
  try {
    return seenObjects.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // The text is not JSON; the caller takes that as no file.
    return null;
  }
}
