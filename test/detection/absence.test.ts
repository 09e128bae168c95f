import { LocalHost } from '../../src/rules/host';
import { testEvents } from '../../src/rules/rule-test';
import { found } from './support/sigma';

const base = (name: string, action: string) =>
  `title: ${name}\nname: ${name}\nlogsource: {product: sqlserver}\ndetection: {s: {actionId: ${action}}, condition: s}\n---\n`;
const absence = (more = '') =>
  `${base('stopped', 'TASP')}${base('started', 'TASA')}title: Not started again
correlation:
  type: absence
  rules: [stopped, started]
  group-by: [serverInstanceName]
  timespan: 10m
${more}`;
const [STOPPED, STARTED, OTHER] = [{ actionId: 'TASP' }, { actionId: 'TASA' }, { actionId: 'SL' }];
const counts = (...events: readonly object[]) =>
  found(absence(), ...(events as Record<string, unknown>[])).length;

describe('an event that stays away', () => {
  it('is missed when more than the time has passed, and not at its last moment', () => {
    expect(counts(STOPPED, { ...OTHER, after: '10m' })).toBe(0);
    expect(counts(STOPPED, { ...OTHER, after: '10m' }, OTHER)).toBe(1);
  });

  it('has come if it came at the last moment, and not if it came later', () => {
    expect(counts(STOPPED, { ...STARTED, after: '10m' }, { ...OTHER, after: '1h' })).toBe(0);
    expect(counts(STOPPED, { ...STARTED, after: '601s' }, { ...OTHER, after: '1h' })).toBe(1);
  });

  it('has come if it came at the same moment, whichever of the two is seen first', () => {
    const [stopped, started] = [
      { ...STOPPED, after: '0s' },
      { ...STARTED, after: '0s' },
    ];
    const later = { ...OTHER, after: '1h' };
    expect([counts(stopped, started, later), counts(started, stopped, later)]).toEqual([0, 0]);
    const many = Array.from({ length: 12 }, () => ({ ...STARTED, after: '1h' }));
    expect(counts(...many, stopped, later)).toBe(0);
  });

  it('is missed for the latest matches of the first rule, if there are many in one group', () => {
    const stops = Array.from({ length: 12 }, () => STOPPED);
    const findings = found(absence(), ...stops, { ...OTHER, after: '1h' });
    expect(findings.flatMap(({ recordIds }) => recordIds)).toEqual(
      testEvents({ name: '', finds: true, events: stops })
        .slice(-8)
        .map(({ recordId }) => recordId),
    );
  });

  it('is not missed by the clock while events wait that were not looked at', async () => {
    const host = new LocalHost();
    const [rule, later] = [
      { ruleId: '', source: absence('  clock: 30s\n'), tuning: null, version: 1, filters: [] },
      60_000,
    ];
    const [{ ruleId = '' } = {}] = found(absence(), STOPPED, { ...OTHER, after: '1h' });
    await host.open(1, [{ ...rule, ruleId }], []);
    const [stopped, ...others] = testEvents({ name: '', finds: true, events: [STOPPED, OTHER, STARTED] });
    const evaluate = (events: readonly (typeof stopped & object)[], nowMs: number) =>
      host.evaluate(1, events, { nowMs, isReady: true, workMs: 0 });
    expect(await evaluate(stopped ? [stopped] : [], 0)).toMatchObject({ findings: [], dueMs: 30_000 });
    expect(await evaluate(others, later)).toMatchObject({ seen: 1, findings: [] });
    expect(await evaluate(others.slice(1), later)).toMatchObject({ seen: 1, findings: [] });
    // Without the event, the clock ends the wait.
    await host.open(1, [{ ...rule, ruleId }], []);
    await evaluate(stopped ? [stopped] : [], 0);
    expect((await evaluate([], 29_999)).findings).toEqual([]);
    expect((await evaluate([], 30_000)).findings).toHaveLength(1);
  });

  it.each([
    ['a wait that the clock ends is kept', '  clock: 30s\n', 1],
    ['a wait that events end is forgotten', '', 0],
  ])('while events of days are looked at, %s', async (_, clock, wanted) => {
    const host = new LocalHost();
    const source = absence(clock);
    const [{ ruleId = '' } = {}] = found(source, STOPPED, { ...OTHER, after: '1h' });
    await host.open(1, [{ ruleId, source, tuning: null, version: 1, filters: [] }], []);
    const other = { ...OTHER, serverInstanceName: 'SQL02' };
    const events = [STOPPED, { ...other, after: '26h' }, other, other];
    const arrived = testEvents({ name: '', finds: true, events }).map((event, n) => ({
      ...event,
      position: 5_000 * n,
    }));
    const behind = await host.evaluate(1, arrived, { nowMs: 0, isReady: true, isBehind: true });
    const last = await host.evaluate(1, [], { nowMs: 30_000, isReady: true });
    expect([behind.findings.length, last.findings.length]).toEqual([0, wanted]);
  });
});
