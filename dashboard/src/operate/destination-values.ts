import type { DestinationTypesQuery } from '../../generated/operations';
import type { In } from '../lib/texts';
import type { OPERATE } from './texts';

export type TypeSpec = DestinationTypesQuery['destinationTypes'][number];
export type Field = Omit<TypeSpec['fields'][number], 'values'> & { readonly values: readonly string[] };
/** What is typed into the fields of a type, by name. */
export type Values = Readonly<Record<string, string | boolean>>;

/**
 * What a form begins with. Secrets are never shown, and neither are certificates.
 * @param settings of a destination; empty: it is a new one
 */
export const valuesOf = (fields: readonly Field[], settings: Readonly<Record<string, unknown>>): Values =>
  Object.fromEntries(fields.map((field) => [field.name, beginningOf(field, settings[field.name])]));

function beginningOf({ isSecret, kind, default: byDefault }: Field, stored: unknown): string | boolean {
  if (kind === 'switch') return stored === undefined ? byDefault === 'true' : stored === true;
  if (isSecret || kind === 'lines') return '';
  return stored === undefined ? (kind === 'choice' ? (byDefault ?? '') : '') : String(stored);
}

/** What of the typed values may wait while somebody signs in again. */
export const withoutSecrets = (fields: readonly Field[], values: Values): Values => ({
  ...values,
  ...Object.fromEntries(fields.filter(({ isSecret }) => isSecret).map(({ name }) => [name, ''])),
});

/** The settings that differ from what the form began with. An emptied one is null: as if it had never been given. */
export function settingsOf(fields: readonly Field[], values: Values, before: Values) {
  const changed = fields.filter(({ name, isSecret }) => !isSecret && values[name] !== before[name]);
  return orNull(changed.map(({ name }) => [name, values[name] === '' ? null : values[name]]));
}

/** The secrets that are filled in. @throws Error if headers are not written as headers */
export const secretsOf = (fields: readonly Field[], values: Values, t: In<typeof OPERATE>) =>
  orNull(
    fields
      .filter(({ name, isSecret }) => isSecret && values[name])
      .map(({ name, kind, label }) => [
        name,
        kind === 'headers' ? headersOf(String(values[name]), label, t) : values[name],
      ]),
  );

const orNull = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> | null =>
  entries.length > 0 ? Object.fromEntries(entries) : null;

function headersOf(text: string, label: string, t: In<typeof OPERATE>): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf(':');
    if (at < 1) throw new Error(t.badHeader(label));
    const name = line.slice(0, at).trim();
    if ([...headers.keys()].some((one) => one.toLowerCase() === name.toLowerCase()))
      throw new Error(t.twice(label, name));
    headers.set(name, line.slice(at + 1).trim());
  }
  return Object.fromEntries(headers);
}

/** What the service says of a field, or of a part of it. @param at its place in the request, such as `settings.index` */
export const problemAt = (problems: Readonly<Record<string, string>>, at: string): string | undefined =>
  Object.entries(problems).find(([field]) => field === at || field.startsWith(`${at}.`))?.[1];

export const placeOf = ({ name, isSecret }: Field): string => `${isSecret ? 'secrets' : 'settings'}.${name}`;
