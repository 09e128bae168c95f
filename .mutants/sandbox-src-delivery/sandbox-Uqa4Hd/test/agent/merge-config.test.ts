import fc from 'fast-check';
import { mergeConfig, mergeContent } from '../../agent/config/merge-config';
import { databaseEntry } from './support/agent-world';

const configOf = (...databases: readonly object[]) => ({
  CentralApi: { BaseUrl: 'https://a.example', ApiKey: 'aak_old', TenantId: '7' },
  EventHubPublisher: { Enabled: true, PollIntervalMs: 50, Databases: databases },
});
const PAYROLL = databaseEntry('Payroll', 'C:\\Audit\\p*.sqlaudit');
const LOGINS = { ...databaseEntry('Logins', 'C:\\Audit\\l*.sqlaudit'), Enabled: false };
const NEW = databaseEntry('New', '/n');
const TWIN = { ...PAYROLL, Name: 'Twin' };
const databasesOf = (existing: unknown, properties: Parameters<typeof mergeConfig>[1]) => {
  const merged = mergeConfig(existing, properties);
  return merged.kind === 'merged'
    ? (merged.content as ReturnType<typeof configOf>).EventHubPublisher.Databases
    : merged.problem;
};

describe("an installer's properties, merged into the existing configuration,", () => {
  it('make a whole configuration if there was none', () => {
    const properties = {
      apiUrl: 'https://b',
      apiKey: 'k',
      auditPath: 'C:\\a\\*.sqlaudit',
      dbName: 'Payroll',
    };
    expect(mergeConfig(null, properties)).toEqual({
      kind: 'merged',
      content: {
        CentralApi: { BaseUrl: 'https://b', ApiKey: 'k' },
        EventHubPublisher: { Enabled: true, Databases: [databaseEntry('Payroll', 'C:\\a\\*.sqlaudit')] },
      },
    });
  });

  it('change only what they name', () => {
    const merged = mergeConfig(configOf(PAYROLL, LOGINS), { apiKey: 'aak_new' });
    const expected = configOf(PAYROLL, LOGINS);
    expected.CentralApi.ApiKey = 'aak_new';
    expect(merged).toEqual({ kind: 'merged', content: expected });
  });

  it('change the path of the database they name, whatever the letter case', () => {
    expect(databasesOf(configOf(PAYROLL, LOGINS), { dbName: 'LOGINS', auditPath: 'D:\\x.sqlaudit' })).toEqual(
      [PAYROLL, { ...databaseEntry('LOGINS', 'D:\\x.sqlaudit'), Enabled: false }],
    );
  });

  it('rename the database whose path they name', () => {
    const properties = { dbName: 'Salaries', auditPath: 'C:\\Audit\\p*.sqlaudit' };
    expect(databasesOf(configOf(PAYROLL, LOGINS), properties)).toEqual([
      { ...PAYROLL, Name: 'Salaries' },
      LOGINS,
    ]);
  });

  it('add a database of another name and path', () => {
    expect(databasesOf(configOf(PAYROLL), { dbName: 'New', auditPath: 'D:\\n.sqlaudit' })).toEqual([
      PAYROLL,
      databaseEntry('New', 'D:\\n.sqlaudit'),
    ]);
  });

  it('apply to the only database if they give just a name or just a path', () => {
    expect(databasesOf(configOf(PAYROLL), { dbName: 'Salaries' })).toEqual([
      { ...PAYROLL, Name: 'Salaries' },
    ]);
    expect(databasesOf(configOf(PAYROLL), { auditPath: 'D:\\n.sqlaudit' })).toEqual([
      databaseEntry('Payroll', 'D:\\n.sqlaudit'),
    ]);
  });

  it('fill in the database of the template that a package brings', () => {
    const template = databaseEntry('<DATABASE_LABEL>', '/var/opt/mssql/audit/*.sqlaudit');
    const properties = { dbName: 'Payroll', auditPath: '/audit' };
    expect(databasesOf(configOf(template), properties)).toEqual([databaseEntry('Payroll', '/audit')]);
    const part = (...databases: object[]) => ({ EventHubPublisher: { Databases: databases } });
    expect(mergeContent(configOf(template), part({ Name: 'Payroll' }, LOGINS))).toEqual(
      configOf({ ...template, Name: 'Payroll' }, LOGINS),
    );
  });

  it('are refused if it is not clear which of several databases they mean', () => {
    const several = configOf(PAYROLL, LOGINS);
    expect(databasesOf(several, { auditPath: 'D:\\n.sqlaudit' })).toBe(
      'AUDITPATH needs DBNAME, since there are 2 databases',
    );
    expect(databasesOf(several, { dbName: 'New' })).toBe(
      'DBNAME needs AUDITPATH, since none of the 2 databases has this name',
    );
  });

  it('merge as JSON: a database updates the one of its name, else the one of its path, else it is added', () => {
    const part = {
      CentralApi: { ApiKey: 'aak_new' },
      EventHubPublisher: {
        Databases: [
          { Name: 'Salaries', AuditSource: PAYROLL.AuditSource },
          { Name: 'logins', Enabled: true },
          NEW,
        ],
      },
    };
    const expected = configOf(
      { ...PAYROLL, Name: 'Salaries' },
      { ...LOGINS, Name: 'logins', Enabled: true },
      NEW,
    );
    expected.CentralApi.ApiKey = 'aak_new';
    const existing = configOf(PAYROLL, LOGINS);
    const merged = mergeContent(existing, part);
    expect(merged).toEqual(expected);
    expect(existing).toEqual(configOf(PAYROLL, LOGINS));
    expect(mergeContent(merged, part)).toEqual(expected);
    expect(mergeContent(configOf(PAYROLL), { EventHubPublisher: { Databases: [PAYROLL, TWIN] } })).toEqual(
      configOf(PAYROLL, TWIN),
    );
  });

  it('give the same result however often they are applied, and never modify their input', () => {
    const text = fc.string({ minLength: 1, maxLength: 4 });
    const properties = fc.record(
      { apiUrl: text, apiKey: text, auditPath: text, dbName: text, tenantId: text },
      { requiredKeys: [] },
    );
    const databases = fc.uniqueArray(fc.tuple(text, text), {
      selector: ([name]) => name.trim().toLowerCase(),
      maxLength: 3,
    });
    fc.assert(
      fc.property(databases, properties, (entries, given) => {
        const existing = configOf(...entries.map(([name, path]) => databaseEntry(name, path)));
        const before = structuredClone(existing);
        const once = mergeConfig(existing, given);
        expect(existing).toEqual(before);
        if (once.kind === 'merged') expect(mergeConfig(once.content, given)).toEqual(once);
      }),
    );
  });
});
