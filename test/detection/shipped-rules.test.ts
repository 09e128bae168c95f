import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { failedTests } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';

const FOLDER = path.join(__dirname, '../../rules');
const FILES = readdirSync(FOLDER);

describe('the shipped rules', () => {
  it('are forty-nine files', () => {
    expect(FILES.map((name) => Number(name.slice(0, 2)))).toEqual(
      Array.from({ length: 49 }, (_, i) => i + 1),
    );
  });

  it.each(FILES)('%s finds what its tests say and nothing else', (name) => {
    const rules = parseRules(readFileSync(path.join(FOLDER, name), 'utf8'));
    for (const rule of rules) {
      expect({ title: rule.title, failed: failedTests(rule) }).toEqual({ title: rule.title, failed: [] });
      expect(rule.tests.some(({ finds }) => !finds)).toBe(true);
      expect(rule.tests.some(({ finds }) => finds)).toBe(!name.startsWith('40'));
      expect(rule.description).not.toBe('');
      expect(rule.why).not.toBe('');
      expect(rule.falsePositives).not.toEqual([]);
      expect(rule.tags.filter((tag) => /^attack\.t\d{4}(\.\d{3})?$/.test(tag))).not.toEqual([]);
    }
  });

  it('have distinct ids', () => {
    const ids = FILES.flatMap((name) => parseRules(readFileSync(path.join(FOLDER, name), 'utf8'))).map(
      ({ ruleId }) => ruleId,
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
