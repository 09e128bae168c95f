import { createHash } from 'node:crypto';
import { z } from 'zod';
import { GAP_REASONS, type GapReason, REPORT_CHARS_MAX } from '../../src/event/source-report';

const REASONS = Object.keys(GAP_REASONS) as GapReason[];

const gap = z.object({
  /** UUID that follows from the gap's facts: a gap that is found again gets the same one. */
  gapId: z.string(),
  reason: z.enum(REASONS),
  fileName: z.string(),
  /** Null if the file was never opened. */
  fileGuid: z.string().nullable(),
  /** What is missing and why, as a sentence for people. */
  detail: z.string(),
  /** ISO 8601 event time of the last record before the gap; null: unknown. */
  afterTime: z.string().nullable(),
  /** ISO 8601 event time of the first record after the gap; null: unknown. */
  beforeTime: z.string().nullable(),
  /** ISO 8601, the agent's clock. */
  detectedAt: z.string(),
});
/** A part of the audit trail that is known not to be published. */
export type Gap = Readonly<z.infer<typeof gap>>;
/** A gap on disk. */
export const storedGap = gap.extend({
  /** The service has it, and does not know its end. */
  isReported: z.literal(true).optional(),
});

interface GapFacts extends Omit<Gap, 'gapId' | 'detectedAt'> {
  /** Label of the database in the configuration. */
  readonly database: string;
  /** The part of the file that is missing, in a form that never changes: `blocks 5-9`, `bytes 512-1024`. */
  readonly range: string;
  readonly detectedAtMs: number;
}

/** A gap with the id that follows from its facts. Neither the tenant nor the times are among these facts. */
export function toGap({ database, range, detectedAtMs, ...facts }: GapFacts): Gap {
  const file = facts.fileGuid ?? facts.fileName;
  return {
    ...facts,
    gapId: uuidOf([database, file, facts.reason, range]),
    fileName: facts.fileName.slice(0, REPORT_CHARS_MAX.fileName),
    detail: facts.detail.slice(0, REPORT_CHARS_MAX.detail),
    detectedAt: new Date(detectedAtMs).toISOString(),
  };
}

/** A UUID of version 8 (RFC 9562): its bits are a hash of the facts. */
function uuidOf(facts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(facts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
