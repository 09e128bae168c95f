import { Engine } from '../../../src/detection/engine';
import type { Rule } from '../../../src/detection/rule';
import { testEvents } from '../../../src/detection/rule-test';
import { RuleRefused } from '../../../src/detection/sigma/problem';
import { parseRuleFile, parseRules } from '../../../src/detection/sigma/rule-file';

/** A rule for the Windows application log begins so. */
export const HEAD = 'title: A rule\nlogsource:\n  product: windows\n  service: application\n';
export const rule = (detection: string) => `${HEAD}detection:\n${detection}`;

/** A rule that finds values of a field that a server has not had in logins. Quoted keys are keys too. */
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

/** How much the rules of a file find in events; each names the fields that it changes, and `after` the one before. */
export function findings(source: string, ...events: Readonly<Record<string, unknown>>[]): number {
  const active = parseRules(source).map((one: Rule) => ({ rule: one, version: 1 }));
  return new Engine(1, active).evaluate(testEvents({ name: '', finds: true, events }), 0).length;
}

/** Why a file is refused, with lines; none: it is taken. */
export function problemsOf(source: string): readonly string[] {
  try {
    parseRuleFile(source);
    return [];
  } catch (error) {
    if (!(error instanceof RuleRefused)) throw error;
    return error.problems.map(({ line, reason }) => `${line}: ${reason}`);
  }
}
