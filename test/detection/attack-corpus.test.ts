import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../src/rules/engine';
import { testEvents } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';
import { type Form, readForms } from './support/forms';

const FOLDER = path.join(__dirname, '../../rules');
const RULES = readdirSync(FOLDER).flatMap((name) =>
  parseRules(readFileSync(path.join(FOLDER, name), 'utf8')).map((rule) => ({
    rule,
    version: 1,
    number: Number(name.slice(0, 2)),
  })),
);
const NUMBERS = new Map(RULES.map(({ rule, number }) => [rule.ruleId, number]));

/** The numbers of the shipped rules that find a form. */
function found({ events }: Form): number[] {
  const findings = new Engine(1, RULES).evaluate(testEvents({ name: '', finds: true, events }), 0);
  return [...new Set(findings.map(({ ruleId }) => NUMBERS.get(ruleId) ?? 0))].sort((a, b) => a - b);
}

const ATTACKS = readForms('attacks.txt');
const HARMLESS = readForms('harmless.txt');

describe('the corpus of attacks and of what looks like them', () => {
  it('has at least 300 forms of each, and 100 attacks of our own', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(300);
    expect(HARMLESS.length).toBeGreaterThanOrEqual(300);
    expect(ATTACKS.filter(({ isOwn }) => isOwn).length).toBeGreaterThanOrEqual(100);
  });

  it('is found at 95 % at least, each form by a rule that it names', () => {
    const missed = ATTACKS.filter((form) => !found(form).some((rule) => form.rules.includes(rule)));
    const lines = missed.map((form) => `${form.class}: ${form.text} → ${found(form)}`);
    expect({ lines, isFew: missed.length <= 0.05 * ATTACKS.length }).toEqual({ lines, isFew: true });
  });

  it('has false findings at 3 % at most', () => {
    const wrong = HARMLESS.filter((form) => found(form).length > 0);
    const lines = wrong.map((form) => `${form.class}: ${form.text} → ${found(form)}`);
    expect({ lines, isFew: wrong.length <= 0.03 * HARMLESS.length }).toEqual({ lines, isFew: true });
  });
});
