/** What the answers of tools are, as JSON schemas. Each answer also has what `answered` adds. */
const text = (description: string) => ({ type: 'string', description });
const count = (description: string) => ({ type: 'integer', minimum: 0, description });
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
});

const TABLE = {
  columns: { type: 'array', items: { type: 'string' } },
  same: { type: 'object', description: 'Columns whose value is the same in all rows.' },
  rows: { type: 'array', items: { type: 'array' }, description: 'Values in the order of `columns`.' },
};
const TOTAL = count('The exact number of all that match, also of those that are not listed.');

/** What the answers of all tools can have. */
const ANSWERED = {
  asked: {
    type: 'object',
    description: 'The question as it was understood, with the filter as it was parsed.',
  },
  completeThrough: {
    type: ['string', 'null'],
    description: 'Up to this time every source has sent its events. Null: not known of every source.',
  },
  gaps: count(
    'Parts of the audit trail that are missing and may concern the question; see the tool coverage.',
  ),
};

const withAnswered = (properties: object, required: readonly string[]) =>
  object({ ...properties, ...ANSWERED }, [...required, 'asked']);

export const LISTED = withAnswered(
  { total: TOTAL, ...TABLE, cursor: text('For the rows that follow. Absent: there are none.') },
  ['total', 'columns', 'rows'],
);
export const COUNTED = withAnswered({ total: TOTAL, groups: count('The number of all groups.'), ...TABLE }, [
  'total',
  'groups',
  'columns',
  'rows',
]);
export const OVER_TIME = withAnswered(
  {
    total: TOTAL,
    startTime: { type: ['string', 'null'] },
    endTime: { type: ['string', 'null'] },
    bucketSeconds: count('The length of a stretch.'),
    ...TABLE,
  },
  ['total', 'columns', 'rows'],
);
const USUAL = {
  type: 'object',
  description:
    'Counts of the 90 days before it: what is first seen, uncommon or of high volume, each with its filter; the three logins that use its object most. No score.',
};
export const EVENT = withAnswered({ statement: text('Its beginning, between fences.'), usual: USUAL }, [
  'recordId',
  'eventTime',
]);
export const EXPLAINED = withAnswered(
  {
    filter: { type: ['string', 'null'] },
    words: text('What the filter means.'),
    plans: {
      type: 'array',
      items: { type: 'object' },
      description: 'What each kind of question would read.',
    },
  },
  ['words', 'plans'],
);
export const SOURCES = withAnswered(
  { total: count('The number of sources.'), sources: object(TABLE), missing: object(TABLE) },
  ['total', 'sources', 'missing'],
);
