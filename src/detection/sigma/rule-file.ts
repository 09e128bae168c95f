import { fieldSlot } from '../field-names';
import { allOf, type Matcher, not } from '../matcher';
import type { EventNode, Rule, RuleNode, Tuning } from '../rule';
import { correlationNode } from './correlation';
import { type CorrelationDocument, type EventDocument, parseDocument, type SigmaDocument } from './document';
import { narrows } from './logsource';
import { parseNodes } from './node';
import { Problems, RuleRefused } from './problem';
import { unknownField } from './value-test';

const RULES_OF_FILE_MAX = 100;
/** Correlations that name each other make more of each the deeper they are: 20 rules of 20 rules are 400. */
const PARTS_OF_FILE_MAX = 2_000;
const PART_COST = 2;
const DEFAULT_GROUP = ['serverInstanceName', 'serverPrincipalName'];

/**
 * The rules of a Sigma file: those of its documents that no correlation of the file refers to, or that say `generate`.
 * @param tuning what a tenant changes, by rule id @throws RuleRefused with every problem and its line
 */
export function parseRules(
  text: string,
  tuning: (ruleId: string) => Tuning | null = () => null,
): readonly Rule[] {
  const problems = new Problems();
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
  if (problems.found.length > 0) throw new RuleRefused(problems.found);
  const referred = new Set<EventDocument | CorrelationDocument>();
  const builder = new Builder(texts, named, referred, problems);
  const rules = documents.flatMap((document) => {
    if (document.kind === 'filter') return [];
    const rule = builder.ruleOf(document, tuning(document.about.ruleId) ?? {});
    return rule ? [{ document, rule }] : [];
  });
  if (problems.found.length > 0) throw new RuleRefused(problems.found);
  const shown = rules.filter(({ document }) => !referred.has(document)).map(({ rule }) => rule);
  if (shown.length === 0)
    problems.add(
      1,
      documents.some(({ kind }) => kind === 'filter')
        ? 'the file has filters and no rule: filters narrow the rules of their own file'
        : 'the file has no rule',
    );
  if (shown.length > RULES_OF_FILE_MAX) problems.add(1, `a file has at most ${RULES_OF_FILE_MAX} rules`);
  if (new Set(shown.map(({ ruleId }) => ruleId)).size < shown.length)
    problems.add(1, 'two rules of the file have the same id');
  if (problems.found.length > 0) throw new RuleRefused(problems.found);
  return shown;
}

class Builder {
  #parts = 0;
  #used = new Set<SigmaDocument>();
  #cost = 0;

  constructor(
    private readonly texts: ReadonlyMap<SigmaDocument, string>,
    private readonly named: ReadonlyMap<string, EventDocument | CorrelationDocument>,
    private readonly referred: Set<EventDocument | CorrelationDocument>,
    private readonly problems: Problems,
  ) {}

  ruleOf(document: EventDocument | CorrelationDocument, tuning: Tuning): Rule | null {
    this.#used = new Set();
    this.#cost = 0;
    const except = this.#exceptions(tuning, document.line);
    const root = this.#node(document, tuning, except, []);
    if (!root) return null;
    const { own, about } = document;
    const named = own.groupBy ?? DEFAULT_GROUP.map((name) => ({ name, line: document.line }));
    const groupBy = named.flatMap(({ name, line }) => {
      const field = fieldSlot(name);
      if (!field) this.problems.add(line, unknownField(name));
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
      source: [...this.texts].flatMap(([one, text]) => (this.#used.has(one) ? [text] : [])).join(''),
    };
  }

  #exceptions({ exceptions = [] }: Tuning, line: number): Matcher | null {
    if (exceptions.length === 0) return null;
    const parts = exceptions.map((exception) =>
      not(
        allOf(
          Object.entries(exception).map(([name, value]): Matcher => {
            const field = fieldSlot(name);
            if (!field) this.problems.add(line, unknownField(name));
            const wanted = value.toLowerCase();
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
      return this.problems.add(document.line, 'correlations refer to each other in a circle');
    this.#parts += 1;
    if (this.#parts > PARTS_OF_FILE_MAX) {
      if (this.#parts > PARTS_OF_FILE_MAX + 1) return null;
      return this.problems.add(
        document.line,
        `the correlations of a file name at most ${PARTS_OF_FILE_MAX} rules, counted with those that they name in turn`,
      );
    }
    this.#used.add(document);
    this.#cost += PART_COST;
    if (document.kind === 'event') return this.#eventNode(document, except);
    return correlationNode(document, {
      problems: this.problems,
      tuning: path.length === 0 ? tuning : {},
      childOf: (name, line) => {
        const child = this.named.get(name);
        if (!child) {
          this.problems.add(line, `there is no rule ${name} in this file`);
          return null;
        }
        this.#refer(child, document);
        return this.#node(child, tuning, except, [...path, document]);
      },
    });
  }

  #refer(child: EventDocument | CorrelationDocument, by: CorrelationDocument): void {
    const generate = by.correlation.entries.find(({ key }) => key === 'generate')?.value;
    if (generate?.kind === 'scalar' && generate.value === true) return;
    this.referred.add(child);
  }

  #eventNode(document: EventDocument, except: Matcher | null): EventNode | null {
    if (!document.matcher) return null;
    this.#cost += document.cost;
    const filters: Matcher[] = [];
    for (const one of this.texts.keys()) {
      if (one.kind !== 'filter' || !one.matcher || !narrows(one.logsource, document.logsource)) continue;
      if (one.rules !== null && !one.rules.some((name) => document.names.includes(name))) continue;
      filters.push(one.matcher);
      this.#cost += one.cost;
      this.#used.add(one);
    }
    return { kind: 'event', matcher: allOf([document.matcher, ...filters, ...(except ? [except] : [])]) };
  }
}
