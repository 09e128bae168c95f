import type { JsonScalar } from './audit-record';
import { type AuditEvent, isNumberField, LIFTED_CHARS_MAX, LIFTED_NAMES, type LiftedName } from './fields';

/** What an event states, as far as lifted fields are read from it. */
export interface Stating {
  readonly actionId: AuditEvent['actionId'];
  readonly additional: { readonly [key: string]: JsonScalar };
}
export type LiftedValues = { readonly [N in LiftedName]: string | null };

/** The actions that change the members of a role, as a regular expression that PostgreSQL reads in the same way. */
export const ROLE_CHANGE = '^[AD]PRL *$';
const IS_ROLE_CHANGE = new RegExp(ROLE_CHANGE);
/** The fields that name the member of a changed role. The first one that has a value does. */
export const MEMBER_FIELDS = ['targetServerPrincipalName', 'targetDatabasePrincipalName'] as const;

/** What an event states in `additional` that a lifted field is read from. */
export const statedFor = (name: LiftedName): readonly string[] =>
  name === 'roleMember' ? MEMBER_FIELDS : [name];

/**
 * The value of a lifted field; null: the event states none. `src/store/rows/lifted-sql.ts` says the same in SQL.
 */
export function liftedValue(name: LiftedName, event: Stating): string | null {
  if (name === 'roleMember') {
    if (!IS_ROLE_CHANGE.test(event.actionId)) return null;
    return MEMBER_FIELDS.map((field) => liftedValue(field, event)).find((value) => value !== null) ?? null;
  }
  const stated = event.additional[name];
  if (isNumberField(name)) return integerText(textOf(stated));
  const text = textOf(stated);
  if (text === null || charsOf(text) > LIFTED_CHARS_MAX) return null;
  // SQL Server pads codes with spaces.
  return (name === 'classType' ? text.replace(/ +$/, '') : text) || null;
}

/** The values of all lifted fields. */
export function liftedOf(event: Stating): LiftedValues {
  const values: Partial<Record<LiftedName, string | null>> = {};
  for (const name of LIFTED_NAMES) values[name] = liftedValue(name, event);
  return values as LiftedValues;
}

/** Numbers count where they are whole and a double holds them exactly. */
function textOf(stated: JsonScalar | undefined): string | null {
  if (typeof stated === 'string') return stated;
  return typeof stated === 'number' && Number.isSafeInteger(stated) ? String(stated) : null;
}

/** The database stores these characters as two. */
const STORED_AS_TWO = /[\u{10F000}-\u{10FFFF}]/gu;

function charsOf(text: string): number {
  if (2 * text.length <= LIFTED_CHARS_MAX) return text.length;
  return [...text].length + (text.match(STORED_AS_TWO)?.length ?? 0);
}

export const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n } as const;
const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
/** Integers of so few characters are below 2^53. */
const SAFE_CHARS = 15;

/** The text of an integer of 64 bits in its only form; null: the text is none. */
export function integerText(text: string | null): string | null {
  if (text === null || !INTEGER.test(text)) return null;
  if (text.length <= SAFE_CHARS) return text;
  const value = BigInt(text);
  return value >= INT64.min && value <= INT64.max ? text : null;
}

/** An integer that is compared exactly: a number where a double holds it, else a bigint. */
export const exactInteger = (text: string): number | bigint =>
  text.length <= SAFE_CHARS ? Number(text) : BigInt(text);
