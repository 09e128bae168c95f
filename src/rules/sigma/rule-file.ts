import { fold } from '../../event/search';
import { isUuid } from '../../event/uuid';
import { fieldSlot } from '../field-names';
import { allOf, type Matcher, not } from '../matcher';
import type { EventNode, Rule, RuleNode, Tuning } from '../rule';
import { correlationNode } from './correlation';
import {
  type CorrelationDocument,
  type EventDocument,
  type FilterDocument,
  NO_TITLE,
  parseDocument,
  type SigmaDocument,
} from './document';
import { narrows } from './logsource';
import { parseNodes } from './node';
import { fieldIn, Problems, RuleRefused } from './problem';
import { unknownField, wholeText } from './value-test';

const RULES_OF_FILE_MAX = 100;
/** Nested correlations multiply their parts: a correlation of 20 rules, each of 20 rules, has 400. */
const PARTS_OF_FILE_MAX = 2_000;
const PART_COST = 2;
const DEFAULT_GROUP = ['serverInstanceName', 'serverPrincipalName'];

/** The content of a Sigma file. */
export interface RuleFile {
  /** All rules of the file, except those that a correlation without `generate` refers to. */
  readonly rules: readonly Rule[];
  /**
   * The filters that narrow rules of other files: all filters if the file has no rules, else those that name such
   * rules.
   */
  readonly filters: readonly RuleFilter[];
  /** Whether a condition, or a value of a group, is of what statements say. */
  readonly looksIntoStatements: boolean;
}
interface RuleFilter {
  readonly document: FilterDocument;
  readonly source: string;
}
interface Around {
  /** A tenant's changes of a rule, by rule id. */
  readonly tuning?: (ruleId: string) => Tuning | null;
  /** Filters that come from other files. */
  readonly filters?: readonly FilterDocument[];
}

/** @throws RuleRefused with every problem and its line */
export function parseRuleFile(text: string, { tuning = () => null, filters = [] }: Around = {}): RuleFile {
  const problems = new Problems();
  const refuse = () => {
    if (problems.found.length > 0) throw new RuleRefused(problems.found);
  };
  const texts = new Map<SigmaDocument, string>();
  for (const { root, text: own } of parseNodes(text)) {
    const document = parseDocument(root, problems);
    if (document) texts.set(document, own);
  }
  const documents = [...texts.keys()];
  const named = new Map<string, EventDocument | CorrelationDocument>();
  for (const document of documents) {
    if (document.kind === 'filter') continue;
    for (const name of document.names) {
      if (named.has(name)) problems.add(document.line, `${name} is the name of two documents`);
      named.set(name, document);
    }
  }
  refuse();
  const referred = new Set<EventDocument | CorrelationDocument>();
  const builder = new Builder({ texts, named, referred, problems, filters });
  const rules = documents.flatMap((document) => {
    if (document.kind === 'filter') return [];
    const rule = builder.ruleOf(document, tuning(document.about.ruleId) ?? {});
    return rule ? [{ document, rule }] : [];
  });
  refuse();
  const shown = rules.filter(({ document }) => !referred.has(document));
  if (shown.length > RULES_OF_FILE_MAX) problems.add(1, `a file has at most ${RULES_OF_FILE_MAX} rules`);
  const ids = new Set<string>();
  for (const { document, rule } of shown) {
    if (rule.title === '') problems.add(document.line, NO_TITLE);
    if (ids.has(rule.ruleId))
      problems.add(document.line, 'two rules of the file have the same id, or no id and the same title');
    ids.add(rule.ruleId);
  }
  const outward = outwardFilters(texts, problems);
  if (new Set(outward.map(({ document }) => document.filterId)).size < outward.length)
    problems.add(1, 'two filters of the file have the same id');
  refuse();
  const { looksIntoStatements } = problems;
  return { rules: shown.map(({ rule }) => rule), filters: outward, looksIntoStatements };
}

/** The rules of a Sigma file. @throws RuleRefused with every problem and its line, and also if the file has no rules */
export function parseRules(
  text: string,
  tuning: (ruleId: string) => Tuning | null = () => null,
  filters: readonly FilterDocument[] = [],
): readonly Rule[] {
  const { rules, filters: own } = parseRuleFile(text, { tuning, filters });
  if (rules.length > 0) return rules;
  const reason = own.length > 0 ? 'the file has filters and no rule' : 'the file has no rule';
  throw new RuleRefused([{ line: 1, reason }]);
}

function outwardFilters(texts: ReadonlyMap<SigmaDocument, string>, problems: Problems): RuleFilter[] {
  const inside = new Set([...texts.keys()].flatMap(callNames));
  return [...texts].flatMap(([document, source]) => {
    if (document.kind !== 'filter') return [];
    const isOutward = document.rules?.some((name) => !inside.has(name.toLowerCase())) ?? inside.size === 0;
    if (isOutward && document.title === '')
      problems.add(document.line, 'a filter of rules of other files must have a title');
    return isOutward ? [{ document, source }] : [];
  });
}

