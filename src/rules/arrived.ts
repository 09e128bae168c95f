import { microsecondsOfRecordId } from '../event/record-id';
import { type ArrivedRow, additionalOf, fieldsMapper, valuesOf } from '../store/log/arrivals/row-text';
import { textOrNull } from '../store/rows/stored-text';
import type { DetectionEvent } from './event';

/** An event, or its row as the database returned it, of which this thread makes the event. */
export type Arrived = DetectionEvent | ArrivedRow;

export const toDetectionEvent = (arrived: Arrived): DetectionEvent =>
  'text' in arrived ? ofRow(arrived) : arrived;

function ofRow(row: ArrivedRow): DetectionEvent {
  const values = valuesOf(row);
  const { recordId, position } = row;
  const at = microsecondsOfRecordId(recordId);
  return { recordId, at, position, fields: toFields(values), additional: additionalOf(values) };
}

const SHARED_MAX = 10_000;
const shared = new Map<string, string | null>();

/** Windows keep texts of events. So equal texts are one, and none is a slice that keeps its whole row. */
function sharedText(stored: string): string | null {
  const known = shared.get(stored);
  if (known !== undefined) return known;
  const own = Buffer.from(stored).toString();
  const text = textOrNull(own);
  if (shared.size >= SHARED_MAX) shared.clear();
  shared.set(own, text);
  return text;
}

const toFields = fieldsMapper(sharedText);
