import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Checkpoint, isSignedBy, parseNote } from './checkpoint';

/** The last checkpoint of each tenant that this instance signed, outside of the database: what was set back is noticed. */
export interface CheckpointMemory {
  last(tenantId: number): Promise<Checkpoint | null>;
  remember(tenantId: number, note: string): Promise<void>;
}

export const CHECKPOINTS_FOLDER = 'checkpoints';

/** One file a tenant in the data folder. */
export class CheckpointFiles implements CheckpointMemory {
  readonly #known = new Map<number, Checkpoint>();

  /** @param verifierKey a note of another key counts as none */
  constructor(
    private readonly dataDir: string,
    private readonly verifierKey: string,
  ) {}

  async last(tenantId: number): Promise<Checkpoint | null> {
    const known = this.#known.get(tenantId);
    if (known) return known;
    const note = await readFile(this.#fileOf(tenantId), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (note === null || !isSignedBy(this.verifierKey, note)) return null;
    const checkpoint = parseNote(note);
    if (checkpoint?.tenantId !== tenantId) return null;
    this.#known.set(tenantId, checkpoint);
    return checkpoint;
  }

  async remember(tenantId: number, note: string): Promise<void> {
    const file = this.#fileOf(tenantId);
    const draft = `${file}.${randomUUID()}`;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(draft, note);
    await rename(draft, file);
    const checkpoint = parseNote(note);
    if (checkpoint) this.#known.set(tenantId, checkpoint);
  }

  #fileOf(tenantId: number): string {
    return path.join(this.dataDir, CHECKPOINTS_FOLDER, `tenant-${tenantId}`);
  }
}
