import { type AuditEvent, SEARCHED_FIELDS } from '../fields';
import { FILTERS } from '../filters';
import { type AuditEventFilter, givenFilters } from '../query';
import { recordIdFloor } from '../record-id';
import { fold, type SearchTerm } from '../search';
import { MARK_STAND_IN, needleOf, searchableText, WORD_MARK } from '../search-terms';
import type { Expression, FieldTerm } from './expression';

/**
 * Whether a filter leaves an event: its range, plain filters, search and expression. The rules are those of the
 * statements behind the list, the export and the counts (`src/trail/event-rows.ts`).
 */
export function matchesFilter(filter: AuditEventFilter, event: AuditEvent): boolean {
  const { from, to, search, expression } = filter;
  if (from !== null && event.recordId < recordIdFloor(from)) return false;
  if (to !== null && event.recordId >= recordIdFloor(to)) return false;
  if (givenFilters(filter).some((name) => event[FILTERS[name].field] !== filter[name])) return false;
  const read = new EventTexts(event);
  return (
    search.every((term) => read.holds(term)) && (expression === null || evaluate(expression, event, read))
  );
}

/** Whether an expression is true of an event. */
export const matches = (expression: Expression, event: AuditEvent): boolean =>
  evaluate(expression, event, new EventTexts(event));

function evaluate(expression: Expression, event: AuditEvent, texts: EventTexts): boolean {
  switch (expression.kind) {
    case 'and':
      return expression.of.every((part) => evaluate(part, event, texts));
    case 'or':
      return expression.of.some((part) => evaluate(part, event, texts));
    case 'not':
      return !evaluate(expression.of, event, texts);
    case 'words':
      return texts.holds(expression.term);
    case 'field':
      if (expression.how === 'holds')
        return holdsPhrase([event.statement ?? ''], { kind: 'phrase', text: expression.text });
      return matchesValue(expression, String(event[expression.field] ?? ''));
  }
}

/** Whether the value of a field is what a term asks for. @param value empty: absent */
export function matchesValue({ how, text, isFolded }: FieldTerm, value: string): boolean {
  if (how === 'present') return value !== '';
  const [own, wanted] = isFolded ? [fold(value), fold(text)] : [value, text];
  return how === 'equals' ? own === wanted : beginsWith(own, wanted);
}

/** The texts that a search goes over; folded once, when they are first asked for. */
class EventTexts {
  readonly #texts: readonly string[];
  #searchable: string | undefined;

  constructor(event: AuditEvent) {
    this.#texts = SEARCHED_FIELDS.map((name) => String(event[name] ?? '')).filter((text) => text !== '');
  }

  holds(term: SearchTerm): boolean {
    if (term.kind === 'phrase' && ALIKE.test(term.text)) return holdsPhrase(this.#texts, term);
    this.#searchable ??= searchableText(this.#texts);
    return holdsText(this.#searchable, needleOf(term));
  }
}

const ALIKE = new RegExp(`[${WORD_MARK}${MARK_STAND_IN}]`);
const PRIVATE_FIRST = 0xe000;

/** A phrase with the mark of words, or with what stands in for it, is looked for with another character in its place. */
function holdsPhrase(texts: readonly string[], phrase: SearchTerm): boolean {
  if (!ALIKE.test(phrase.text)) return holdsText(searchableText(texts), needleOf(phrase));
  let code = PRIVATE_FIRST;
  while ([phrase.text, ...texts].some((text) => text.includes(String.fromCharCode(code)))) code++;
  const told = (text: string) => text.replaceAll(WORD_MARK, String.fromCharCode(code));
  return holdsText(searchableText(texts.map(told)), needleOf({ kind: 'phrase', text: told(phrase.text) }));
}

/**
 * Texts compared by whole characters, as the database has them: half of a surrogate pair is a character only where the
 * other half is not beside it.
 */
function beginsWith(text: string, beginning: string): boolean {
  return text.startsWith(beginning) && !isInsidePair(text, beginning.length);
}

/** Whether a text holds another one. */
function holdsText(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (!isInsidePair(text, at) && !isInsidePair(text, at + part.length)) return true;
  return false;
}

const isInsidePair = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
