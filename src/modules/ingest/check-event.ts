import type { JsonScalar } from '../../event/audit-record';
import { floorDiv, parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { AUDIT_EVENT_FIELDS, FIELD_NAMES, type FieldSpec, INGEST_FIELDS } from '../../event/fields';
import { recordIdOf } from '../../event/record-id';
import { isUuid } from '../../event/uuid';
import { LIMITS } from '../../limits';
import {
  type CheckedEvent,
  type CheckedRecord,
  SOURCE_NAMES,
  sourceOf,
  statedJsonOf,
  VALUE_CHARS_MAX,
} from '../../store/bytes/checked-event';
import { freeName, isOfThisTime, marked, withoutSalt } from './clock-mark';

/** The reasons why an event of a batch was not stored. */
const REJECTION_CODES = {
  invalid_event: 'The event lacks a field, or a field has a wrong type or length.',
} as const;
type RejectionCode = keyof typeof REJECTION_CODES;
export interface Rejection {
  readonly code: RejectionCode;
  /** The first problems, and the number of further ones. */
  readonly message: string;
  /** The first problem and the number of further ones, for an answer with many rejections. */
  readonly brief: string;
}

export type Checked = { readonly event: CheckedEvent } | { readonly rejection: Rejection };

export const SPECS = INGEST_FIELDS.filter((name) => name !== 'eventTime').map((name) => {
  const { kind, nullable, charsMax }: FieldSpec = AUDIT_EVENT_FIELDS[name];
  return { name, isBoolean: kind === 'boolean', nullable, charsMax: charsMax ?? Number.POSITIVE_INFINITY };
});
export const FILE_CHARS_MAX = 1024;
const TIME_SPEC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z$/;

/** Checks an event of a batch against the field table. @returns the event with its id, or every problem */
export function checkEvent(tenantId: number, given: unknown, nowMs: number): Checked {
  if (!isObject(given)) return rejected('invalid_event', ['the event must be an object']);
  const problems: string[] = [];
  const ticks = ticksOf(given.eventTime);
  if (ticks === null) problems.push(given.eventTime ? TIME_PROBLEM : 'eventTime is missing');
  for (const spec of SPECS) {
    const problem = fieldProblem(spec, given[spec.name] ?? null);
    if (problem) problems.push(`${spec.name} ${problem}`);
  }
  addSourceProblems(given, problems);
  addServiceFields(given, problems);
  const unknown = unknownFieldsOf(given);
  const sent = given as unknown as CheckedRecord;
  const record =
    unknown.length === 0 || problems.length > 0 ? sent : withUnknownFields(sent, given, unknown, problems);
  if (problems.length > 0 || ticks === null)
    return rejected('invalid_event', problems, addUnknownFields(unknown, problems));

  const isUsual = isOfThisTime(Number(floorDiv(ticks, TICKS_PER_MS)), nowMs);
  const stored = withoutSalt(isUsual ? record : marked(record, ticks, nowMs));
  const recordId = recordIdOf(tenantId, ticks < 0n ? 0n : ticks, sourceOf(stored));
  return { event: { recordId, record: stored, stated: statedJsonOf(stored) } };
}

function fieldProblem(spec: (typeof SPECS)[number], value: unknown): string | null {
  if (value === null || (value === '' && spec.nullable)) return spec.nullable ? null : 'is missing';
  if (spec.isBoolean) return typeof value === 'boolean' ? null : 'must be true or false';
  if (typeof value !== 'string') return 'must be text';
  if (value === '') return 'must not be empty';
  return value.length > spec.charsMax ? `is longer than ${spec.charsMax} characters` : null;
}

const ticksOf = (value: unknown) =>
  typeof value === 'string' && TIME_SPEC.test(value) ? parseTicks(value) : null;
const TIME_PROBLEM = 'eventTime must be a UTC time such as 2026-11-19T23:59:56.8651234Z';

function addSourceProblems(given: Readonly<Record<string, unknown>>, problems: string[]): void {
  const { file, fileGuid, blockOffset, index, parts, additional } = given;
  if (typeof file !== 'string' || file === '' || file.length > FILE_CHARS_MAX)
    problems.push('file must be a file name');
  if (typeof fileGuid !== 'string' || !isUuid(fileGuid)) problems.push('fileGuid must be a GUID');
  if (!isCount(blockOffset)) problems.push('blockOffset must be a whole number');
  if (!isCount(index)) problems.push('index must be a whole number');
  if (parts !== undefined && parts !== null && !isCount(parts)) problems.push('parts must be a whole number');
  if (additional !== undefined && additional !== null) {
    if (!isObject(additional)) problems.push('additional must be an object');
    else addAdditionalProblems(additional, problems);
  }
}

const OF_SOURCE = new Set<string>(SOURCE_NAMES);

/** The characters shown of a name that a caller invented. */
export const NAME_CHARS_SHOWN = 60;
const KNOWN_FIELDS = new Set<string>([...FIELD_NAMES, ...SOURCE_NAMES, 'additional']);
const SERVICE_FIELDS = FIELD_NAMES.filter((name) => AUDIT_EVENT_FIELDS[name].from === 'service');

/** An id or tenant in an event would be replaced by the service's, so it is reported as a problem. */
function addServiceFields(given: Readonly<Record<string, unknown>>, problems: string[]): void {
  for (const name of SERVICE_FIELDS)
    if (given[name] !== undefined)
      problems.push(`${quoted(name)} is not a field of an event: the service sets it`);
}

/** The names of the fields that this release does not know. */
function unknownFieldsOf(given: Readonly<Record<string, unknown>>): readonly string[] {
  let unknown: string[] | null = null;
  for (const name in given) {
    if (KNOWN_FIELDS.has(name)) continue;
    unknown ??= [];
    unknown.push(name);
  }
  return unknown ?? NONE;
}
const NONE: readonly string[] = [];

/**
 * Moves the unknown fields of a newer agent's event into `additional`, so that they are stored, answered, exported and
 * part of the leaf hash like every value there. No stated value is replaced.
 */
function withUnknownFields(
  sent: CheckedRecord,
  given: Readonly<Record<string, unknown>>,
  unknown: readonly string[],
  problems: string[],
): CheckedRecord {
  const max = LIMITS.unknownFieldsMax;
  if (unknown.length > max) {
    problems.push(`the event has ${unknown.length} unknown fields, and may have at most ${max}`);
    return sent;
  }
  // A map, because an object would treat the name __proto__ specially.
  const additional = new Map<string, JsonScalar>(Object.entries(sent.additional ?? {}));
  for (const name of unknown) {
    const value = scalarOf(given[name]);
    if (value === undefined) problems.push(`${quoted(name)} has more than ${LIMITS.jsonDepthMax} levels`);
    else if (!additional.has(name) || additional.get(name) !== value)
      additional.set(freeName(name, additional), value);
  }
  const merged = Object.fromEntries(additional);
  addAdditionalProblems(merged, problems);
  const known = Object.entries(sent).filter(([name]) => KNOWN_FIELDS.has(name));
  return { ...(Object.fromEntries(known) as unknown as CheckedRecord), additional: merged };
}

/** The form in which `additional` can hold a value: the value itself, or its JSON. Undefined: it is nested too deep. */
function scalarOf(value: unknown): JsonScalar | undefined {
  if (typeof value !== 'object' || value === null) return (value ?? null) as JsonScalar;
  return isDeeper(value, LIMITS.jsonDepthMax) ? undefined : JSON.stringify(value);
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/**
 * Adds the unknown fields of a rejected event to its problems, because one of them may be a misspelt known field.
 * @returns the number of unknown fields that were not added
 */
function addUnknownFields(unknown: readonly string[], problems: string[]): number {
  const room = Math.max(LIMITS.rejectionProblemsMax - problems.length, 0);
  for (const name of unknown.slice(0, room)) problems.push(`${quoted(name)} is not a field of an event`);
  return Math.max(unknown.length - room, 0);
}
const quoted = (name: string) => JSON.stringify(name.slice(0, NAME_CHARS_SHOWN));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

function addAdditionalProblems(additional: Record<string, unknown>, problems: string[]): void {
  let chars = 0;
  for (const name in additional) {
    const value = additional[name];
    if (typeof value === 'object' && value !== null)
      return void problems.push('additional must not be nested');
    if (OF_SOURCE.has(name))
      return void problems.push(`additional must not have ${name}, which says where the record stood`);
    chars += name.length + (typeof value === 'string' ? value.length : VALUE_CHARS_MAX);
  }
  if (chars > LIMITS.additionalCharsMax)
    problems.push(`additional is longer than ${LIMITS.additionalCharsMax} characters`);
}

/** @param beside the number of problems that are counted and not named */
export function rejected(code: RejectionCode, problems: readonly string[], beside = 0): Checked {
  const tell = (shown: number) => {
    const more = problems.length + beside - shown;
    return problems.slice(0, shown).join('; ') + (more > 0 ? `; and ${more} more` : '');
  };
  const shown = Math.min(problems.length, LIMITS.rejectionProblemsMax);
  return { rejection: { code, message: tell(shown), brief: tell(1) } };
}
