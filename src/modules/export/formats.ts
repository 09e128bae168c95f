import { type Cell, csvLines } from '../../csv';
import { FIELD_NAMES, LIFTED_NAMES } from '../../event/fields';
import { toFeedItem } from '../../event/formats/feed-item';
import { FEED_FORMATS, type FeedFormat } from '../../event/formats/formats';
import { liftedOf } from '../../event/lifted';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';

export type ExportedEvents = readonly StoredAuditEvent[];

/** Writes events one after the other. */
export interface ExportFormat {
  readonly mediaType: string;
  /** The text before the first event. */
  readonly head: string;
  readonly line: (event: StoredAuditEvent) => string;
  /** The last line, on request: the number of events before it. */
  end(count: number): string;
}

const COLUMNS = [...FIELD_NAMES, 'additional', ...LIFTED_NAMES];
const cellsOf = (event: StoredAuditEvent): Cell[] => [
  ...FIELD_NAMES.map((name) => event[name]),
  JSON.stringify(event.additional),
  ...Object.values(liftedOf(event)),
];

export const EXPORT_FORMATS = {
  ndjson: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: (event) => `${JSON.stringify(toFeedItem({ event }))}\n`,
    end: (count) => `${JSON.stringify({ end: { count } })}\n`,
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    head: csvLines([COLUMNS]),
    line: (event) => csvLines([cellsOf(event)]),
    end: (count) => `#end,${count}\r\n`,
  },
} as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof EXPORT_FORMATS;
export const EXPORT_FORMAT_NAMES = Object.keys(EXPORT_FORMATS) as ExportFormatName[];

/** The format whose lines are events of a schema. */
export function formatOf(name: ExportFormatName, schema: FeedFormat): ExportFormat {
  const { toObject } = FEED_FORMATS[schema];
  const format = EXPORT_FORMATS[name];
  if (schema === 'native') return format;
  return { ...format, line: (event) => `${JSON.stringify(toObject({ event }))}\n` };
}
