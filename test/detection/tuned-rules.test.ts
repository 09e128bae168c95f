import { Engine } from '../../src/rules/engine';
import type { Tuning } from '../../src/rules/rule';
import { testEvents } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';

const BASE =
  'title: a\nname: a\nlogsource: {product: sqlserver}\ndetection: {s: {actionId: SL}, condition: s}\n---\n';
const COUNT = `${BASE}title: Often
level: low
correlation:
  type: event_count
  rules: [a]
  group-by: [serverPrincipalName]
  timespan: 10m
  condition: {gte: 2}
x-audit-activity:
  dedup-minutes: 30
`;
const OF_COUNTS = `${COUNT.replace('title: Often', 'title: Often\nname: often')}---
title: Often often
correlation:
  type: event_count
  rules: [often]
  timespan: 1d
  condition: {gte: 2}
`;
const READ = { actionId: 'SL' };

/** @returns what a tuned rule finds in events */
const foundBy = (source: string, tuning: Tuning, ...events: readonly Record<string, unknown>[]) => {
  const active = parseRules(source, () => tuning).map((rule) => ({ rule, version: 1 }));
  return new Engine(1, active).evaluate(testEvents({ name: '', finds: true, events }), 0);
};
const reads = (count: number) => Array.from({ length: count }, () => READ);

describe('a tenant tunes a rule', () => {
  it('and its findings have the severity and the period that the tenant chose', () => {
    expect(foundBy(COUNT, {}, READ, READ)).toMatchObject([{ severity: 'low', dedupMinutes: 30 }]);
    expect(foundBy(COUNT, { severity: 'critical', dedupMinutes: 7 }, READ, READ)).toMatchObject([
      { severity: 'critical', dedupMinutes: 7 },
    ]);
  });

  it('and it counts to another number, in another time', () => {
    const apart = [READ, { ...READ, after: '11m' }, { ...READ, after: '11m' }];
    expect(foundBy(COUNT, {}, ...apart)).toEqual([]);
    expect(foundBy(COUNT, { timespanMs: 11 * 60_000 }, ...apart)).toHaveLength(1);
    expect(foundBy(COUNT, { timespanMs: 22 * 60_000, threshold: 3 }, ...apart)).toHaveLength(1);
    expect(foundBy(COUNT, { threshold: 3 }, ...reads(2))).toEqual([]);
  });

  it('and the rules that it names count as in the file', () => {
    expect(foundBy(OF_COUNTS, {}, ...reads(4))).toHaveLength(1);
    expect(foundBy(OF_COUNTS, { threshold: 3 }, ...reads(5))).toEqual([]);
    expect(foundBy(OF_COUNTS, { threshold: 3 }, ...reads(6))).toHaveLength(1);
  });

  it('and an exception leaves out the events that have all of its values, in each rule that it names', () => {
    const exceptions = [{ serverPrincipalName: 'SVC', databaseName: 'hr' }, { clientIp: '10.1.1.1' }];
    const svc = { ...READ, serverPrincipalName: 'svc' };
    expect(foundBy(COUNT, { exceptions }, svc, svc)).toHaveLength(1);
    expect(foundBy(COUNT, { exceptions }, ...Array(9).fill({ ...svc, databaseName: 'HR' }))).toEqual([]);
    expect(foundBy(OF_COUNTS, { exceptions }, ...Array(9).fill({ ...READ, clientIp: '10.1.1.1' }))).toEqual(
      [],
    );
  });

  it.each([
    ['an address of IPv4 that is written as IPv6', { clientIp: '::ffff:10.1.1.1' }],
    ['an action with the spaces that SQL Server writes', { action_id: 'SL  ' }],
    ['a class with its space', { class_type: 'U ' }],
  ])('and an exception may have %s', (_, exception) => {
    const event = { ...READ, clientIp: '10.1.1.1', additional: { classType: 'U ' } };
    expect(foundBy(COUNT, { exceptions: [exception] }, event, event)).toEqual([]);
    const other = { ...event, clientIp: '10.1.1.2', additional: { classType: 'V ' } };
    const isOfAction = 'action_id' in exception;
    expect(foundBy(COUNT, { exceptions: [exception] }, other, other)).toHaveLength(isOfAction ? 0 : 1);
  });
});
