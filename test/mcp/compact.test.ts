import fc from 'fast-check';
import { cut, eventName, fenced, namedEvent, tableOf, tokensOf } from '../../src/assistants/compact';
import { formatTicks, parseTicks } from '../../src/event/event-time';
import { MARK } from '../../src/event/marks';
import { eventTimeOf, recordIdOf } from '../../src/event/record-id';
import { LIMITS } from '../../src/limits';

describe('a table for assistants', () => {
  it('tells a value that all rows share once', () => {
    const rows = [
      ['a', 1, null],
      ['b', 1, null],
    ];
    expect(tableOf(['x', 'y', 'z'], rows)).toEqual({
      columns: ['x'],
      same: { y: 1, z: null },
      rows: [['a'], ['b']],
    });
    expect(tableOf(['x'], [['a']])).toEqual({ columns: ['x'], rows: [['a']] });
    expect(tableOf(['x'], [])).toEqual({ columns: ['x'], rows: [] });
  });

  it('is never larger than an assistant should read, whatever stands in its cells', () => {
    const cell = fc.oneof(fc.string({ maxLength: 200, unit: 'binary' }), fc.constant(null), fc.boolean());
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 8, maxLength: 8 }), { maxLength: 50 }), (rows) => {
        const table = tableOf([...'abcdefgh'], rows);
        expect(tokensOf(JSON.stringify(table.rows))).toBeLessThanOrEqual(LIMITS.assistantTableTokens + 50);
        expect(rows.length === 0 || table.rows.length > 0).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a statement for assistants', () => {
  it.each([
    ['SELECT 1', '```sql\nSELECT 1\n```'],
    ['a ``` b', '````sql\na ``` b\n````'],
    [`x${MARK}:1:2`, '```sql\nx\n```'],
  ])('%s is between fences that it does not contain', (statement, expected) => {
    expect(fenced(statement)).toBe(expected);
  });

  it('is cut', () => {
    expect(fenced('é'.repeat(5_000))).toBe(`\`\`\`sql\n${cut('é'.repeat(5_000), 300)}\n\`\`\``);
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('ab…');
  });
});

describe('the name of an event in a row', () => {
  it('leads to the record id', () => {
    const [min, max] = ['1990-01-01', '2100-01-01'].map((time) => parseTicks(time) ?? 0n) as [bigint, bigint];
    fc.assert(
      fc.property(fc.bigInt({ min, max }), fc.nat(), (ticks, index) => {
        const id = recordIdOf(7, ticks, { fileGuid: 'f', blockOffset: 1, index });
        const name = eventName(eventTimeOf(id), id);
        expect(name.slice(0, 23)).toBe(formatTicks(ticks).slice(0, 23));
        for (const written of [name, name.replace('/', 'Z/')]) {
          const named = namedEvent(written);
          expect([id.startsWith(named?.begins ?? '?'), named?.isOf(id)]).toEqual([true, true]);
          expect(named?.isOf(id.replace(/.$/, (c) => (c === '0' ? '1' : '0')))).toBe(false);
        }
      }),
    );
  });

  it.each([
    'x/000000',
    '2026-01-01T00:00:00Z/abcdef',
    '2026-01-01T00:00:00Z/12345',
    '2026-01-01T00:00:00Z',
    '',
  ])('is not %s', (text) => {
    expect(namedEvent(text)).toBeNull();
  });
});
