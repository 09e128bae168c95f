import { type AuditEvent, isLifted, SEARCHED_FIELDS } from '../fields';
import { FILTERS } from '../filters';
import { indexIn } from '../index-in';
import { exactInteger, liftedValue, type Stating } from '../lifted';
import { WORD_MARK } from '../mark-words';
import { addressValue, hasAddress, type Network, parseNetwork } from '../network';
import { type AuditEventFilter, givenFilters } from '../query';
import { recordIdFloor } from '../record-id';
import { fold, type SearchTerm } from '../search';
import { MARK_STAND_IN, needleOf, searchableText } from '../search-terms';
import type { Expression, ExpressionField, FieldTerm } from './expression';

/** An event with what it states beyond its own fields. */
type WholeEvent = AuditEvent & Pick<Stating, 'additional'>;

/**
 * Whether an event passes a filter: its range, plain filters, search and expression. The rules are those of the
 * statements behind the list, the export and the counts (`src/store/rows/event-rows.ts`).
 */
export const matchesFilter = (filter: AuditEventFilter, event: WholeEvent): boolean =>
  resultOf(matchSteps(filter, event));

/** Whether an expression is true of an event. */
export const matches = (expression: Expression, event: WholeEvent): boolean =>
  resultOf(evaluate(expression, event, new EventTexts(event)));

/** Like `matchesFilter`, but in steps: a hundred terms on an event of megabytes take a second. */
export function* matchSteps(filter: AuditEventFilter, event: WholeEvent): Steps {
  const { from, to, search, expression } = filter;
  if (from !== null && event.recordId < recordIdFloor(from)) return false;
  if (to !== null && event.recordId >= recordIdFloor(to)) return false;
  if (givenFilters(filter).some((name) => event[FILTERS[name].field] !== filter[name])) return false;
  const texts = new EventTexts(event);
  for (const term of search) if (!(yield* texts.hold(term))) return false;
  return expression === null || (yield* evaluate(expression, event, texts));
}

/** Work that is interrupted after each look into a long text. */
type Steps = Generator<void, boolean>;

