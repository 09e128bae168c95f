import type { ParameterSpecs } from '../../src/event/parameter-specs';
import { checkParameters } from '../../src/event/parse-parameters';
import { LIMITS } from '../../src/limits';
import {
  ACKNOWLEDGE_ALERT,
  ADD_EXCEPTION,
  ASSIGN_ALERT,
  COMMENT_ALERT,
  CREATE_ROUTE,
  exceptionOf,
  PREVIEW_EXCEPTION,
  SUPPRESS_ALERT,
  TEST_RULE,
  TUNING,
} from '../../src/modules/detection/base/parameters';

const ID = '638edcb2-98cc-48ad-a5fb-fc4fedb65f74';
const chars = (length: number) => 'a'.repeat(length);
const many = (length: number, text = 'a') => Array.from({ length }, (_, i) => `${text}${i}`);
const emails = (length: number) => many(length).map((name) => `${name}@example.com`);
const exceptions = (length: number) => many(length).map((text) => JSON.stringify({ clientIp: text }));
/** Exceptions of so many characters in all. */
const long = (length: number) => [JSON.stringify({ a: chars(length - JSON.stringify({ a: '' }).length) })];

/** For each parameter values at its borders: what is taken, and what is refused. */
const CASES: readonly (readonly [string, ParameterSpecs, Record<string, unknown>, unknown[], unknown[]])[] = [
  ['assignee', ACKNOWLEDGE_ALERT, {}, [null, '', chars(200), ` ${chars(200)} `], [chars(201)]],
  ['comment', ACKNOWLEDGE_ALERT, {}, [null, '', chars(4_000)], [chars(4_001)]],
  ['assignee', ASSIGN_ALERT, {}, [null, chars(200)], [chars(201)]],
  ['comment', COMMENT_ALERT, {}, [chars(4_000)], [null, '', ' ', chars(4_001)]],
  ['fields', SUPPRESS_ALERT, { until: '2199-01-01', reason: 'r' }, [null, ['a']], [[]]],
  ['reason', SUPPRESS_ALERT, { until: '2199-01-01' }, [chars(4_000)], [null, '', ' ', chars(4_001)]],
  ['emails', CREATE_ROUTE, { name: 'n' }, [null, emails(20)], [emails(21), ['a'], ['a@b c'], ['a@b,c@d']]],
  ['name', CREATE_ROUTE, {}, [chars(200)], [null, ' ', chars(201)]],
  ['escalateMinutes', CREATE_ROUTE, { name: 'n' }, [null, 1, 10_080], [0, 10_081, 1.5]],
  ['severity', CREATE_ROUTE, { name: 'n' }, [null, 'low', 'critical'], ['worst']],
  ['threshold', TUNING, {}, [null, 1], [0, 1.5]],
  ['timespan', TUNING, {}, [null, '30s', '15m', '2h', '1d', '1w', '1M'], ['15', 'm', '15 m', '15y']],
  ['dedupMinutes', TUNING, {}, [null, 1, 10_080], [0, 10_081]],
  [
    'exceptions',
    TUNING,
    {},
    [null, [], exceptions(100)],
    [exceptions(101), ['{}'], ['[]'], ['{"a":1}'], ['x']],
  ],
  ['exceptions', TUNING, {}, [long(LIMITS.exceptionsCharsMax)], [long(LIMITS.exceptionsCharsMax + 1)]],
  ['days', TEST_RULE, {}, [1, 366], [0, 367]],
  ['fields', PREVIEW_EXCEPTION, {}, [null, [], many(20)], [many(21)]],
  ['fields', ADD_EXCEPTION, { verdict: 'expected' }, [many(20)], [null, [], many(21)]],
];

describe('what is given about alerts, routes and rules', () => {
  it.each(CASES)(
    'as %s (case %#) is taken up to its border, and refused beyond',
    (name, specs, others, taken, refused) => {
      const problemOf = (value: unknown) => {
        const ids = {
          ...('alertId' in specs && { alertId: ID }),
          ...('tenantId' in specs && { tenantId: '7' }),
        };
        const given = { ...ids, ...others, ...(value !== null && { [name]: value }) };
        return checkParameters(specs, given).problems.map(({ field }) => String(field));
      };
      for (const value of taken) expect([value, problemOf(value)]).toEqual([value, []]);
      for (const value of refused) expect([value, problemOf(value)[0]]).toEqual([value, name]);
    },
  );

  it('as an exception is an object of texts, at least one', () => {
    expect(exceptionOf('{"clientIp":"10.0.0.1","hostName":""}')).toEqual({
      clientIp: '10.0.0.1',
      hostName: '',
    });
    expect(['{}', '[]', 'null', '"a"', '{"a":null}', '{'].map(exceptionOf)).toEqual(Array(6).fill(null));
  });
});
