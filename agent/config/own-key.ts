import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, replaceFile } from '../durable-file';
import type { Secret } from './secret';

const content = z.object({
  /** SHA-256 of the key of the configuration that the renewed key follows: another key there is an operator's. */
  of: z.string(),
  key: z.string().regex(/^[\x21-\x7e]+$/),
  /** The key that was in use before: it works until the service has seen the renewed one. */
  before: z.string(),
});
type Content = z.infer<typeof content>;

/**
 * The key that the agent renewed, in its data folder. It stands in place of the key that the configuration was written
 * with, for as long as that one stays there.
 */
export class OwnKey {
  readonly path: string;

  constructor(dataDir: string) {
    this.path = join(dataDir, 'agent-key.json');
  }

  /** @returns the text that holds it; null: there is none. A new text is a new key */
  text(): Promise<string | null> {
    return readIfThere(this.path);
  }

  /** @returns the renewed key; null: the key of the configuration is in use */
  static renewed(text: string | null, configured: Secret): string | null {
    return parsed(text, configured)?.key ?? null;
  }

  /** Keeps a renewed key. From here on the agent uses it, also after a crash. */
  async keep(configured: Secret, key: string, before: string): Promise<void> {
    const kept: Content = { of: digestOf(configured), key, before };
    await replaceFile(this.path, `${JSON.stringify(kept)}\n`);
  }

  /** The key that was in use before the renewed one; null: there is no renewed key. */
  async before(configured: Secret): Promise<string | null> {
    return parsed(await this.text(), configured)?.before ?? null;
  }
}

function parsed(text: string | null, configured: Secret): Content | null {
  if (text === null) return null;
  try {
    const read = content.safeParse(JSON.parse(text));
    return read.success && read.data.of === digestOf(configured) ? read.data : null;
  } catch {
    return null;
  }
}

const digestOf = (key: Secret) => createHash('sha256').update(key.reveal()).digest('hex');
