import { runQuestion } from '../../dashboard/src/reports/run-question';

const PERIOD = { startTime: '2026-01-01T00:00:00Z', endTime: '2026-02-01T00:00:00Z' };
const signed = (filter: string | null, parameters: object, recordIdsRoot: string | null = 'root') =>
  JSON.stringify({ question: { ...PERIOD, timeZone: 'UTC', filter, parameters }, recordIdsRoot });

describe('the question of a run, for the package of its events', () => {
  it.each([
    ['has the period alone', signed(null, {}), PERIOD],
    ['has the filter of the report', signed('actionId:LGIS', {}), { ...PERIOD, filter: 'actionId:LGIS' }],
    [
      'has the filter of the caller, and values beside it, but nothing that is no filter',
      signed(null, {
        filter: 'a OR b',
        databaseName: 'Payroll',
        succeeded: false,
        search: 'x',
        framework: 'cis',
      }),
      { ...PERIOD, filter: 'a OR b', databaseName: 'Payroll', succeeded: false, search: 'x' },
    ],
    [
      'has both filters, each whole',
      signed('actionId:A OR actionId:B', { filter: 'c OR d' }),
      { ...PERIOD, filter: '(actionId:A OR actionId:B) AND (c OR d)' },
    ],
  ])('%s', (_, manifest, question) => {
    expect(runQuestion(manifest)).toEqual(question);
  });

  it('is none where the rows are no events', () => {
    expect(runQuestion(signed(null, { framework: 'cis' }, null))).toBeNull();
  });
});
