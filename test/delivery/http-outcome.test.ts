import { outcomeOf } from '../../src/delivery/http-outcome';

const NOW_MS = Date.parse('2026-01-05T08:00:00Z');
const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = '') =>
  outcomeOf({ status, headers, body: Buffer.from(body) }, NOW_MS);
const ALL = Array.from({ length: 500 }, (_, i) => 100 + i);
const of = (kind: string) => ALL.filter((status) => answer(status).kind === kind);

describe('the answer of a receiver', () => {
  it('sets events aside only with 400, 413 and 422, stops at 410, and is tried again with all but 2xx', () => {
    expect(of('refused')).toEqual([400, 413, 422]);
    expect(of('gone')).toEqual([410]);
    expect(of('accepted')).toEqual(ALL.filter((status) => Math.floor(status / 100) === 2));
    expect(of('failed')).toHaveLength(ALL.length - 100 - 4);
  });

  it.each([429, 503, 500, 404])('with %i may say when to try again', (status) => {
    expect(answer(status, { 'retry-after': '120' })).toMatchObject({ retryAfterMs: 120_000 });
    expect(answer(status, { 'retry-after': 'Mon, 05 Jan 2026 08:10:00 GMT' })).toMatchObject({
      retryAfterMs: 600_000,
    });
    expect(answer(status)).not.toHaveProperty('retryAfterMs');
  });

  it('is quoted with its status, but for a redirect, which is named', () => {
    expect(answer(503, {}, ' at\nlunch ')).toMatchObject({ message: 'HTTP 503: at\nlunch' });
    expect(answer(500)).toMatchObject({ message: 'HTTP 500' });
    for (const status of [300, 302, 399])
      expect(answer(status, { location: '/' }, 'gone there')).toMatchObject({
        message: `HTTP ${status}: redirects are not followed`,
      });
  });
});
