import { LIMITS } from '../../limits';
import type { RowText } from '../log/arrivals/row-text';
import type { Row } from '../rows/event-rows';
import { AskedProcess } from './asked-process';
import { DuckWorker } from './duck-worker';
import type { DuckBounds } from './open-duck';
import type {
  ArchiveWorker,
  FileReader,
  FileWriter,
  GroupsQuestion,
  RowsQuestion,
  SizedId,
  TallyQuestion,
  TallyRow,
  TenantFiles,
} from './questions';

const HEAP_MB = 160;

/** Makes and reads files in a process of its own: what goes wrong there ends that process alone. */
export class ProcessWorker implements ArchiveWorker {
  readonly #process: AskedProcess;

  /** @param file the compiled program of the process */
  constructor(bounds: DuckBounds, silenceMs: number, file = `${__dirname}/worker-process.js`) {
    this.#process = new AskedProcess({
      file,
      arguments: [JSON.stringify(bounds)],
      heapMb: HEAP_MB,
      silenceMs,
    });
  }

  ids(question: RowsQuestion) {
    return this.#ask<readonly string[]>('ids', question);
  }

  known(files: TenantFiles, ids: readonly string[]) {
    return this.#ask<readonly string[]>('known', files, ids);
  }

  listRows(files: TenantFiles, ids: readonly string[]) {
    return this.#ask<readonly Row[]>('listRows', files, ids);
  }

  sizes(files: TenantFiles, ids: readonly string[]) {
    return this.#ask<readonly SizedId[]>('sizes', files, ids);
  }

  wholeRows(files: TenantFiles, ids: readonly string[], mark: string | null) {
    return this.#ask<readonly Row[]>('wholeRows', files, ids, mark);
  }

  texts(files: TenantFiles, ids: readonly string[], mark: string | null) {
    return this.#ask<readonly RowText[]>('texts', files, ids, mark);
  }

  groups(question: GroupsQuestion) {
    return this.#ask<readonly Row[]>('groups', question);
  }

  tally(question: TallyQuestion) {
    return this.#ask<readonly TallyRow[]>('tally', question);
  }

  write(...values: Parameters<FileWriter['write']>) {
    return this.#process.ask<number>('write', values, LIMITS.archiveWriteMs);
  }

  async leaves(...values: Parameters<FileWriter['leaves']>) {
    return Buffer.from(await this.#ask<Uint8Array>('leaves', ...values));
  }

  rowsAfter(...values: Parameters<FileWriter['rowsAfter']>) {
    return this.#ask<readonly Row[]>('rowsAfter', ...values);
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  #ask<T>(method: keyof FileReader | keyof FileWriter, ...values: readonly unknown[]): Promise<T> {
    return this.#process.ask<T>(method, values);
  }
}

/** Uses a process in the compiled service. A process cannot load TypeScript, so without a build DuckDB runs here. */
export const openWorker = (
  bounds: DuckBounds,
  silenceMs: number = LIMITS.archiveQuestionMs,
): ArchiveWorker =>
  __filename.endsWith('.js') ? new ProcessWorker(bounds, silenceMs) : new DuckWorker(bounds);
