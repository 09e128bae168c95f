import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ADVISORY_LOCKS } from '../../src/database/advisory-locks';
import { ROOT, sourcesOf } from '../support/imports';

const HOME = 'src/database/lease.ts';
const PARTS = sourcesOf('src', 'rest-facade').filter(({ file }) => file !== HOME);

/** A table that has a lease: a uuid for its holder, and its end. */
interface LeasedTable {
  readonly table: string;
  readonly ends: readonly string[];
}

/** The tables of a schema of Prisma that keep a lease. */
function leasedTables(schema: string): readonly LeasedTable[] {
  return schema.split(/^model /m).flatMap((model) => {
    const columnOf = (field: RegExp) => [...model.matchAll(field)].map(([, name = '', map]) => map ?? name);
    const table = /@@map\("(\w+)"\)/.exec(model)?.[1];
    const holders = columnOf(/^ +(holder|leaseId) +String\??.*?(?:@map\("(\w+)"\))?.*@db\.Uuid/gm);
    const ends = columnOf(/^ +(heldUntil|leaseUntil|expiresAt) +DateTime\??.*?@map\("(\w+)"\)/gm);
    return table && holders.length > 0 && ends.length > 0 ? [{ table, ends }] : [];
  });
}

/** Comparisons with the end of a lease, in SQL or in a condition of Prisma. */
function comparisons(text: string, ends: readonly string[]): readonly string[] {
  const camel = ends.map((end) => end.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  return [
    ...text.matchAll(new RegExp(`\\b(?:${ends.join('|')})\\s*(?:[<>]=?|IS (?:NOT )?NULL|BETWEEN)`, 'g')),
    ...text.matchAll(new RegExp(`\\b(?:${camel.join('|')}):\\s*\\{[^}]*\\b(?:lte?|gte?)\\b`, 'g')),
  ].map(([found]) => found);
}

describe('a lease', () => {
  const tables = leasedTables(readFileSync(path.join(ROOT, 'prisma/schema.prisma'), 'utf8'));

  it('of every table that has a holder and an end is taken by src/database/lease.ts', () => {
    expect(tables.length).toBeGreaterThan(3);
    const declared = PARTS.flatMap(({ text }) => [
      ...text.matchAll(/table: '(\w+)',\s+key: \{[^}]+\},\s+holder: '\w+',\s+until: '\w+'/g),
    ]).map(([, table]) => table);
    expect(declared.sort()).toEqual(tables.map(({ table }) => table).sort());
  });

  it('is judged nowhere else', () => {
    const ends = [...new Set(tables.flatMap(({ ends }) => ends))].filter((end) => end !== 'expires_at');
    const found = PARTS.flatMap(({ file, text }) => comparisons(text, ends).map((one) => `${file}: ${one}`));
    expect(found).toEqual([]);
    const exports = PARTS.filter(({ text }) => text.includes('export_lease')).flatMap(({ file, text }) =>
      comparisons(text, ['expires_at']).map((one) => `${file}: ${one}`),
    );
    expect(exports).toEqual([]);
  });

  it.each([
    ['AND (held_until IS NULL OR held_until < now())', 2],
    ['where: { heldUntil: { lt: new Date(nowMs) } }', 1],
    ['SET held_until = $1', 0],
  ])('the check finds comparisons in "%s"', (text, count) => {
    expect(comparisons(text, ['held_until'])).toHaveLength(count);
  });

  it('the due time of notices is judged by the function for stored times alone', () => {
    const found = PARTS.flatMap(({ file, text }) =>
      comparisons(text, ['next_at', 'next_attempt_at']).map((one) => `${file}: ${one}`),
    );
    expect(found).toEqual([]);
  });
});

describe('an advisory lock', () => {
  it('has its number from the table of all of them, which gives none twice', () => {
    const found = sourcesOf('src').flatMap(({ file, text }) =>
      [...text.matchAll(/advisory_(?:xact_)?lock(?:_shared)?\(([^)]*)/g)]
        .filter(([, number = '']) => !/^\$\{(?:ADVISORY_LOCKS[.[]|ALL_TENANTS)/.test(number))
        .map(([use]) => `${file}: ${use}`),
    );
    expect(found).toEqual([]);
    const numbers = Object.values(ADVISORY_LOCKS);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
