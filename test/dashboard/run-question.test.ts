import { parametersOf } from '../../dashboard/src/reports/report-parameters';
import { runQuestion } from '../../dashboard/src/reports/run-question';
import { recipientsOf, type Schedule, timesInWords } from '../../dashboard/src/reports/schedule-words';
import { REPORTS } from '../../dashboard/src/reports/texts';

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

describe('the form of a report', () => {
  it.each([
    ['trail-health', [], []],
    ['controls', [], ['framework']],
    ['log-ons', [], ['filter']],
    ['object', ['objectName', 'filter', 'databaseName'], ['objectName', 'databaseName', 'filter']],
  ])('of %s that needs one of %j asks for %j, each once', (reportId, needs, asked) => {
    expect(parametersOf(reportId, needs)).toEqual(asked);
  });
});

describe('a schedule in words', () => {
  it('has its times, by name or as they are written, and their zone', () => {
    const words = (every: string | null, cron: string) =>
      timesInWords({ every, cron, timeZone: 'Europe/Berlin' } as Schedule, REPORTS);
    expect(words('daily', '0 6 * * *')).toBe('each day at 6:00, Europe/Berlin');
    for (const every of [null, 'custom']) expect(words(every, '5 4 * * 1')).toBe('5 4 * * 1, Europe/Berlin');
  });

  it('has its files, and the addresses or the destination that get them', () => {
    const to = (emails: string[], destinationId: string | null) =>
      recipientsOf({ formats: ['pdf', 'csv'], emails, destinationId } as unknown as Schedule, REPORTS);
    expect([to(['a@x.example'], null), to(['a@x.example', 'b@x.example'], null), to([], 'd1')]).toEqual([
      'pdf and csv to a@x.example',
      'pdf and csv to a@x.example, b@x.example',
      'pdf and csv to destination d1',
    ]);
  });
});
