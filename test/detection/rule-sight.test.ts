import { groupsThatWrite } from '../../src/modules/compliance/frameworks';
import { coverageOf, groupsOf, needsOf, sightOf } from '../../src/modules/detection/rules/sight';
import { LocalReader } from '../../src/rules/rule-reader';

type State = 'configured' | 'observed' | 'contradicted' | 'silent';
const reader = new LocalReader();
const ruleOf = (detection: string) => `title: A rule
id: 5f0ad6f0-6a0c-4f0e-9c59-3f1d9e6f7a11
logsource: { product: sqlserver, service: audit }
${detection}
level: high
`;
async function needs(detection: string) {
  const { rules, problems } = await reader.read(ruleOf(detection));
  expect(problems).toEqual([]);
  return needsOf(rules[0] as (typeof rules)[number], { groupsThatWrite });
}
const server = (states: Record<string, State>, isSending = true) => ({
  serverInstanceName: 'SQLPROD02',
  isSending,
  stateOf: (group: string) => states[group] ?? 'silent',
});
const MEMBERS = 'SERVER_ROLE_MEMBER_CHANGE_GROUP';
const ADDED = 'detection: { a: { actionId: APRL, class_type: SG }, condition: a }';

describe('the audit groups that a rule needs', () => {
  it.each([
    ['a class type tells groups of one action apart', ADDED, [MEMBERS]],
    [
      'each selection of a condition counts',
      'detection: { a: { actionId: APRL, class_type: SG }, b: { actionId: [LGIF, LGIS] }, condition: a or b }',
      ['FAILED_LOGIN_GROUP', MEMBERS, 'SUCCESSFUL_LOGIN_GROUP'],
    ],
    [
      'selections that must all hold have what they share',
      'detection: { a: { actionId: [APRL, DPRL, LGIF] }, b: { class_type: SG, actionId: [APRL, G] }, condition: a and b }',
      [MEMBERS],
    ],
    [
      'of many groups that write an action, one is enough',
      'detection: { a: { actionId: TO }, condition: a }',
      [
        'SERVER_OBJECT_OWNERSHIP_CHANGE_GROUP or DATABASE_OWNERSHIP_CHANGE_GROUP or DATABASE_OBJECT_OWNERSHIP_CHANGE_GROUP or SCHEMA_OBJECT_OWNERSHIP_CHANGE_GROUP',
      ],
    ],
    [
      'two groups that write an action are both needed: they tell its events apart',
      'detection: { a: { actionId: PWR }, condition: a }',
      ['LOGIN_CHANGE_PASSWORD_GROUP', 'USER_CHANGE_PASSWORD_GROUP'],
    ],
    ['what must not hold asks for nothing', 'detection: { a: { actionId: LGIF }, condition: not a }', []],
    [
      'batches show what other groups show',
      'detection: { a: { actionId: [BCM, EX] }, condition: a }',
      ['SCHEMA_OBJECT_ACCESS_GROUP'],
    ],
    [
      'a condition without an action is about all',
      "detection: { a: { statement|contains: 'x' }, condition: a }",
      [],
    ],
  ])('%s', async (_, detection, wanted) => {
    expect(groupsOf(await needs(detection))).toEqual(wanted);
  });
});

describe('a rule on a server', () => {
  it.each<[string, Record<string, State>, string, string]>([
    [
      'cannot see',
      { [MEMBERS]: 'contradicted' },
      'cannot_see',
      `cannot see on SQLPROD02: ${MEMBERS} is not recorded`,
    ],
    [
      'is not known where the trail is silent',
      {},
      'unknown',
      `not known on SQLPROD02: no record says that ${MEMBERS} is recorded`,
    ],
    ['sees what is configured', { [MEMBERS]: 'configured' }, 'sees', 'sees on SQLPROD02'],
    ['sees what came', { [MEMBERS]: 'observed' }, 'sees', 'sees on SQLPROD02'],
  ])('%s', async (_, states, state, text) => {
    expect(sightOf(await needs(ADDED), server(states))).toMatchObject({ state, text });
  });

  it('sees by batches what a group that is off does not show', async () => {
    const run = await needs('detection: { a: { actionId: [BCM, EX] }, condition: a }');
    const off = { SCHEMA_OBJECT_ACCESS_GROUP: 'contradicted' } as const;

    expect(sightOf(run, server(off)).state).toBe('cannot_see');
    expect(sightOf(run, server({ ...off, BATCH_COMPLETED_GROUP: 'configured' })).state).toBe('sees');
  });

  it('cannot see where one of several groups is off, and names it', async () => {
    const both = await needs('detection: { a: { actionId: [LGIF, PWU] }, condition: a }');
    const states = { FAILED_LOGIN_GROUP: 'configured', LOGIN_CHANGE_PASSWORD_GROUP: 'contradicted' } as const;

    expect(sightOf(both, server(states)).groups).toEqual(['LOGIN_CHANGE_PASSWORD_GROUP']);
  });

  it('always sees the stop of an audit', async () => {
    const stopped = await needs('detection: { a: { actionId: [AUSC, AUSF] }, condition: a }');
    expect(sightOf(stopped, server({ AUDIT_CHANGE_GROUP: 'contradicted' })).state).toBe('sees');
  });

  it('that is about any event sees while events come', async () => {
    const any = await needs("detection: { a: { statement|contains: 'x' }, condition: a }");
    expect([true, false].map((isSending) => sightOf(any, server({}, isSending)).state)).toEqual([
      'sees',
      'unknown',
    ]);
  });

  it('is listed with the blind servers first, ten at most, and all are counted', async () => {
    const servers = Array.from({ length: 25 }, (_, n) => ({
      ...server({ [MEMBERS]: n % 5 === 0 ? 'contradicted' : n % 5 === 1 ? 'silent' : 'configured' }),
      serverInstanceName: `S${n}`,
    }));
    const { instances, ...counts } = coverageOf({ ruleId: 'r', title: 't' }, await needs(ADDED), servers);

    expect(counts).toMatchObject({ sees: 15, cannotSee: 5, unknown: 5, groups: [MEMBERS] });
    expect(instances.map(({ state }) => state)).toEqual([
      ...Array(5).fill('cannot_see'),
      ...Array(5).fill('unknown'),
    ]);
  });
});
