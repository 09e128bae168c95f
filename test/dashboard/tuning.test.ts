import { RULES } from '../../dashboard/src/rules/texts';
import { tuningOf, typedOf } from '../../dashboard/src/rules/tuning';

const ALL = ['threshold', 'timespan', 'severity', 'dedupMinutes', 'exceptions'] as const;

describe('the settings of a rule in the form', () => {
  const stored = {
    threshold: 7,
    timespanMs: 5_400_000,
    severity: 'low',
    dedupMinutes: 45,
    exceptions: [{ serverPrincipalName: 'svc_report', hostName: 'APP 01' }],
  };

  it('are those that the tenant has set, and are sent as they are typed', () => {
    const typed = typedOf(JSON.stringify(stored));
    expect(typed).toEqual({
      threshold: 7,
      timespan: '90m',
      severity: 'low',
      dedupMinutes: 45,
      exceptions: 'principalName:svc_report AND hostName:"APP 01"',
    });
    expect(tuningOf({ ...typed, threshold: 9, timespan: ' 2h ' }, ALL, RULES)).toEqual({
      threshold: 9,
      timespan: '2h',
      severity: 'low',
      dedupMinutes: 45,
      exceptions: ['{"serverPrincipalName":"svc_report","hostName":"APP 01"}'],
    });
  });

  it('are empty where the file decides', () => {
    const none = { threshold: null, timespan: null, severity: null, dedupMinutes: null, exceptions: [] };
    expect(tuningOf(typedOf(null), ALL, RULES)).toEqual(none);
  });

  it.each([
    [1_000, '1s'],
    [90_000, '90s'],
    [120_000, '2m'],
    [3_600_000, '1h'],
    [172_800_000, '2d'],
  ])('%d ms is written %s', (timespanMs, text) => {
    expect(typedOf(JSON.stringify({ timespanMs })).timespan).toBe(text);
  });

  it('are a number where 0 is typed, which the service judges', () => {
    const typed = { ...typedOf(null), threshold: 0, dedupMinutes: 0 };
    expect(tuningOf(typed, ALL, RULES)).toMatchObject({ threshold: 0, dedupMinutes: 0 });
  });

  it('are not sent where the rule does not have them', () => {
    const typed = typedOf(JSON.stringify(stored));
    expect(tuningOf(typed, ['severity', 'dedupMinutes'], RULES)).toEqual({
      severity: 'low',
      dedupMinutes: 45,
    });
  });

  it('name the lines of exceptions that state no values of fields', () => {
    const typed = { ...typedOf(null), exceptions: 'principalName:a\n\nNOT hostName:b\nword' };
    expect(() => tuningOf(typed, ALL, RULES)).toThrow('Line 3, 4 of the exceptions');
    expect(tuningOf(typed, ['severity'], RULES)).toEqual({ severity: null });
  });
});
