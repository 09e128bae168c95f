import { bodyOf, exportPath, PAGE_HEADER } from '../api/session';
import type { ExploreFilter } from './explore-filter';

export type ExportFormat = 'csv' | 'ndjson';

export interface ExportProgress {
  /** The least number of events so far. */
  readonly events: number;
  readonly bytes: number;
  readonly totalCount: number;
}

export interface ExportedFile {
  readonly name: string;
  readonly content: Blob;
  readonly events: number;
  /** Events that the service counted when the export began, and that are not in it. */
  readonly missing: number;
}

/** The most bytes in the page's own memory; a browser can move blobs to disk. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * The complete export of the events that the filter matches, checked against the number of events that its last line
 * states. It never returns a part of a file.
 * @throws ServiceError if the service refuses; any other error if the stream was cut
 */
export async function streamExport(request: {
  readonly format: ExportFormat;
  readonly filter: ExploreFilter;
  readonly expectedCount: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
  /** What is said of a stream that was cut. */
  readonly cut: string;
}): Promise<ExportedFile> {
  const { format, filter, signal, onProgress } = request;
  const given = Object.entries({ ...filter, format, end: 1 }).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  const response = await fetch(exportPath(new URLSearchParams(given)), { headers: PAGE_HEADER, signal });
  if (!response.ok || !response.body) await bodyOf(response);
  // The header is absent if counting takes the service too long; the page has a count of its own.
  const counted = response.headers.get('X-Total-Count');
  const totalCount = Number(counted ?? request.expectedCount);
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
  const content = await withoutEnd(new Blob([...parts, ...chunks]), format, count.total, request.cut);
  const missing = counted === null ? 0 : Math.max(0, totalCount - count.total);
  return { name: name ?? `audit-activity.${format}`, content, events: count.total, missing };
}

const END_BYTES_MAX = 64;
const ENDS = { csv: /(?<=^|\r\n)#end,(\d+)\r\n$/, ndjson: /(?<=^|\n)\{"end":\{"count":(\d+)\}\}\n$/ };

/** The content without its last line. @throws Error if that line is missing, or states another number of events */
async function withoutEnd(content: Blob, format: ExportFormat, events: number, cut: string): Promise<Blob> {
  // A chunk may end within a character, so this reads one character per byte.
  const tail = new TextDecoder('latin1').decode(await content.slice(-END_BYTES_MAX).arrayBuffer());
  const [line, count] = ENDS[format].exec(tail) ?? [];
  if (line === undefined || Number(count) !== events) throw new Error(cut);
  return content.slice(0, content.size - line.length);
}

const [NEWLINE, QUOTE] = [10, 34];

class Lines {
  /** Counts the lines except the last one, which states their number. */
  total = -1;
  /** Events so far. */
  add(chunk: Uint8Array): number {
    for (const byte of chunk) if (byte === NEWLINE) this.total++;
    return Math.max(0, this.total);
  }
}

/** Counts rows by their line ends outside of quotes, without the heading and the last line. */
class CsvRows {
  total = -2;
  private isQuoted = false;
  add(chunk: Uint8Array): number {
    for (const byte of chunk) {
      if (byte === QUOTE) this.isQuoted = !this.isQuoted;
      else if (byte === NEWLINE && !this.isQuoted) this.total++;
    }
    return Math.max(0, this.total);
  }
}
