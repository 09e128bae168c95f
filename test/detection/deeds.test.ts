import { deedAnswers, deedsOf } from '../../src/modules/detection/alerts/deeds';
import { type Deed, deedOf } from '../../src/rules/deed';
import { testEvents } from '../../src/rules/rule-test';

const BY = { serverPrincipalName: 'CORP\\dba.ali', serverInstanceName: 'SQLPROD01\\PAYROLL' };
const eventsOf = (...events: readonly object[]) =>
  testEvents({ name: '', finds: true, events: events.map((event) => ({ ...BY, ...event })) });
const deed = (event: object): Deed | null => {
  const [one] = eventsOf(event);
  return one ? deedOf(one) : null;
};

const ADDED = {
  actionId: 'APRL',
  objectName: 'sysadmin',
  statement: 'ALTER SERVER ROLE [sysadmin] ADD MEMBER [CORP\\j.ortega]',
  additional: { classType: 'SG', targetServerPrincipalName: 'CORP\\j.ortega' },
};

describe('a deed says who did it and who got it', () => {
  it.each([
    [
      'a server role, by the target of the record',
      ADDED,
      'CORP\\dba.ali added CORP\\j.ortega to sysadmin on SQLPROD01\\PAYROLL',
    ],
    [
      'a server role, by the statement',
      { ...ADDED, additional: { classType: 'SG' } },
      'CORP\\dba.ali added CORP\\j.ortega to sysadmin on SQLPROD01\\PAYROLL',
    ],
    [
      'a database role',
      {
        actionId: 'DPRL ',
        objectName: 'db_owner',
        databaseName: 'CRM',
        statement: 'ALTER ROLE db_owner DROP MEMBER bob',
        additional: { classType: 'RL' },
      },
      'CORP\\dba.ali removed bob from db_owner in CRM on SQLPROD01\\PAYROLL',
    ],
    [
      'a permission',
      { actionId: 'G', statement: 'GRANT CONTROL SERVER TO [eve]', additional: { classType: 'SR' } },
      'CORP\\dba.ali granted CONTROL SERVER to eve on SQLPROD01\\PAYROLL',
    ],
    [
      'a password',
      { actionId: 'PWR', objectName: 'app', statement: 'ALTER LOGIN app WITH PASSWORD = ***' },
      'CORP\\dba.ali reset the password of app on SQLPROD01\\PAYROLL',
    ],
    [
      'a login',
      { actionId: 'CR', objectName: 'svc_backup2', additional: { classType: 'SL' } },
      'CORP\\dba.ali created svc_backup2 on SQLPROD01\\PAYROLL',
    ],
  ])('about %s', (_, event, text) => {
    expect(deed(event)?.text).toBe(text);
    expect(deed(event)?.by).toBe('CORP\\dba.ali');
  });

  it('and names who acted under another name', () => {
    const { additional } = ADDED;
    const as = (sessionServerPrincipalName: string) =>
      deed({
        ...ADDED,
        serverPrincipalName: 'sa',
        additional: { ...additional, sessionServerPrincipalName },
      });
    expect(as('CORP\\eve')).toMatchObject({
      by: 'CORP\\eve',
      text: 'CORP\\eve as sa added CORP\\j.ortega to sysadmin on SQLPROD01\\PAYROLL',
    });
    for (const own of ['SA', 'sa ', ''])
      expect(as(own)).toMatchObject({ by: 'sa', text: expect.stringMatching(/^sa added/) });
  });

  it('and nothing of what failed, or concerns no principal', () => {
    expect(deed({ ...ADDED, succeeded: false })).toBeNull();
    expect(deed({ actionId: 'CR', objectName: 'Orders', additional: { classType: 'U' } })).toBeNull();
    expect(deed({ actionId: 'SL', objectName: 'Orders' })).toBeNull();
    expect(deed({ actionId: 'APRL', objectName: 'sysadmin' })).toBeNull();
  });

  it('and an alert names all of both, each once', () => {
    const other = { ...ADDED, additional: { classType: 'SG', targetServerPrincipalName: 'eve' } };
    expect(deedAnswers(JSON.stringify(deedsOf(eventsOf(ADDED, other, ADDED))))).toEqual({
      summary: 'CORP\\dba.ali added CORP\\j.ortega to sysadmin on SQLPROD01\\PAYROLL, and 1 more',
      didIt: ['CORP\\dba.ali'],
      gotIt: ['CORP\\j.ortega', 'eve'],
    });
    expect(deedAnswers('[]')).toEqual({ summary: null, didIt: [], gotIt: [] });
  });
});
