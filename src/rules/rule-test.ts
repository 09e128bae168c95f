import type { JsonScalar } from '../event/audit-record';
import { formatTicks } from '../event/event-time';
import { Engine } from './engine';
import type { DetectionEvent } from './event';
import type { Finding } from './finding';
import type { Rule, RuleTest } from './rule';
import { parseSpan } from './sigma/correlation';

const START_US = Date.parse('2026-01-05T08:00:00Z') * 1_000;
const SECOND_US = 1_000_000;
const EVENTS_MAX = 10_000;
const TICKS_PER_US = 10n;

/** A valid event. The events of a test change fields of it. */
const USUAL = {
  succeeded: true,
  serverInstanceName: 'SQL01',
  databaseName: 'Sales',
  schemaName: 'dbo',
  objectName: 'Orders',
  serverPrincipalName: 'CORP\\alice',
  databasePrincipalName: 'dbo',
  applicationName: 'SalesWeb',
  hostName: 'APP01',
  clientIp: '10.1.2.3',
  statement: '',
};

/**
 * Makes the events of a test. Each entry names the fields it changes. `after` is the time since the event before it,
 * `repeat` the number of its events, and `every` the time between those. Both times are 1 s unless given. `{n}` stands
 * for an event's number among the repeated ones.
 */
export function testEvents({ events }: RuleTest): DetectionEvent[] {
  const made: DetectionEvent[] = [];
  let at = START_US;
  for (const { after, repeat, every, additional, ...fields } of events) {
    at += spanOf(after);
    for (let n = 1; n <= Number(repeat ?? 1) && made.length < EVENTS_MAX; n++) {
      if (n > 1) at += spanOf(every);
      made.push({
        recordId: idOf(made.length),
        at,
        position: made.length,
        fields: {
          ...USUAL,
          ...(numbered(fields, n) as object),
          eventTime: formatTicks(BigInt(at) * TICKS_PER_US),
        },
        additional: numbered(additional ?? {}, n) as Record<string, JsonScalar>,
      });
    }
  }
  return made;
}

/** The tests that fail: the rule finds something and must not, or must find something and does not. */
export function failedTests(rule: Rule): { readonly name: string; readonly findings: readonly Finding[] }[] {
  return rule.tests.flatMap((test) => {
    const findings = new Engine(1, [{ rule, version: 1 }]).evaluate(testEvents(test), 0);
    return findings.length > 0 === test.finds ? [] : [{ name: test.name, findings }];
  });
}

const spanOf = (span: unknown): number =>
  typeof span === 'string' ? (parseSpan(span) ?? SECOND_US) : SECOND_US;

const idOf = (n: number) => `00000000-0000-8000-8000-${n.toString(16).padStart(12, '0')}`;

function numbered(value: unknown, n: number): unknown {
  if (typeof value === 'string') return value.replaceAll('{n}', String(n));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, numbered(one, n)]));
}
