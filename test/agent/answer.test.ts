import { toAnswer } from '../../agent/uplink/answer';

describe('an answer of the service', () => {
  /** The receipt for a batch of two events: how many were accepted, and the indexes of the rejected ones. */
  const receipt = (accepted: number, ...indexes: number[]) => {
    const rejected = indexes.map((index) => ({ index, code: 'invalid_event', message: 'x' }));
    return JSON.stringify({ data: { ingestAuditEvents: { accepted, duplicates: 0, rejected } } });
  };
  const errors = (code: string) => JSON.stringify({ errors: [{ message: 'x', extensions: { code } }] });
  it.each([
    [200, errors('unauthorized'), 'refused'],
    [403, errors('forbidden'), 'refused'],
    [401, 'Unauthorized', 'busy'],
    [403, '<html>', 'busy'],
    [400, errors('invalid_parameter'), 'unfit'],
    [200, errors('payload_too_large'), 'unfit'],
    [413, '<html>', 'unknown'],
    [400, 'Bad request', 'busy'],
    [500, errors('internal_error'), 'busy'],
    [200, errors('service_unavailable'), 'busy'],
    [200, '', 'busy'],
    [200, 'null', 'busy'],
    [200, '{"data":{"ingestAuditEvents":{"accepted":1,"duplicates":1,"rejected":[]}}}', 'receipt'],
    [200, '{"data":{"ingestAuditEvents":{"accepted":2,"duplicates":1,"rejected":[]}}}', 'busy'],
    [500, '{"data":{"ingestAuditEvents":{"accepted":1,"duplicates":1,"rejected":[]}}}', 'busy'],
    [200, receipt(1, 1), 'receipt'],
    [200, receipt(0, 0, 1), 'receipt'],
    [200, receipt(0, 0, 0), 'busy'],
    [200, receipt(0, 1, 1), 'busy'],
    [200, receipt(1, 2), 'busy'],
    [200, receipt(1, -1), 'busy'],
  ] as const)('HTTP %i with %s is understood as %s', (status, body, kind) => {
    expect(toAnswer({ status, body, retryAfter: null }, 2, 0).kind).toBe(kind);
  });

  it.each([
    [200, 'unknown'],
    [400, 'unknown'],
    [422, 'unknown'],
    [401, 'refused'],
    [403, 'refused'],
    [413, 'unfit'],
    [408, 'busy'],
    [425, 'busy'],
    [429, 'busy'],
    [500, 'busy'],
    [507, 'busy'],
  ] as const)(
    'with an error code that only a newer service knows is understood by its status %i, as %s',
    (status, kind) => {
      const body = errors('code_of_a_newer_service');
      expect(toAnswer({ status, body, retryAfter: null }, 2, 0).kind).toBe(kind);
    },
  );

  it.each([
    ['the rest after its first event', 1, [[1, 'not_looked_at']], { kind: 'receipt', accepted: 1, rest: 1 }],
    [
      'the rest after a rejected event',
      0,
      [
        [0, 'x'],
        [1, 'not_looked_at'],
      ],
      { kind: 'receipt', rejected: [{ index: 0, code: 'x', message: 'y' }], rest: 1 },
    ],
    ['a rest that does not fit', 0, [[1, 'not_looked_at']], { kind: 'busy' }],
    ['everything as a rest', 0, [[0, 'not_looked_at']], { kind: 'busy' }],
    ['a rest beyond the batch', 3, [[3, 'not_looked_at']], { kind: 'busy' }],
    [
      'a rejected event in the rest',
      0,
      [
        [1, 'x'],
        [1, 'not_looked_at'],
      ],
      { kind: 'busy' },
    ],
  ] as const)('may say that it did not look at the rest of a batch: %s', (_, accepted, list, wanted) => {
    const rejected = list.map(([index, code]) => ({ index, code, message: 'y' }));
    const body = JSON.stringify({ data: { ingestAuditEvents: { accepted, duplicates: 0, rejected } } });
    expect(toAnswer({ status: 200, body, retryAfter: null }, 2, 0)).toMatchObject(wanted);
  });

  it('to a request without events is a receipt of none', () => {
    const answer = { status: 200, body: receipt(0), retryAfter: null };
    expect(toAnswer(answer, 0, 0)).toEqual({ kind: 'receipt', accepted: 0, duplicates: 0, rejected: [] });
    expect(toAnswer(answer, 1, 0).kind).toBe('busy');
  });

  it('may hold fields that this agent does not ask for, as a newer service sends them', () => {
    const rejected = [{ index: 1, code: 'reason_of_a_newer_service', message: 'x', hint: 'y' }];
    const data = { ingestAuditEvents: { accepted: 1, duplicates: 0, rejected, sealed: 1 }, more: [] };
    const whole = {
      data,
      errors: [{ message: 'soon outdated', extensions: { code: 'notice' } }],
      extensions: {},
    };
    for (const body of [{ data, extensions: {} }, whole])
      expect(toAnswer({ status: 200, body: JSON.stringify(body), retryAfter: null }, 2, 0)).toEqual({
        kind: 'receipt',
        accepted: 1,
        duplicates: 0,
        rejected: [{ index: 1, code: 'reason_of_a_newer_service', message: 'x' }],
      });
  });

  it.each([401, 403])(
    'is none with HTTP %i alone: a proxy refuses the request, and not the service the key',
    (status) => {
      expect(toAnswer({ status, body: '<html>', retryAfter: '7' }, 2, 0)).toEqual({
        kind: 'busy',
        message: `not an answer of the service (HTTP ${status}): a proxy or firewall before it refuses the request`,
        retryAfterMs: 7_000,
      });
    },
  );

  it('may say how long to wait before the next request, in seconds or as a date', () => {
    const wait = (retryAfter: string) => toAnswer({ status: 503, body: '', retryAfter }, 1, 1_000);
    expect(wait('7')).toMatchObject({ retryAfterMs: 7_000 });
    expect(wait('Thu, 01 Jan 1970 00:00:05 GMT')).toMatchObject({ retryAfterMs: 4_000 });
    expect(wait('Thu, 01 Jan 1970 00:00:00 GMT')).toMatchObject({ retryAfterMs: 0 });
    expect(wait('soon')).toMatchObject({ retryAfterMs: null });
  });
});
