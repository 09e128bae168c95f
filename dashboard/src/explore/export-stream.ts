import { bodyOf, exportPath, PAGE_HEADER } from '../api/session';
import type { ExploreFilter } from './use-explore-data';

export type ExportFormat = 'csv' | 'ndjson';

export interface ExportProgress {
  /** So far; of CSV an estimate from below while a row is on its way. */
  readonly events: number;
  readonly bytes: number;
  readonly totalCount: number;
}

export interface ExportedFile {
  readonly name: string;
  readonly content: Blob;
}

/** What is held in the page's own memory; a browser moves blobs to disk. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * The export of what the filter matches, whole.
 * @throws ServiceError for what the service refused; any other error where the stream was cut: never a part of a file
 */
export async function streamExport(request: {
  readonly format: ExportFormat;
  readonly filter: ExploreFilter;
  readonly expectedCount: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}): Promise<ExportedFile> {
  const { format, filter, signal, onProgress } = request;
  const given = Object.entries({ ...filter, format }).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  const response = await fetch(exportPath(new URLSearchParams(given)), { headers: PAGE_HEADER, signal });
  if (!response.ok || !response.body) await bodyOf(response);
  // Absent where counting takes the service too long; the page has counted too.
  const totalCount = Number(response.headers.get('X-Total-Count') ?? request.expectedCount);
  const count = format === 'csv' ? new CsvRows() : new Lines();
  const parts: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let [bytes, held] = [0, 0];
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    held += value.length;
    if (held >= PART_BYTES) {
      parts.push(new Blob(chunks));
      chunks = [];
      held = 0;
    }
    onProgress({ events: count.add(value), bytes, totalCount });
  }
  const name = /filename="?([^";]+)/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  return { name: name ?? `audit-activity.${format}`, content: new Blob([...parts, ...chunks]) };
}

const [NEWLINE, QUOTE] = [10, 34];

class Lines {
  private lines = 0;
  /** Lines so far. */
  add(chunk: Uint8Array): number {
    for (const byte of chunk) if (byte === NEWLINE) this.lines++;
    return this.lines;
  }
}

/** Ends of rows, which are those outside of quotes; the heading is none. */
class CsvRows {
  private rows = -1;
  private isQuoted = false;
  add(chunk: Uint8Array): number {
    for (const byte of chunk) {
      if (byte === QUOTE) this.isQuoted = !this.isQuoted;
      else if (byte === NEWLINE && !this.isQuoted) this.rows++;
    }
    return Math.max(0, this.rows);
  }
}

/** Hands a finished file to the browser's downloads. */
export function saveFile({ name, content }: ExportedFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download has its own hold on the content once the click was handled.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
