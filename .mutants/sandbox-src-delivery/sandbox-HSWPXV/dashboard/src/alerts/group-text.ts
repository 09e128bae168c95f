import { FIELD_LABELS } from '../lib/field-labels';

export type Group = Readonly<Record<string, string | null>>;

/** The group of an alert or finding, as the service sends it: texts by field. */
export function groupOf(group: unknown): Group {
  const entries = Object.entries((group ?? {}) as object);
  return Object.fromEntries(entries.map(([name, value]) => [name, value === null ? null : String(value)]));
}

export const fieldLabel = (name: string): string =>
  Object.hasOwn(FIELD_LABELS, name) ? FIELD_LABELS[name as keyof typeof FIELD_LABELS] : name;

/** `Client address 203.0.113.9, Principal sa` */
export const groupText = (group: unknown): string =>
  Object.entries(groupOf(group))
    .map(([name, value]) => `${fieldLabel(name)} ${value ?? 'not captured'}`)
    .join(', ');
