import { Prisma } from '../../database/clients';
import { COLUMN_OF, SEARCHED_FIELDS } from '../../event/fields';
import { WORD_MARK } from '../../event/mark-words';
import { fold, type SearchTerm } from '../../event/search';
import { asciiPattern, FIELD_BORDER, isAscii, MARK_STAND_IN, needleOf } from '../../event/search-terms';
import { toStored, UNUSED } from '../rows/stored-text';

/** The columns of an event's own texts, and the one of its stored searchable text. */
export const COLUMNS_OF_WORDS = ['search_text', ...SEARCHED_FIELDS.map((name) => COLUMN_OF[name])];
const OWN = SEARCHED_FIELDS.map((name) => `e.${COLUMN_OF[name]}`);
const COLUMNS = OWN.join(', ');

/** SQL: whether the searchable text of an event is stored. Of an event whose texts are ASCII it is not. */
export const IS_STORED = `e.search_text <> ''`;
/** SQL: a text of ASCII, folded. This locale knows the letters of ASCII alone, and is the fastest. */
export const foldedAscii = (text: string): string => `lower((${text}) COLLATE "C")`;
/** SQL: the texts of an event of ASCII, folded, with something between them that no such text holds. */
const OWN_TEXT = foldedAscii(`concat_ws('${WORD_MARK}', ${COLUMNS})`);

/**
 * SQL: the searchable text of an event, for who splits it into words. A word of it stands between two marks. One without a mark is
 * ASCII, folded, and its words are its letters and digits.
 */
export const TEXT_OF_WORDS = `CASE WHEN ${IS_STORED} THEN e.search_text ELSE ${foldedAscii(`concat_ws(' ', ${COLUMNS})`)} END`;

/** SQL: about how many bytes it has. PostgreSQL knows the length of a long text without reading it. */
export const BYTES_OF_WORDS = `greatest(octet_length(e.search_text), ${OWN.map((column) => `octet_length(${column})`).join(' + ')})`;

/** SQL: a searchable text in which a term is looked for. */
interface SearchedText {
  /** The stored one. */
  readonly text: string;
  /** That of an event of ASCII. */
  readonly own: string;
  /** The columns that the stored one was made of. */
  readonly columns: string;
}

const EVERYTHING: SearchedText = { text: 'e.search_text', own: OWN_TEXT, columns: COLUMNS };

/** The last part of a searchable text is the statement's, where the event has one. */
const IN_STATEMENT: SearchedText = {
  text: `split_part(e.search_text, '${FIELD_BORDER}', -1)`,
  own: foldedAscii('e.statement'),
  columns: 'e.statement',
};

export const conditionOf = (term: SearchTerm): Prisma.Sql => holdsIn(EVERYTHING, term);

/** Whether the statement holds a phrase. */
export const statementHolds = (text: string): Prisma.Sql =>
  Prisma.sql`(e.statement <> '' AND ${holdsIn(IN_STATEMENT, { kind: 'phrase', text })})`;

/** Whether an event holds all of these terms. */
export const holdsAll = (terms: readonly SearchTerm[]): Prisma.Sql => joined(terms, ' AND ');

/** Whether an event holds any of these terms. */
export const holdsAny = (terms: readonly SearchTerm[]): Prisma.Sql => joined(terms, ' OR ');

/** The texts of an event are folded once, and not for each term. */
function joined(terms: readonly SearchTerm[], joint: ' AND ' | ' OR '): Prisma.Sql {
  const [first] = terms;
  if (first && terms.length === 1) return conditionOf(first);
  const stored = Prisma.join(
    terms.map((term) => inStored(EVERYTHING, term)),
    joint,
  );
  const folded = terms.map(foldedTerm);
  const ascii = folded.filter(({ text }) => isAscii(text));
  // No text of ASCII holds the others.
  if (ascii.length === 0 || (joint === ' AND ' && ascii.length < folded.length))
    return Prisma.sql`(${Prisma.raw(IS_STORED)} AND (${stored}))`;
  const own = joint === ' AND ' ? allInAscii('o.own', ascii) : ascii.map((term) => inAscii('o.own', term));
  // Without OFFSET, PostgreSQL would write the folded text out for each term again.
  return Prisma.sql`CASE WHEN ${Prisma.raw(IS_STORED)} THEN ${stored}
    ELSE (SELECT ${Prisma.join(own, joint)} FROM (SELECT ${Prisma.raw(OWN_TEXT)} AS own OFFSET 0) o) END`;
}

