import fc from 'fast-check';
import { completeness } from '../../src/assistants/answer';
import { cut, eventName, fenced, namedEvent, tableOf, tokensOf } from '../../src/assistants/compact';
import { type AccessRule, type Entrance, enforce, type Principal } from '../../src/caller/principal';
import type { DomainError } from '../../src/errors';
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
    const long = 'a'.repeat(LIMITS.assistantCellChars);
    const cutTo = cut(`${long}1`, LIMITS.assistantCellChars);
    expect(
      tableOf(
        ['x', 'y'],
        [
          [`${long}1`, `${long}1`],
          [`${long}2`, `${long}1`],
        ],
      ),
    ).toEqual({
      ...{ columns: ['x'], same: { y: cutTo }, rows: [[cutTo], [cutTo]] },
    });
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
    expect([cut('a🙂bc', 4), cut('a🙂bc', 3)]).toEqual(['a🙂…', 'a…']);
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

describe('how complete the events of an answer are', () => {
  const source = (completeThrough: string | null, hasProblem = false) => ({
    ...{ completeThrough, hasProblem },
    retiredAt: null as string | null,
    standbySince: null as string | null,
  });
  const [EARLY, LATE] = ['2026-01-05T08:00:00.0000000Z', '2026-01-05T09:00:00.0000000Z'];
  const through = (sourceCount: number, ...sources: readonly ReturnType<typeof source>[]) =>
    completeness({ gapCount: 2, sourceCount, sources } as never);

  it('is as complete as the source that is furthest behind', () => {
    expect(through(2, source(LATE), source(EARLY))).toEqual({ completeThrough: EARLY, gaps: 2 });
    expect(through(2, source(EARLY, true), source(LATE, true))).toMatchObject({ completeThrough: EARLY });
  });

  it('is not known without a source, and where a source was never complete', () => {
    expect(through(0)).toEqual({ completeThrough: null, gaps: 2 });
    expect(through(2, source(LATE), source(null))).toMatchObject({ completeThrough: null });
  });

  it('heeds neither a source that was retired nor one whose folder another host has', () => {
    const gone = { ...source(null), retiredAt: EARLY };
    const away = { ...source(EARLY), standbySince: EARLY };
    expect(through(3, source(LATE), gone, away)).toMatchObject({ completeThrough: LATE });
    expect(through(2, gone, away)).toMatchObject({ completeThrough: null });
    expect(through(9, source(LATE, true), gone)).toMatchObject({ completeThrough: null });
  });

  it('is not known where sources with problems are left out: those are listed first', () => {
    expect(through(9, source(EARLY, true), source(LATE, true))).toMatchObject({ completeThrough: null });
    expect(through(9, source(LATE, true), source(EARLY))).toMatchObject({ completeThrough: EARLY });
  });
});

describe('what only the dashboard reads', () => {
  const principal = (change: object = {}) =>
    ({
      kind: 'public',
      keyId: 'k',
      scopes: ['read:audit-activity'],
      tenantIds: [7],
      ...change,
    }) as unknown as Principal;
  const codeOf = (rule: object, entrance: Entrance, of = principal()) => {
    try {
      enforce({ principal: 'public', scope: 'read:audit-activity', ...rule } as AccessRule, {
        principal: of,
        entrance,
      });
      return null;
    } catch (error) {
      return (error as DomainError).code;
    }
  };

  it('is for those signed in, and for assistants where its rule says so', () => {
    const via = { via: 'session' };
    expect(codeOf(via, 'dashboard', principal({ session: {} }))).toBeNull();
    expect(codeOf(via, 'mcp')).toBe('forbidden');
    expect(codeOf({ ...via, assistants: true }, 'mcp')).toBeNull();
    expect(codeOf({ ...via, assistants: true }, 'graphql')).toBe('forbidden');
  });

  it('needs the scope and a tenant, at whatever entrance', () => {
    expect(codeOf({}, 'rest')).toBeNull();
    expect(codeOf({ assistants: true }, 'mcp', principal({ scopes: ['other'] }))).toBe('forbidden');
    expect(codeOf({}, 'rest', principal({ tenantIds: [] }))).not.toBeNull();
    expect(codeOf({}, 'rest', principal({ kind: 'operator' }))).toBe('forbidden');
    expect(codeOf({ operators: true }, 'rest', principal({ kind: 'operator' }))).toBeNull();
    expect(codeOf({ operators: true }, 'rest', principal({ kind: 'agent' }))).toBe('forbidden');
  });
});
