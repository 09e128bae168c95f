import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isBaseline, nodesOf, type Rule, type RuleAbout, type RuleNode } from '../../detection/rule';
import type { FilterDocument } from '../../detection/sigma/document';
import { parseRuleFile, parseRules } from '../../detection/sigma/rule-file';
import type { Baseline, Baselines } from './carry-baselines';
import { digestOf, tuningOf } from './rule-digest';

/** The most characters of the files that are kept parsed. */
const CHARS_MAX = 8 * 1024 * 1024;

export type About = RuleAbout &
  Pick<Rule, 'cost' | 'filterCost' | 'filters'> & { readonly baselines: Baselines };

/** What rule and filter files say. Each file is parsed once, and other work runs in between. */
export class RuleAbouts {
  readonly #rules = new LRUCache<string, { readonly about: About | null }>({ maxSize: CHARS_MAX });
  readonly #filters = new LRUCache<string, { readonly document: FilterDocument | null }>({
    maxSize: CHARS_MAX,
  });

  /** @param filters files of filters that may narrow it @returns null if this release cannot read the rule */
  async of(
    {
      ruleId,
      source,
      tuning,
    }: { readonly ruleId: string; readonly source: string; readonly tuning: string | null },
    filters: readonly string[],
  ): Promise<About | null> {
    const key = `${ruleId}/${digestOf(source, tuning, filters)}`;
    const known = this.#rules.get(key);
    if (known) return known.about;
    const documents = filters.map((text) => this.filter(text)).filter((one) => one !== null);
    const rule = orNull(() =>
      parseRules(source, () => tuningOf(tuning), documents).find((one) => one.ruleId === ruleId),
    );
    const about = rule && aboutOf(rule);
    this.#rules.set(key, { about }, { size: key.length + source.length });
    await turnOfOthers();
    return about;
  }

  /** @returns null if this release cannot read the filter */
  filter(source: string): FilterDocument | null {
    const key = digestOf(source, null);
    const known = this.#filters.get(key);
    if (known) return known.document;
    const document = orNull(() => parseRuleFile(source).filters[0]?.document);
    this.#filters.set(key, { document }, { size: key.length + source.length });
    return document;
  }
}

function orNull<T>(read: () => T | undefined): T | null {
  try {
    return read() ?? null;
  } catch {
    return null;
  }
}

const aboutOf = (rule: Rule): About => {
  const { ruleId, title, description, why, falsePositives, tags, severity, cost, filterCost, filters } = rule;
  return {
    ...{ ruleId, title, description, why, falsePositives, tags, severity },
    ...{ cost, filterCost, filters, baselines: nodesOf(rule.root).flatMap(baselineOf) },
  };
};

function baselineOf(node: RuleNode): readonly (Baseline | null)[] {
  if (node.kind === 'event') return [];
  if (!isBaseline(node)) return [null];
  const groups = node.groupBy.map(({ name }) => name);
  return [{ kind: node.kind, groups, value: node.kind === 'unseen' ? node.value.name : null }];
}
