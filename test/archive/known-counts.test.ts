import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { KnownCounts } from '../../src/store/archive/known-counts';
import type { TallyRow } from '../../src/store/archive/questions';

const filterOf = (given: object) => toAuditEventFilter(parseParameters(FILTER_PARAMETERS, given as never));
const rows = (count: number): TallyRow[] =>
  Array.from({ length: count }, (_, w) => ({ by: 'window', w, text: '', n: 1, ok: 1 }));

describe('counts of whole files', () => {
  const asked: string[] = [];
  const countOf = async (
    counts: KnownCounts,
    name: string,
    {
      tenantId = 1,
      files = ['a'],
      filter = filterOf({ search: name }),
      windowMs = null as number | null,
    } = {},
  ) =>
    counts.of(tenantId, files, { filter, windowMs }, async () => {
      asked.push(name);
      return rows(10);
    });
  beforeEach(() => void asked.splice(0));

  it('are counted once, whatever the range', async () => {
    const counts = new KnownCounts();
    const ranges = [{}, { startTime: '2026-01-01T00:00:00Z' }, { endTime: '2026-02-01T00:00:00Z' }];
    for (const range of ranges)
      expect(await countOf(counts, 'x', { filter: filterOf({ search: 'x', ...range }) })).toEqual(rows(10));
    expect(asked).toEqual(['x']);
  });

  it('are counted again after all were forgotten, as after an erasure', async () => {
    const counts = new KnownCounts();
    await countOf(counts, 'x');
    counts.clear();
    await countOf(counts, 'x');
    expect(asked).toEqual(['x', 'x']);
  });

  it('are those of one tenant, of these files, of one filter, by one window', async () => {
    const counts = new KnownCounts();
    await countOf(counts, 'x');
    await countOf(counts, 'x', { tenantId: 2 });
    await countOf(counts, 'x', { files: ['a', 'b'] });
    await countOf(counts, 'x', { windowMs: 3_600_000 });
    await countOf(counts, 'x', { filter: filterOf({ search: 'x', filter: 'NOT actionId:SL' }) });
    await countOf(counts, 'x', { filter: filterOf({ search: 'x', succeeded: 'true' }) });
    expect(asked).toHaveLength(6);
  });

  it('are forgotten when there are many, those first that were not asked for longest', async () => {
    const counts = new KnownCounts(95);
    for (const name of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'b']) await countOf(counts, name);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  it('are not known when they could not be counted', async () => {
    const counts = new KnownCounts();
    const question = { filter: filterOf({}), windowMs: null };
    await expect(counts.of(1, ['a'], question, () => Promise.reject(new Error('gone')))).rejects.toThrow(
      'gone',
    );
    expect(await counts.of(1, ['a'], question, async () => rows(2))).toEqual(rows(2));
  });
});
