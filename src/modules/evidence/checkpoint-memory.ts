import { access, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { replaceDurably } from '../../data-folder';
import { NO_EPOCH } from '../../store/log/epoch/epoch';
import { type Checkpoint, parseNote } from './checkpoint';
import { type EndsFile, LogEnds } from './log-ends';
import { BrokenLog } from './log-head';

/**
 * Remembers the newest checkpoint of each tenant that this instance signed or saw, outside of the database. So it
 * notices a log that was set back or replaced in the database.
 */
export interface CheckpointMemory {
  /** Makes the place ready. @returns whether the place is new, so that nothing was ever remembered here */
  begin(): Promise<boolean>;
  /** The tenants with a remembered checkpoint. */
  tenants(): Promise<ReadonlySet<number>>;
  /** @throws BrokenLog if the remembered text is no checkpoint of the tenant */
  last(tenantId: number): Promise<Checkpoint | null>;
  /** The epoch in which the tenant's checkpoint was remembered. */
  epochOf(tenantId: number): Promise<string>;
  /** The epoch in which checkpoints are remembered now. */
  readonly currentEpoch: string;
  /** The ends of logs behind their remembered checkpoints. */
  readonly ends: LogEnds;
  /** @throws NotRemembered */
  remember(tenantId: number, note: string): Promise<void>;
  /** Reads the checkpoint again, since an operator may have removed or replaced it. @returns whether it has changed */
  reread(tenantId: number): Promise<boolean>;
}

/** The checkpoint cannot be stored, for example because the disk is full. */
export class NotRemembered extends Error {
  override readonly name = 'NotRemembered';
}

export const CHECKPOINTS_FOLDER = 'checkpoints';
/** A file of `DATA_DIR`. */
const ENDS_FILE = 'log-ends';
const FILE_NAME = /^tenant-([1-9]\d{0,9})$/;

/** One file for each tenant in the data folder, and one beside it with the epoch. Any signature is accepted, because only the service writes there. */
export class CheckpointFiles implements CheckpointMemory {
  readonly #folder: string;
  readonly #known = new Map<number, Checkpoint>();
  readonly #epochs = new Map<number, string>();
  #tenants: Set<number> | null = null;
  readonly ends: LogEnds;

  constructor(
    dataDir: string,
    private readonly epoch: () => string = () => NO_EPOCH,
    log: { warn(values: object, text: string): void } = { warn: () => {} },
  ) {
    this.#folder = path.join(dataDir, CHECKPOINTS_FOLDER);
    const file = path.join(dataDir, ENDS_FILE);
    const inFolder: EndsFile = {
      read: () => readFile(file, 'utf8'),
      write: (text) => replaceDurably(file, text),
    };
    this.ends = new LogEnds({ file: inFolder, epoch, log });
  }

  get currentEpoch(): string {
    return this.epoch();
  }

  async epochOf(tenantId: number): Promise<string> {
    const known = this.#epochs.get(tenantId);
    if (known !== undefined) return known;
    const text = await readFile(this.#epochFileOf(tenantId), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return NO_EPOCH;
      throw error;
    });
    this.#epochs.set(tenantId, text.trim());
    return text.trim();
  }

  async begin(): Promise<boolean> {
    const wasThere = await access(this.#folder).then(
      () => true,
      () => false,
    );
    await mkdir(this.#folder, { recursive: true });
    await this.ends.begin();
    return !wasThere;
  }

  async tenants(): Promise<Set<number>> {
    this.#tenants ??= new Set(
      (await namesIn(this.#folder))
        .map((name) => Number(FILE_NAME.exec(name)?.[1] ?? 0))
        .filter((tenantId) => tenantId > 0),
    );
    return this.#tenants;
  }

  async last(tenantId: number): Promise<Checkpoint | null> {
    const known = this.#known.get(tenantId);
    if (known || !(await this.tenants()).has(tenantId)) return known ?? null;
    const broken = (reason: string) =>
      new BrokenLog(
        `${CHECKPOINTS_FOLDER}/tenant-${tenantId} in DATA_DIR ${reason}: put a copy back, or take it away`,
      );
    const note = await readFile(this.#fileOf(tenantId), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw broken(`cannot be read (${error.code})`);
    });
    if (note === null) return null;
    const checkpoint = parseNote(note);
    if (checkpoint?.tenantId !== tenantId) throw broken('is no checkpoint of the tenant');
    this.#known.set(tenantId, checkpoint);
    return checkpoint;
  }

  async remember(tenantId: number, note: string): Promise<void> {
    const epoch = this.epoch();
    try {
      await mkdir(this.#folder, { recursive: true });
      await replaceDurably(this.#fileOf(tenantId), note);
      if ((await this.epochOf(tenantId)) !== epoch)
        await replaceDurably(this.#epochFileOf(tenantId), `${epoch}\n`);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new NotRemembered(
        `${CHECKPOINTS_FOLDER} in DATA_DIR cannot be written (${code ?? message}): make room there, or give the service the right to`,
      );
    }
    this.#epochs.set(tenantId, epoch);
    const checkpoint = parseNote(note);
    if (checkpoint) this.#known.set(tenantId, checkpoint);
    (await this.tenants()).add(tenantId);
  }

  async reread(tenantId: number): Promise<boolean> {
    const before = this.#known.get(tenantId);
    this.#known.delete(tenantId);
    this.#epochs.delete(tenantId);
    const now = await this.last(tenantId);
    if (!now) (await this.tenants()).delete(tenantId);
    return before?.time !== now?.time;
  }

  #fileOf(tenantId: number): string {
    return path.join(this.#folder, `tenant-${tenantId}`);
  }

  #epochFileOf(tenantId: number): string {
    return `${this.#fileOf(tenantId)}.epoch`;
  }
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