/** All searches in bytes come first. */
const allInAscii = (own: string, folded: readonly SearchTerm[]): Prisma.Sql[] => [
  ...folded.map(({ text }) => inBytes(text, own)),
  ...folded.filter(({ kind }) => kind !== 'phrase').map((term) => matches(own, term)),
];

const foldedTerm = ({ kind, text }: SearchTerm): SearchTerm => ({
  kind,
  text: kind === 'phrase' ? fold(text) : text,
});

function holdsIn(searched: SearchedText, term: SearchTerm): Prisma.Sql {
  const [isStored, stored] = [Prisma.raw(IS_STORED), inStored(searched, term)];
  const folded = foldedTerm(term);
  // No text of ASCII holds it.
  if (!isAscii(folded.text)) return Prisma.sql`(${isStored} AND ${stored})`;
  return Prisma.sql`CASE WHEN ${isStored} THEN ${stored} ELSE ${inAscii(searched.own, folded)} END`;
}

/** The search in bytes rules out nearly every event, and a regular expression takes ten times as long. */
function inAscii(own: string, folded: SearchTerm): Prisma.Sql {
  return Prisma.sql`(${Prisma.join(allInAscii(own, [folded]), ' AND ')})`;
}

const matches = (own: string, folded: SearchTerm): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(own)} ~ ${asciiPattern(folded)}`;

/**
 * Plain comparisons, not LIKE: nothing in the text is a pattern. strpos compares from the end of what it looks for. A
 * whole word ends with a mark, which the text has once for each word, so the time grows with the text alone. A part of
 * a word has no such end, and strpos may compare all of it at each character. There, a search in bytes replaces strpos,
 * because it compares in the processor's widest steps. With 512 characters and a text made to match most of them, it
 * took a tenth to a hundredth of the time.
 */
function inStored(searched: SearchedText, term: SearchTerm): Prisma.Sql {
  const needle = toStored(needleOf(term));
  if (term.kind === 'word') return Prisma.sql`strpos(${Prisma.raw(searched.text)}, ${needle}) > 0`;
  const holds = inBytes(needle, searched.text);
  const exactly = tellingApart(term, needle, searched);
  return exactly ? Prisma.sql`${holds} AND ${exactly}` : holds;
}

const inBytes = (needle: string, text: string): Prisma.Sql =>
  Prisma.sql`position(convert_to(${needle}::text, 'UTF8') IN convert_to(${Prisma.raw(text)}, 'UTF8')) > 0`;

const ALIKE = new RegExp(`[${WORD_MARK}${MARK_STAND_IN}]`, 'g');

/**
 * In a searchable text the word mark and its stand-in are one character. For a phrase with either of them, the
 * condition tells the two apart again by the event's own texts, which hold them in the same order.
 * @param needle the phrase as the searchable text holds it
 * @returns null for a phrase without them, which is nearly every one
 */
function tellingApart({ text }: SearchTerm, needle: string, searched: SearchedText): Prisma.Sql | null {
  const given = text.match(ALIKE);
  if (!given) return null;
  let n = 0;
  const wanted = needle.replaceAll(MARK_STAND_IN, () => (given[n++] === WORD_MARK ? UNUSED : MARK_STAND_IN));
  return Prisma.sql`strpos((
    SELECT string_agg(p.piece || CASE c.own WHEN ${WORD_MARK} THEN ${UNUSED} ELSE coalesce(c.own, '') END, '' ORDER BY p.n)
    FROM unnest(string_to_array(${Prisma.raw(searched.text)}, ${MARK_STAND_IN})) WITH ORDINALITY p(piece, n)
    LEFT JOIN unnest(string_to_array(regexp_replace(concat(${Prisma.raw(searched.columns)}), ${`[^${WORD_MARK}${MARK_STAND_IN}]`}, '', 'g'), NULL))
      WITH ORDINALITY c(own, n) ON c.n = p.n), ${wanted}) > 0`;
}
