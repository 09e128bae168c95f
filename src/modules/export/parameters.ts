import { FILTER_PARAMETERS, type ParameterSpecs } from '../../event/parameters';
import { EXPORT_FORMAT_NAMES } from './formats';

export const EXPORT_PARAMETERS = {
  format: { kind: 'choice', values: EXPORT_FORMAT_NAMES, default: 'ndjson', doc: 'Form of the lines.' },
  ...FILTER_PARAMETERS,
  cursor: {
    kind: 'id',
    doc: 'Goes on after the event of this recordId: the last whole line of an export that broke off.',
  },
  end: {
    kind: 'choice',
    values: ['1'],
    doc: 'Adds a last line that says how many events stand before it: a file without it is not whole.',
  },
} as const satisfies ParameterSpecs;
