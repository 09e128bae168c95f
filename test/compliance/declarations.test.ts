import { coverageOf } from '../../src/modules/compliance/coverage';
import { declarationProblems, declaredOf } from '../../src/modules/compliance/declarations';
import { AuditReplay } from '../../src/modules/compliance/replay';

type Given = Parameters<typeof declarationProblems>[0];
/** The part that each kind is about, with what it may have beside it. */
const PARTS = {
  databaseName: 'HR',
  schemaName: 'dbo',
  objectName: 'Salary',
  principalName: 'ana',
  applicationName: 'app',
  workingHours: 'Mon-Fri 07:00-19:00',
  serverInstanceName: 'SQL01',
};
type Part = keyof typeof PARTS;
const given = (kind: string, ...names: readonly Part[]) =>
  ({ kind, ...Object.fromEntries(names.map((name) => [name, PARTS[name]])) }) as unknown as Given;

describe('what is declared', () => {
  it.each<[string, Part, readonly Part[]]>([
    ['sensitive', 'databaseName', ['serverInstanceName', 'schemaName', 'objectName']],
    ['auditor', 'principalName', ['serverInstanceName']],
    ['application', 'applicationName', ['serverInstanceName']],
    ['workingHours', 'workingHours', ['serverInstanceName']],
    ['excluded', 'serverInstanceName', []],
  ])('as %s needs %s, takes what belongs to it, and nothing else', (kind, needed, taken) => {
    const wrong = (...names: readonly Part[]) =>
      declarationProblems(given(kind, ...names)).map(({ field, code }) => [field, code]);
    expect([wrong(needed), wrong(needed, ...taken)]).toEqual([[], []]);
    expect(wrong()).toEqual([[needed, 'missing']]);
    for (const other of Object.keys(PARTS) as Part[])
      if (other !== needed && !taken.includes(other)) {
        const isObject = other === 'objectName' ? [['schemaName', 'missing']] : [];
        expect(wrong(needed, other)).toEqual([[other, 'conflict'], ...isObject]);
      }
  });

  it('as an object names its schema, and a snapshot is not declared', () => {
    const of = (...names: readonly Part[]) =>
      declarationProblems(given('sensitive', 'databaseName', ...names));
    expect(of('objectName')).toMatchObject([{ field: 'schemaName', code: 'missing' }]);
    expect(of('schemaName')).toEqual([]);
    expect(declarationProblems(given('snapshot'))).toMatchObject([{ field: 'kind', code: 'conflict' }]);
  });

  it('has the parts of its kind', () => {
    const { databaseName, principalName, applicationName, workingHours } = PARTS;
    expect(declaredOf(given('sensitive', 'databaseName'))).toEqual({
      ...{ kind: 'sensitive', databaseName, schemaName: null, objectName: null },
    });
    expect(declaredOf(given('auditor', 'principalName'))).toEqual({ kind: 'auditor', principalName });
    expect(declaredOf(given('application', 'applicationName'))).toEqual({
      kind: 'application',
      applicationName,
    });
    expect(declaredOf(given('workingHours', 'workingHours'))).toEqual({ kind: 'workingHours', workingHours });
    expect(declaredOf(given('excluded', 'serverInstanceName'))).toEqual({ kind: 'excluded' });
  });
});

describe('what servers record, for rules', () => {
  it('is of those that send as of those that do not', async () => {
    const trail = (serverInstanceName: string, events: number) => ({
      ...{ serverInstanceName, events, replay: new AuditReplay(() => true), seen: new Map() },
    });
    const asked: unknown[] = [];
    const coverage = coverageOf({
      assessments: {
        trails: async (_: unknown, about: unknown) => {
          asked.push(about);
          return [trail('SQL01', 3), trail('SQL02', 0)];
        },
      } as never,
      fairShare: { run: async (_: unknown, read: () => Promise<unknown>) => read() } as never,
      nowMs: () => 1_000,
    });
    const found = await coverage.instances(null, 7, 'SQL01');
    expect(found.map(({ serverInstanceName, isSending }) => [serverInstanceName, isSending])).toEqual([
      ['SQL01', true],
      ['SQL02', false],
    ]);
    expect(found[0]?.stateOf('SUCCESSFUL_LOGIN_GROUP')).toBe('silent');
    expect(asked).toEqual([{ asOf: 10_000_000n, instance: 'sql01', checks: [] }]);
  });
});
