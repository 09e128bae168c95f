import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Rule } from '../../../rules/rule';
import { parseRules } from '../../../rules/sigma/rule-file';
import { shippedFolder } from '../../../shipped-folder';

/** A shipped rule with its file. */
export interface ShippedRule {
  readonly rule: Rule;
  readonly source: string;
  /** The number of its file: 1 to 49. */
  readonly number: number;
}

let shipped: ReadonlyMap<string, ShippedRule> | undefined;

/** @returns the shipped rules by rule id. They are read once in a process. */
export const readShippedRules = (): ReadonlyMap<string, ShippedRule> =>
  (shipped ??= readRules(shippedFolder('rules', '01-brute-force.yml')));

function readRules(from: string): ReadonlyMap<string, ShippedRule> {
  const rules = new Map<string, ShippedRule>();
  for (const name of readdirSync(from).sort()) {
    if (!name.endsWith('.yml')) continue;
    const source = readFileSync(path.join(from, name), 'utf8');
    for (const rule of parseRules(source))
      rules.set(rule.ruleId, { rule, source, number: Number.parseInt(name, 10) });
  }
  return rules;
}
