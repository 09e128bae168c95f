import { fieldNamed } from '../../../src/event/expression/expression';
import { partsOf } from '../explore/filter/parts';
import { fieldText, quoteValue } from '../explore/filter/value-text';
import type { In } from '../lib/texts';
import type { RULES } from './texts';

type Exception = Readonly<Record<string, string>>;

/** Exceptions as lines of the filter language: `principalName:svc_report AND hostName:APP01`. */
export const linesOf = (exceptions: readonly Exception[]): string =>
  exceptions
    .map((exception) =>
      Object.entries(exception)
        .map(([name, value]) => `${textOfField(name)}:${quoteValue(value)}`)
        .join(' AND '),
    )
    .join('\n');

/** @throws Error with the numbers of the lines that do not state values of fields */
export function exceptionsOf(text: string, t: In<typeof RULES>): Exception[] {
  const lines = text.split('\n').map((line, i) => ({ line: line.trim(), number: i + 1 }));
  const parsed = lines
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => ({ number, exception: exceptionOf(line) }));
  const wrong = parsed.filter(({ exception }) => exception === null).map(({ number }) => number);
  if (wrong.length > 0) throw new Error(t.badLines(wrong.join(', ')));
  return parsed.flatMap(({ exception }) => (exception ? [exception] : []));
}

function exceptionOf(line: string): Exception | null {
  const pairs: [string, string][] = [];
  for (const { selection } of partsOf(line)) {
    const [value, ...others] = selection?.values ?? [];
    if (!selection || selection.isExcluded || typeof value !== 'string' || others.length > 0) return null;
    pairs.push([selection.field, value]);
  }
  return pairs.length > 0 ? Object.fromEntries(pairs) : null;
}

function textOfField(name: string): string {
  const field = fieldNamed(name);
  return field ? fieldText(field) : name;
}