function resultOf(steps: Steps): boolean {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function* evaluate(expression: Expression, event: WholeEvent, texts: EventTexts): Steps {
  switch (expression.kind) {
    case 'and':
      for (const part of expression.of) if (!(yield* evaluate(part, event, texts))) return false;
      return true;
    case 'or':
      for (const part of expression.of) if (yield* evaluate(part, event, texts)) return true;
      return false;
    case 'not':
      return !(yield* evaluate(expression.of, event, texts));
    case 'words':
      return yield* texts.hold(expression.term);
    case 'field':
      if (expression.how === 'holds')
        return yield* texts.statementHolds({ kind: 'phrase', text: expression.text });
      return matchesValue(expression, String(fieldValue(expression.field, event) ?? ''));
  }
}

const fieldValue = (field: ExpressionField, event: WholeEvent) =>
  isLifted(field) ? liftedValue(field, event) : event[field];

/** Whether the value of a field is what a term asks for. @param value empty: absent */
export const matchesValue = (term: FieldTerm, value: string): boolean =>
  new ComparedValue(value).passes(term);

/** The value of a field. One that is compared with many terms is folded, and read as an address, once. */
export class ComparedValue {
  #folded: string | undefined;
  #address: bigint | null | undefined;

  /** @param text empty: absent */
  constructor(private readonly text: string) {}

  passes(term: FieldTerm): boolean {
    const { how, isFolded } = term;
    if (how === 'present') return this.text !== '';
    if (how === 'between') return this.text !== '' && isBetween(term, exactInteger(this.text));
    if (how === 'within') {
      if (this.#address === undefined) this.#address = addressValue(this.text);
      return this.#address !== null && hasAddress(networkOf(term), this.#address);
    }
    if (isFolded) this.#folded ??= fold(this.text);
    const [own, wanted] = isFolded ? [this.#folded ?? '', foldOf(term)] : [this.text, term.text];
    return how === 'equals' ? own === wanted : beginsWith(own, wanted);
  }
}

const foldsOf = new WeakMap<FieldTerm, string>();
const foldOf = (term: FieldTerm): string => remembered(foldsOf, term, ({ text }) => fold(text));

interface Numbers {
  readonly from: number | bigint | null;
  readonly to: number | bigint | null;
}
const numbersOf = new WeakMap<FieldTerm, Numbers>();

function isBetween(term: FieldTerm, value: number | bigint): boolean {
  const { from, to } = remembered(numbersOf, term, ({ bounds }) => ({
    from: typeof bounds?.from === 'string' ? exactInteger(bounds.from) : null,
    to: typeof bounds?.to === 'string' ? exactInteger(bounds.to) : null,
  }));
  return (from === null || value >= from) && (to === null || value <= to);
}

const networksOf = new WeakMap<FieldTerm, Network>();

const networkOf = (term: FieldTerm): Network =>
  remembered(networksOf, term, ({ text }) => {
    const network = parseNetwork(text);
    if (!network) throw new Error(`a term has a network that is none: ${text}`);
    return network;
  });

/** A term is compared with many values, so what it says is read once. */
function remembered<T>(all: WeakMap<FieldTerm, T>, term: FieldTerm, make: (term: FieldTerm) => T): T {
  const known = all.get(term);
  if (known !== undefined) return known;
  const made = make(term);
  all.set(term, made);
  return made;
}

/** The texts that terms are looked for in. */
class EventTexts {
  readonly #all: Searchable;
  readonly #statement: Searchable;

  constructor(event: AuditEvent) {
    this.#all = new Searchable(
      SEARCHED_FIELDS.map((name) => String(event[name] ?? '')).filter((text) => text !== ''),
    );
    this.#statement = new Searchable([event.statement ?? '']);
  }

  hold(term: SearchTerm): Steps {
    return this.#all.holds(term);
  }

  statementHolds(phrase: SearchTerm): Steps {
    return this.#statement.holds(phrase);
  }
}

/**
 * Texts that are folded once, for the first term. They may be megabytes long, and a filter may have a hundred terms.
 */
class Searchable {
  #plain: string | undefined;
  #told: { readonly text: string; readonly standIn: string } | undefined;

  constructor(private readonly texts: readonly string[]) {}

  *holds(term: SearchTerm): Steps {
    const holds = this.#holds(term);
    if ((this.#plain ?? this.#told?.text ?? '').length > LONG_CHARS) yield;
    return holds;
  }

  #holds(term: SearchTerm): boolean {
    if (term.kind === 'phrase' && ALIKE.test(term.text)) return this.#holdsAlike(term);
    this.#plain ??= searchableText(this.texts);
    return holdsText(this.#plain, needleOf(term));
  }

  /** A phrase that holds the word mark or its stand-in is looked for with another character in place of the mark. */
  #holdsAlike({ text }: SearchTerm): boolean {
    let code = PRIVATE_FIRST;
    while ([text, ...this.texts].some((each) => each.includes(String.fromCharCode(code)))) code++;
    const standIn = String.fromCharCode(code);
    const told = (each: string) => each.replaceAll(WORD_MARK, standIn);
    if (this.#told?.standIn !== standIn) this.#told = { standIn, text: searchableText(this.texts.map(told)) };
    return holdsText(this.#told.text, needleOf({ kind: 'phrase', text: told(text) }));
  }
}

const ALIKE = new RegExp(`[${WORD_MARK}${MARK_STAND_IN}]`);
const PRIVATE_FIRST = 0xe000;
/** A text of this length is searched in a small part of a millisecond. */
const LONG_CHARS = 65_536;

/**
 * Compares whole characters, as the database does: half of a surrogate pair is a character only when the other half is
 * not beside it.
 */
function beginsWith(text: string, beginning: string): boolean {
  return text.startsWith(beginning) && !isInsidePair(text, beginning.length);
}

/** Whether a text holds another one, compared by whole characters. */
function holdsText(text: string, part: string): boolean {
  for (let at = indexIn(text, part, 0); at >= 0; at = indexIn(text, part, at + 1))
    if (!isInsidePair(text, at) && !isInsidePair(text, at + part.length)) return true;
  return false;
}

const isInsidePair = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
