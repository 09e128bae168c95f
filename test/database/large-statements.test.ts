import { FairShare, LARGE_SHARES } from '../../src/caller/rate-limit/fair-share';
import { furtherCalls, hasMark, MARK, markedBytes } from '../../src/event/marks';
import { LIMITS } from '../../src/limits';
import { LargeStatements } from '../../src/store/bytes/large-statements';
import { fakeService } from '../support/doors';
import { until } from '../support/until';

const ID = '019638ac-eaee-8246-a524-3f486ad33b01';
const BYTES = 300_000;
const markOf = (tenantId: number, bytes = BYTES) => `${MARK}:${tenantId}:${ID}:10:${bytes};`;
const asker = (...tenants: number[]) => ({ holder: `key of ${tenants}`, tenants });
const encoded = (text: string) => Buffer.from(text).toString('base64');

/** A database that answers when the test lets it. */
function heldDatabase() {
  const open: { tenant: number; answer: (rows: readonly Readonly<Record<string, unknown>>[]) => void }[] = [];
  const ask = (_statement: unknown, [tenant = 0]: readonly number[]) =>
    new Promise((answer) => {
      open.push({ tenant, answer });
    });
  return { open, service: fakeService({ ask }) };
}
const textOf = async (pieces: AsyncIterable<string | Buffer>) => {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
};

describe('a large statement of an answer', () => {
  it('is put in the place of its mark, its pieces in their order', async () => {
    const rows = [
      { at: 65_547, size: BYTES, piece: encoded('two') },
      { at: 11, size: BYTES, piece: encoded('one ') },
    ];
    const large = new LargeStatements(fakeService({ ask: async () => rows }), new FairShare(LARGE_SHARES));
    const text = `{"statement":"head ${markOf(7)}","n":1}\n{"statement":"${markOf(7)}"}`;
    const whole = '{"statement":"head one two","n":1}\n{"statement":"one two"}';
    expect(await textOf(large.written(text, 'json', asker(7)))).toBe(whole);
    expect(Buffer.concat(await large.pieces([text, 'without'], asker(7))).toString()).toBe(`${whole}without`);
  });

  it('is read one at a time for a tenant, also for several keys, and two at a time in all', async () => {
    const { open, service } = heldDatabase();
    const large = new LargeStatements(service, new FairShare(LARGE_SHARES));
    const reading = [7, 7, 8, 9].map((tenant, i) =>
      textOf(large.written(markOf(tenant), 'json', { holder: `key ${i}`, tenants: [tenant] })),
    );
    await until(
      () => open.length,
      (count) => count === 2,
    );
    expect(open.map(({ tenant }) => tenant)).toEqual([7, 8]);
    for (let i = 0; i < reading.length; i++) {
      await until(
        () => open.length,
        (count) => count > i,
      );
      open[i]?.answer([{ at: 11, size: BYTES, piece: encoded('x') }]);
    }
    expect(await Promise.all(reading)).toEqual(['x', 'x', 'x', 'x']);
    expect(open.map(({ tenant }) => tenant)).toEqual([7, 8, 7, 9]);
  });

  it('is refused with 503 if its turn does not come in time', async () => {
    const { open, service } = heldDatabase();
    const large = new LargeStatements(service, new FairShare(LARGE_SHARES));
    const first = textOf(large.written(markOf(7), 'json', asker(7)));
    await expect(textOf(large.written(markOf(7), 'csv', asker(7), 20))).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 2,
    });
    open[0]?.answer([{ at: 11, size: BYTES, piece: encoded('x') }]);
    expect(await first).toBe('x');
  });

  it('is refused with 503 if it is gone, or is another one by then', async () => {
    for (const rows of [[], [{ at: 11, size: BYTES - 1, piece: '' }]]) {
      const large = new LargeStatements(fakeService({ ask: async () => rows }), new FairShare(LARGE_SHARES));
      await expect(textOf(large.written(markOf(7), 'json', asker(7)))).rejects.toMatchObject({
        code: 'service_unavailable',
      });
    }
  });

  it('is never one of a tenant that the caller does not act for', async () => {
    const ask = jest.fn();
    const large = new LargeStatements(fakeService({ ask }), new FairShare(LARGE_SHARES));
    await expect(textOf(large.written(markOf(8), 'json', asker(7)))).rejects.toThrow('another tenant');
    expect(ask).not.toHaveBeenCalled();
  });

  it('counts by its bytes', () => {
    const mib = LIMITS.largeBytesPerCall;
    expect([hasMark('text'), hasMark(null), hasMark(`a${markOf(7)}`)]).toEqual([false, false, true]);
    expect(markedBytes(`${markOf(7, 5)} and ${markOf(8, 6)}`)).toBe(11);
    expect(furtherCalls([markOf(7, mib - 1), 'text'])).toBe(0);
    expect(furtherCalls([markOf(7, mib - 1), `${markOf(7, 1)}${markOf(7, 2 * mib)}`])).toBe(3);
  });
});
