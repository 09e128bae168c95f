import { Engine } from '../../../src/rules/engine';
import type { Finding } from '../../../src/rules/finding';
import type { Rule } from '../../../src/rules/rule';
import { testEvents } from '../../../src/rules/rule-test';
import { RuleRefused } from '../../../src/rules/sigma/problem';
import { parseRuleFile, parseRules } from '../../../src/rules/sigma/rule-file';

/** The first lines of a rule for the Windows application log. */
export const HEAD = 'title: A rule\nlogsource:\n  product: windows\n  service: application\n';
export const rule = (detection: string) => `${HEAD}detection:\n${detection}`;

/**
 * A rule that finds values of a field that are new in a server's logins. Its quoted keys show that YAML permits them.
 */
export const unseenInLogins = (title: string, field: string, id = '') => `title: ${title} login
name: login
logsource:
  product: sqlserver
detection:
  s:
    actionId: LGIS
  condition: s
---
title: ${title}
${id && `id: ${id}`}
correlation:
  'type': unseen
  rules: [login]
  group-by: [serverInstanceName]
  condition:
    field: ${field}
  days: 60
  learn-days: 7
`;

/**
 * @returns the findings that the rules of a file make in events. An event gives the fields that it changes, and `after`
 * the one before
 */
export function found(source: string, ...events: Readonly<Record<string, unknown>>[]): readonly Finding[] {
  const active = parseRules(source).map((one: Rule) => ({ rule: one, version: 1 }));
  return new Engine(1, active).evaluate(testEvents({ name: '', finds: true, events }), 0);
}

/** @returns the number of findings that the rules of a file make in events */
export const findings = (source: string, ...events: Readonly<Record<string, unknown>>[]): number =>
  found(source, ...events).length;

/** @returns the problems of a file, with lines; empty if the file is accepted */
export function problemsOf(source: string): readonly string[] {
  try {
    parseRuleFile(source);
    return [];
  } catch (error) {
    if (!(error instanceof RuleRefused)) throw error;
    return error.problems.map(({ line, reason }) => `${line}: ${reason}`);
  }
}
