import type { FIELD_LABELS } from '../lib/field-labels';
import type { In } from '../lib/texts';

type Labels = In<typeof FIELD_LABELS>;
export type Group = Readonly<Record<string, string | null>>;

/** The group of an alert or finding, as the service sends it: texts by field. */
export function groupOf(group: unknown): Group {
  const entries = Object.entries((group ?? {}) as object);
  return Object.fromEntries(entries.map(([name, value]) => [name, value === null ? null : String(value)]));
}

export const fieldLabel = (name: string, labels: Labels): string =>
  Object.hasOwn(labels, name) ? labels[name as keyof Labels] : name;

/** `Client address 203.0.113.9, Principal sa`. @param absent stands for a value that was not captured */
export const groupText = (group: unknown, labels: Labels, absent: string): string =>
  Object.entries(groupOf(group))
    .map(([name, value]) => `${fieldLabel(name, labels)} ${value ?? absent}`)
    .join(', ');
