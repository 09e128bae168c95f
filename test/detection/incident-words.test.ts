import { type About, aboutOf, joinedAbout } from '../../src/modules/detection/alerts/incident-about';
import { type TitledAlert, titleOf } from '../../src/modules/detection/alerts/incident-title';

const about = (stage: About['stage'], step: string, ...names: string[]): About => ({
  entities: names.map((name) => ({ kind: 'login', name, part: 'did' })),
  stage,
  step,
});
const alert = (severity: number, firstEvent: number, of: About): TitledAlert => ({
  severity,
  firstEvent: BigInt(firstEvent),
  about: of,
});

describe('the title of an incident', () => {
  it('names of each stage the worst step, and of equals the first', () => {
    const alerts = [
      alert(2, 1, about('access', 'low guess')),
      alert(4, 9, about('access', 'late guess')),
      alert(4, 5, about('access', 'early guess')),
      alert(3, 7, about('trail', 'audit stopped')),
      alert(1, 2, about('power', 'eve sysadmin')),
      alert(9, 3, about(null, 'no stage')),
    ];
    expect(titleOf(alerts, 0n)).toBe('early guess → eve sysadmin → audit stopped');
  });

  it('tells the rows that were read in place of the step about data', () => {
    const data = alert(2, 1, about('data', 'Payroll was read'));
    expect(titleOf([data], 1n)).toBe('1 rows read');
    expect(titleOf([data], 0n)).toBe('Payroll was read');
    const power = alert(2, 1, about('power', 'eve sysadmin'));
    expect(titleOf([power], 1_000n)).toBe('eve sysadmin → 1,000 rows read');
    expect(titleOf([power], 999n)).toBe('eve sysadmin');
  });

  it('is the worst step where no alert has a stage, and is cut', () => {
    expect(titleOf([alert(1, 1, about(null, 'mild')), alert(3, 2, about(null, 'worst'))], 5_000n)).toBe(
      'worst',
    );
    expect(titleOf([alert(1, 1, about('power', 'x'.repeat(400)))], 0n)).toHaveLength(360);
    expect(titleOf([], 0n)).toBe('');
  });
});

describe('what an alert adds to its incident', () => {
  it('has the one login that somebody tries to guess, and none of several, for nobody acted under those', () => {
    const failed = (login: string, clientIp = '203.0.113.7') => ({
      ...{ recordId: login, at: 1, position: 0, additional: {} },
      fields: { actionId: 'LGIF', statement: `Login failed for user '${login}'.`, clientIp },
    });
    const namesOf = (...events: readonly ReturnType<typeof failed>[]) => {
      const { entities, step } = aboutOf({ title: 'Guesses', principals: [] } as never, events, []);
      return [step, entities.map(({ kind, name }) => `${kind} ${name}`)];
    };
    expect(namesOf(failed('sa'), failed('sa'))).toEqual([
      '203.0.113.7 tried sa',
      ['login sa', 'address 203.0.113.7'],
    ]);
    for (const none of ['local machine', 'named pipe', ''])
      expect(namesOf(failed('sa', none))[1]).toEqual(['login sa']);
    expect(namesOf(failed('sa'), failed('eve', 'local machine'))).toEqual([
      '203.0.113.7 tried 2 logins',
      ['address 203.0.113.7'],
    ]);
  });

  it('has the sessions of each server apart, and the logins of its finding only where its events are gone', () => {
    const read = (serverInstanceName: string, sessionId: number) => ({
      ...{ recordId: 'r', at: 1, position: 0, additional: { sessionId } },
      fields: { actionId: 'SL', serverInstanceName, serverPrincipalName: 'eve' },
    });
    const finding = { title: 'Reads', principals: ['bob'] } as never;
    const namesOf = (...events: readonly ReturnType<typeof read>[]) =>
      aboutOf(finding, events, []).entities.map(({ kind, name }) => `${kind} ${name}`);
    expect(namesOf(read('SQL01', 51), read('SQL02', 51), read('SQL02', 0))).toEqual([
      ...['login eve', 'session SQL01 51', 'session SQL02 51'],
    ]);
    expect(namesOf()).toEqual(['login bob']);
  });

  it('keeps the first step that has a stage, and each entity once', () => {
    const first = about('access', 'guess', 'sa');
    expect(joinedAbout(first, about('harm', 'drop', 'SA', 'eve'))).toEqual({
      stage: 'access',
      step: 'guess',
      entities: [
        { kind: 'login', name: 'SA', part: 'did' },
        { kind: 'login', name: 'eve', part: 'did' },
      ],
    });
    expect(joinedAbout(about(null, 'nothing'), first)).toMatchObject({ stage: 'access', step: 'guess' });
    expect(joinedAbout(null, first)).toBe(first);
  });
});
