import { readDocument, tablesOf } from '../support/documents';
import { sourcesOf } from '../support/imports';

/** Retired words that had several meanings, and the word that replaces each. */
const RETIRED: readonly [RegExp, string][] = [
  [/\btenantScope\b/i, 'tenant set: a scope is a permission'],
  [/\bGraphqlContext\b/, 'Call: it is the same behind every entrance'],
  [/\blimitedTenants?\b/i, 'tenants with retention: say what is limited'],
  [/\bis not gone on with\b/, 'has stopped'],
];
const TERMS_MAX = 80;

const offences = (text: string): string[] =>
  RETIRED.filter(([word]) => word.test(text)).map(([word, instead]) => `${word.source}: ${instead}`);

describe('the words of the project', () => {
  it('retired ones do not come back', () => {
    const found = sourcesOf('src', 'rest-facade', 'agent', 'dashboard/src').flatMap(({ file, text }) =>
      offences(text).map((offence) => `${file}: ${offence}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['tenantScope(ids)', 1],
    ['the log is not gone on with', 1],
    ['a tenant set', 0],
  ])('the check counts the retired words in "%s"', (text, count) => {
    expect(offences(text)).toHaveLength(count);
  });

  it('those that need explaining are in one glossary, by group and in alphabetical order', () => {
    const groups = tablesOf('CONTRIBUTING.md', 'Word').map((rows) => rows.map(([word = '']) => word));
    const words = groups.flat();
    expect(words.length).toBeLessThanOrEqual(TERMS_MAX);
    expect(words).toEqual([...new Set(words)]);
    for (const group of groups) expect(group).toEqual([...group].sort((a, b) => a.localeCompare(b)));
    expect(readDocument('CONTRIBUTING.md')).toContain('## Words');
  });
});
