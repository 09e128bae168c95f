import { DAY_MS, HOUR_MS } from '../../src/event/event-time';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { planOf, type Question } from '../../src/store/plan';

type Kind = Question['kind'] | 'bars of 15 minutes' | 'bars of a day' | 'hosts';
const KINDS: readonly Kind[] = [
  ...(['page', 'summary', 'histogram', 'bars of 15 minutes', 'bars of a day'] as const),
  ...(['facets', 'groups', 'hosts', 'export'] as const),
];

function planned(kind: Kind, given: Readonly<Record<string, string>>) {
  const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, given));
  switch (kind) {
    case 'page':
    case 'summary':
    case 'groups':
    case 'export':
      return planOf({ kind, filter });
    case 'histogram':
      return planOf({ kind, filter, widthMs: 2 * HOUR_MS });
    case 'bars of 15 minutes':
      return planOf({ kind: 'histogram', filter, widthMs: HOUR_MS / 4 });
    case 'bars of a day':
      return planOf({ kind: 'histogram', filter, widthMs: 7 * DAY_MS });
    case 'facets':
      return planOf({ kind, filter, fields: ['actionId', 'succeeded'] });
    case 'hosts':
      return planOf({ kind: 'facets', filter, fields: ['actionId', 'hostName'] });
  }
}

/** For each filter: where the answer of each kind comes from, in the order of `KINDS`. */
const TABLE: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [{}, 'counts counts counts events counts counts columns columns counts'],
  [{ startTime: '2026-01-01T00:00:00Z' }, 'counts counts counts events counts counts columns columns counts'],
  [{ actionId: 'SL' }, 'counts columns counts events counts counts columns columns counts'],
  [{ succeeded: 'false' }, 'counts columns counts events counts counts columns columns counts'],
  [{ serverInstanceName: 'S' }, 'counts columns counts events counts counts columns columns counts'],
  [
    { actionId: 'SL', databaseName: 'D' },
    'counts columns events events counts counts columns columns counts',
  ],
  [{ search: 'word' }, 'words columns words events words words columns columns words'],
  [{ search: 'word', actionId: 'SL' }, 'words columns words events words words columns columns words'],
  [{ hostName: 'H' }, 'columns columns columns columns columns columns columns columns columns'],
  [{ filter: 'actionId:SL AND word' }, 'words columns words events words words columns columns words'],
  [
    { filter: 'actionId:(SL OR UP)' },
    'columns columns columns columns columns columns columns columns columns',
  ],
  [
    { search: 'word', hostName: 'H' },
    'columns columns columns columns columns columns columns columns columns',
  ],
];

describe('the plan of a question', () => {
  it.each(TABLE)('for %j is as the table says', (given, wanted) => {
    expect(KINDS.map((kind) => planned(kind, given).by).join(' ')).toBe(wanted);
  });

  it('says why, in words of the question', () => {
    expect(planned('page', { hostName: 'H' }).because).toBe('counts do not know the filter hostName');
    expect(planned('hosts', {}).because).toBe('counts do not know the field hostName');
    expect(planned('page', { search: 'word' }).because).toMatch(/search index/);
  });

  it('lets only lists and summaries that counts answer go without a turn', () => {
    const quick = TABLE.flatMap(([given]) =>
      KINDS.filter((kind) => !planned(kind, given).isLong).map((kind) => `${kind} ${JSON.stringify(given)}`),
    );
    expect(quick).toEqual([
      'page {}',
      'summary {}',
      'page {"startTime":"2026-01-01T00:00:00Z"}',
      'summary {"startTime":"2026-01-01T00:00:00Z"}',
      'page {"actionId":"SL"}',
      'page {"succeeded":"false"}',
      'page {"actionId":"SL","databaseName":"D"}',
    ]);
  });

  const wanted = (kind: Kind, given: Readonly<Record<string, string>>) => planned(kind, given).planning;

  it('plans statements with words in a time range, or with expressions, for their values, each time', () => {
    const from = { startTime: '2026-01-01T00:00:00Z' };
    const to = { endTime: '2026-01-01T00:00:00Z' };
    for (const given of [
      { search: 'word', ...from },
      { search: 'word', ...to },
      { search: 'word', actionId: 'SL', ...from, ...to },
      { filter: 'actionId:(SL OR UP)' },
    ])
      expect(KINDS.map((kind) => wanted(kind, given))).toEqual(KINDS.map(() => 'each'));
    for (const given of [{}, from, { actionId: 'SL' }, { hostName: 'H', ...to }])
      expect(KINDS.map((kind) => wanted(kind, given))).toEqual(KINDS.map(() => 'once'));
  });

  it('plans a page of words of all time once, and other answers to words each time', () => {
    for (const given of [
      { search: 'word' },
      { filter: 'word' },
      { search: 'word "two words"', actionId: 'SL' },
    ])
      expect(KINDS.filter((kind) => wanted(kind, given) === 'once')).toEqual(['page']);
  });
});
