import { readDocument, tableOf } from '../support/documents';
import { sourcesOf } from '../support/imports';

/** Words that meant several things, and the one that took the place of each. */
const RETIRED: readonly [RegExp, string][] = [
  [/\btenantScope\b/i, 'tenant set: a scope is a permission'],
  [/\bGraphqlContext\b/, 'Call: it is the same behind every entrance'],
  [/\blimitedTenants?\b/i, 'tenants with retention: say what is limited'],
  [/\bis not gone on with\b/, 'has stopped'],
];
const TERMS_MAX = 40;

const offences = (text: string): string[] =>
  RETIRED.filter(([word]) => word.test(text)).map(([word, instead]) => `${word.source}: ${instead}`);

describe('the words of the project', () => {
  it('that are retired do not come back', () => {
    const found = sourcesOf('src', 'rest-facade', 'agent', 'dashboard/src').flatMap(({ file, text }) =>
      offences(text).map((offence) => `${file}: ${offence}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['tenantScope(ids)', 1],
    ['the log is not gone on with', 1],
    ['a tenant set', 0],
  ])('would be seen in "%s"', (text, count) => {
    expect(offences(text)).toHaveLength(count);
  });

  it('that need explaining stand in one glossary, in the order of the alphabet', () => {
    const words = tableOf('CONTRIBUTING.md', 'Word').map(([word = '']) => word);
    expect(words.length).toBeLessThanOrEqual(TERMS_MAX);
    expect(words).toEqual([...new Set(words)].sort((a, b) => a.localeCompare(b)));
    expect(readDocument('CONTRIBUTING.md')).toContain('## Words');
  });
});