/** The names by which filters may refer to a document, in small letters. */
const callNames = (document: SigmaDocument): readonly string[] =>
  document.kind === 'filter'
    ? []
    : [...document.names, document.about.ruleId, document.about.title].map((name) => name.toLowerCase());

class Builder {
  #parts = 0;
  #used = new Set<SigmaDocument>();
  #cost = 0;
  #filterCost = 0;

  constructor(
    private readonly of: {
      readonly texts: ReadonlyMap<SigmaDocument, string>;
      readonly named: ReadonlyMap<string, EventDocument | CorrelationDocument>;
      readonly referred: Set<EventDocument | CorrelationDocument>;
      readonly problems: Problems;
      /** Filters that come from other files. */
      readonly filters: readonly FilterDocument[];
    },
  ) {}

  ruleOf(document: EventDocument | CorrelationDocument, tuning: Tuning): Rule | null {
    this.#used = new Set();
    [this.#cost, this.#filterCost] = [0, 0];
    const { texts, problems, filters } = this.of;
    const except = this.#exceptions(tuning, document.line);
    const root = this.#node(document, tuning, except, []);
    if (!root) return null;
    const { own, about } = document;
    const named = own.groupBy ?? DEFAULT_GROUP.map((name) => ({ name, line: document.line }));
    const groupBy = named.flatMap(({ name, line }) => {
      const field = fieldIn(name, problems);
      if (!field) problems.add(line, unknownField(name));
      return field ? [{ name, field }] : [];
    });
    return {
      ...about,
      why: own.why,
      severity: tuning.severity ?? about.severity,
      root,
      groupBy,
      dedupMinutes: tuning.dedupMinutes ?? own.dedupMinutes,
      tests: own.tests,
      cost: this.#cost,
      filters: filters.filter((one) => this.#used.has(one)).map(({ filterId }) => filterId),
      filterCost: this.#filterCost,
      source: [...texts].flatMap(([one, text]) => (this.#used.has(one) ? [text] : [])).join(''),
    };
  }

  #exceptions({ exceptions = [] }: Tuning, line: number): Matcher | null {
    if (exceptions.length === 0) return null;
    const parts = exceptions.map((exception) =>
      not(
        allOf(
          Object.entries(exception).map(([name, value]): Matcher => {
            const field = fieldSlot(name);
            if (!field) this.of.problems.add(line, unknownField(name));
            const wanted = fold(field ? wholeText(field, value) : value);
            return { test: (seen) => field !== null && seen.folded(field).includes(wanted), actions: null };
          }),
        ),
      ),
    );
    return allOf(parts);
  }

  #node(
    document: EventDocument | CorrelationDocument,
    tuning: Tuning,
    except: Matcher | null,
    path: readonly (EventDocument | CorrelationDocument)[],
  ): RuleNode | null {
    if (path.includes(document))
      return this.of.problems.add(document.line, 'correlations refer to each other in a circle');
    this.#parts += 1;
    if (this.#parts > PARTS_OF_FILE_MAX) {
      if (this.#parts > PARTS_OF_FILE_MAX + 1) return null;
      return this.of.problems.add(
        document.line,
        `the correlations of a file name at most ${PARTS_OF_FILE_MAX} rules, counted with those that they name in turn`,
      );
    }
    this.#used.add(document);
    this.#cost += PART_COST;
    if (document.kind === 'event') return this.#eventNode(document, except, path);
    return correlationNode(document, {
      problems: this.of.problems,
      tuning: path.length === 0 ? tuning : {},
      childOf: (name, line) => {
        const child = this.#called(name);
        if (!child) {
          this.of.problems.add(line, `there is no rule ${name} in this file`);
          return null;
        }
        if (!document.generate) this.of.referred.add(child);
        return this.#node(child, tuning, except, [...path, document]);
      },
      namesOf: (name) => this.#called(name)?.names ?? [],
    });
  }

  #called(name: string): EventDocument | CorrelationDocument | undefined {
    return this.of.named.get(name) ?? (isUuid(name) ? this.of.named.get(name.toLowerCase()) : undefined);
  }

  #eventNode(
    document: EventDocument,
    except: Matcher | null,
    path: readonly (EventDocument | CorrelationDocument)[],
  ): EventNode | null {
    if (!document.matcher) return null;
    this.#cost += document.cost;
    const names = new Set([document, ...path].flatMap(callNames));
    const own = [...this.of.texts.keys()].filter((one) => one.kind === 'filter');
    const filters: Matcher[] = [];
    for (const one of [...own, ...this.of.filters]) {
      if (!one.matcher || !narrows(one.logsource, document.logsource)) continue;
      if (one.rules !== null && !one.rules.some((name) => names.has(name.toLowerCase()))) continue;
      filters.push(one.matcher);
      this.#cost += one.cost;
      if (this.of.filters.includes(one)) this.#filterCost += one.cost;
      this.#used.add(one);
    }
    return { kind: 'event', matcher: allOf([document.matcher, ...filters, ...(except ? [except] : [])]) };
  }
}
