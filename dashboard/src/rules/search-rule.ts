import { type Expression, type FieldTerm } from '../../../src/event/expression/expression';
import { parseFilter } from '../../../src/event/expression/parse-filter';
import type { In } from '../lib/texts';
import type { RULES } from './texts';

interface About {
  readonly ruleId: string;
  readonly title: string;
}

/**
 * A filter of Explore as a Sigma file. Each condition becomes a selection, and values are compared with letter case, as
 * the filter does.
 * @throws Error that names the part of the filter that no rule can express
 */
export function ruleOfSearch(filter: string, { ruleId, title }: About, t: In<typeof RULES>): string {
  const parsed = parseFilter(filter);
  if ('problem' in parsed) throw new Error(t.badFilter(parsed.problem));
  const selections: (readonly string[])[] = [];
  const condition = conditionOf(parsed.expression, selections, t);
  return [
    `title: ${JSON.stringify(title)}`,
    `id: ${ruleId}`,
    'status: experimental',
    `description: ${JSON.stringify(`Events that match ${filter}`)}`,
    'logsource:',
    '  product: sqlserver',
    '  service: audit',
    'detection:',
    ...selections.flatMap((lines, i) => [`  s${i + 1}:`, ...lines.map((line) => `    ${line}`)]),
    `  condition: ${condition}`,
    'level: medium',
    '',
  ].join('\n');
}

function conditionOf(expression: Expression, selections: (readonly string[])[], t: In<typeof RULES>): string {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return `(${expression.of.map((each) => conditionOf(each, selections, t)).join(` ${expression.kind} `)})`;
    case 'not':
      return `not ${conditionOf(expression.of, selections, t)}`;
    case 'words':
      throw new Error(t.noWords);
    default:
      selections.push(selectionOf(expression));
      return `s${selections.length}`;
  }
}

/** The lines of a selection, all of which must hold. */
function selectionOf({ field, how, text, isFolded, bounds }: FieldTerm): readonly string[] {
  if (how === 'present') return [`${field}|exists: true`];
  if (field === 'succeeded') return [`succeeded: ${text}`];
  if (how === 'within') return [`${field}|cidr: ${text}`];
  if (how === 'between')
    return [
      ...(bounds?.from == null ? [] : [`${field}|gte: ${bounds.from}`]),
      ...(bounds?.to == null ? [] : [`${field}|lte: ${bounds.to}`]),
    ];
  const modifiers = [
    ...(how === 'begins' ? ['startswith'] : how === 'holds' ? ['contains'] : []),
    ...(isFolded || how === 'holds' ? [] : ['cased']),
  ];
  return [`${[field, ...modifiers].join('|')}: ${JSON.stringify(literal(text))}`];
}

/** A text with its wildcards escaped for Sigma. */
const literal = (text: string): string =>
  text.replace(/\\{2,}|\\+(?=[*?]|$)/g, (run) => run + run).replace(/[*?]/g, '\\$&');
