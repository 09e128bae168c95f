import { toSummaryFilter } from '../../src/event/query';
import { LIMITS } from '../../src/limits';
import { namesBefore } from '../../src/modules/compliance/instances';
import { laterOfTenant, objectKey, oneOf } from '../../src/modules/compliance/later-questions';
import { tenantSet } from '../../src/tenant-set';

describe('the server instances of a tenant', () => {
  const TO = '2026-01-05T08:00:00.0000000Z';
  const value = (name: string | null, succeeded: number, failed = 0) => ({ value: name, succeeded, failed });
  const of = async (totalCount: number, values: readonly ReturnType<typeof value>[] | null) => {
    const asked: unknown[] = [];
    const names = await namesBefore(
      {
        ask: { facets: async () => ({ totalCount, facets: [{ values }] }) },
        group: async (fields, given) => {
          asked.push([fields, given]);
          return [{ values: ['A'] }, { values: ['B'] }, { values: [''] }] as never;
        },
      },
      tenantSet([7]),
      TO,
    );
    return [[...names], asked];
  };
  const READ = [[['serverInstanceName'], { endTime: TO }]];

  it('are those of the counts where these have every event, also refused ones', async () => {
    expect(await of(9, [value('A', 4, 2), value('B', 2), value(null, 1)])).toEqual([['A', 'B'], []]);
  });

  it.each([
    ['lack some', [value('A', 4, 2)]],
    ['know none', null],
  ])('are read where the counts %s', async (_, values) => {
    expect(await of(9, values)).toEqual([['A', 'B'], READ]);
  });
});

it('an access to an object is one to its schema and database too, and the last of them counts', async () => {
  const accesses = [
    { values: ['Pay', 'dbo', 'Salary'], lastMs: 9 },
    { values: ['Pay', 'dbo', 'Bonus'], lastMs: 7 },
    { values: ['Pay', 'hr', 'Bonus'], lastMs: 5 },
    { values: ['Hr', 'dbo', 'Person'], lastMs: 4 },
  ];
  const asked: string[] = [];
  const later = laterOfTenant(
    { ask: {} as never, groups: new Map() },
    {
      ...{ tenants: tenantSet([7]), from: '', to: '', known: null },
      groupEach: async (questions) => {
        asked.push(...questions.map(([, { filter = '' }]) => filter));
        return [accesses as never];
      },
    },
  );
  const sensitive = ['Pay', 'PAY', 'Hr'].map((databaseName) => ({
    ...{ databaseName, schemaName: null, objectName: null },
  }));
  const last = (await later('PAY01', sensitive).accesses()) ?? new Map<string, number>();
  expect(asked).toEqual([
    expect.stringMatching(/^serverInstanceName:"PAY01" .* AND databaseName~\("pay" OR "hr"\)$/),
  ]);
  const many = Array.from({ length: LIMITS.complianceNamesAskedMax + 1 }, (_, i) => `d${i}`);
  expect([oneOf('databaseName', many), oneOf('databaseName', [])]).toEqual(['', '']);
  const lastOf = (databaseName: string, schemaName: string | null, objectName: string | null) =>
    last.get(objectKey({ databaseName, schemaName, objectName }));
  expect([lastOf('Pay', 'DBO', 'Bonus'), lastOf('PAY', null, null), lastOf('hr', null, null)]).toEqual([
    7, 9, 4,
  ]);
  expect([lastOf('Pay', 'hr', 'Bonus'), lastOf('Pay', 'hr', null)]).toEqual([5, 5]);
  expect([lastOf('Pay', 'hr', 'Salary'), lastOf('Hr', 'hr', null)]).toEqual([undefined, undefined]);
});

it('records that a sentence shows are the newest of the period on the instance', async () => {
  const asked: unknown[] = [];
  const [from, to] = ['2026-01-01T00:00:00.0000000Z', '2026-01-31T00:00:00.0000001Z'];
  const page = async (_: unknown, question: object) => {
    asked.push(question);
    return { items: [{ eventTime: from, recordId: 'r1' }] };
  };
  const later = laterOfTenant(
    { ask: { page } as never, groups: new Map() },
    { ...{ tenants: tenantSet([7]), from, to, known: null }, groupEach: async () => [] },
  );
  expect(await later('PAY01', []).records('actionId:LGIS')).toEqual([{ at: from, recordId: 'r1' }]);
  const filter = toSummaryFilter({
    filter: 'serverInstanceName:"PAY01" AND actionId:LGIS',
    ...{ startTime: from, endTime: to },
  });
  expect(asked).toEqual([{ filter, sort: 'recordId', descending: true, page: 1, pageSize: 20 }]);
});
