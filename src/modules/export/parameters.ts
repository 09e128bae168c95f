import { refusal } from '../../errors';
import { FEED_FORMAT_NAMES, FEED_FORMATS_DOC } from '../../event/formats/formats';
import type { QuerySpecs } from '../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../event/parameters';
import { type Given, parseParameters } from '../../event/parse-parameters';
import { conflict } from '../../problem';
import { EXPORT_FORMAT_NAMES } from './formats';

export const EXPORT_PARAMETERS = {
  format: { kind: 'choice', values: EXPORT_FORMAT_NAMES, default: 'ndjson', doc: 'Form of the lines.' },
  schema: {
    kind: 'choice',
    values: FEED_FORMAT_NAMES,
    default: 'native',
    doc: `Schema of the events. ${FEED_FORMATS_DOC}. Others than \`native\` with \`ndjson\` only.`,
  },
  ...FILTER_PARAMETERS,
  cursor: {
    kind: 'id',
    doc:
      'Goes on after the event of this recordId: the last whole line of an export that broke off. ' +
      'CSV begins with the line of names again.',
  },
  end: {
    kind: 'choice',
    values: ['1'],
    doc:
      'Adds a last line that says how many events stand before it in this answer: ' +
      'a file without it is not whole.',
  },
} as const satisfies QuerySpecs;

/** Parses the parameters of an export. @throws DomainError `invalid_parameter` that names every problem */
export function parseExport(query: Given) {
  const values = parseParameters(EXPORT_PARAMETERS, query);
  if (values.schema !== 'native' && values.format !== 'ndjson')
    throw refusal([
      conflict('schema', `schema=${values.schema} is written with format=ndjson only: its events are nested`),
    ]);
  return values;
}
