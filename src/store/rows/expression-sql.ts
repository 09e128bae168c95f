import { Prisma } from '../../database/clients';
import type { Expression, FieldTerm } from '../../event/expression/expression';
import { COLUMN_OF, type FieldName, isLifted, SEARCHED_FIELDS } from '../../event/fields';
import { WORD_MARK } from '../../event/mark-words';
import { IPV4, IPV6, mappedText, parseNetwork } from '../../event/network';
import { fold, type SearchTerm } from '../../event/search';
import { FIELD_BORDER, MARK_STAND_IN } from '../../event/search-terms';
import { isUuid } from '../../event/uuid';
import { conditionOf, foldedAscii, holdsAll, holdsAny, IS_STORED, statementHolds } from '../words/search-sql';
import { foldedSql } from './folded-sql';
import { fieldSql } from './lifted-sql';
import { toStored } from './stored-text';

/** The condition of an expression on `audit_event e`. It is never null: absent texts are stored as empty ones. */
export function expressionSql(expression: Expression): Prisma.Sql {
  switch (expression.kind) {
    case 'and':
      return Prisma.sql`(${Prisma.join(parts(expression.of, holdsAll), ' AND ')})`;
    case 'or':
      return Prisma.sql`(${Prisma.join(parts(expression.of, holdsAny), ' OR ')})`;
    case 'not':
      return Prisma.sql`NOT ${expressionSql(expression.of)}`;
    case 'words':
      return Prisma.sql`(${conditionOf(expression.term)})`;
    case 'field':
      return Prisma.sql`(${termSql(expression)})`;
  }
}

/** Words come last: PostgreSQL reads the texts of an event for them. */
function parts(of: readonly Expression[], words: (terms: readonly SearchTerm[]) => Prisma.Sql): Prisma.Sql[] {
  const terms = of.flatMap((one) => (one.kind === 'words' ? [one.term] : []));
  const others = of.filter(({ kind }) => kind !== 'words').map(expressionSql);
  return terms.length === 0 ? others : [...others, words(terms)];
}

const NEVER = Prisma.sql`false`;
const ALWAYS = Prisma.sql`true`;

function termSql(term: FieldTerm): Prisma.Sql {
  switch (term.field) {
    case 'succeeded':
      return term.how === 'present' ? ALWAYS : Prisma.sql`e.succeeded = ${term.text === 'true'}`;
    case 'recordId':
      return ofRecordId(term);
    case 'tenantId':
      return ofTenantId(term);
    default:
      return term.how === 'holds' ? statementHolds(term.text) : ofText(term);
  }
}

const UUID_FIRST = '00000000-0000-0000-0000-000000000000';
const UUID_LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function ofRecordId({ how, text }: FieldTerm): Prisma.Sql {
  if (how === 'present') return ALWAYS;
  const [first, last] = [UUID_FIRST, UUID_LAST].map((id) => text + id.slice(text.length));
  if (first === undefined || !isUuid(first)) return NEVER;
  return Prisma.sql`e.record_id >= ${first}::uuid AND e.record_id <= ${last}::uuid`;
}

const INT_MAX = 2 ** 31 - 1;

function ofTenantId({ how, text, isFolded }: FieldTerm): Prisma.Sql {
  if (how === 'present') return ALWAYS;
  // Folding the wanted text is enough: tenant ids are digits, which have no case.
  const wanted = isFolded ? fold(text) : text;
  if (how === 'begins') return Prisma.sql`starts_with(e.tenant_id::text, ${toStored(wanted)})`;
  const id = /^[1-9]\d{0,9}$/.test(wanted) ? Number(wanted) : Number.NaN;
  return id <= INT_MAX ? Prisma.sql`e.tenant_id = ${id}::int` : NEVER;
}

/** A beginning with this character sorts behind every stored text with that beginning: no stored text holds it. */
const LAST_CHARACTER = '\u{10FFFF}';

function ofText(term: FieldTerm): Prisma.Sql {
  const { field, how, text, isFolded } = term;
  const column = Prisma.raw(fieldSql(field));
  if (how === 'present') return Prisma.sql`${column} <> ''`;
  if (how === 'between') return ofNumber(column, term);
  if (how === 'within') return ofNetwork(column, text);
  if (!isFolded) return compared(column, how, toStored(text));
  if (!isLifted(field)) return ofFoldedText(column, { field, how, text });
  const wanted = toStored(fold(text));
  return compared(foldedSql(column, wanted), how, wanted);
}

function compared(value: Prisma.Sql, how: FieldTerm['how'], wanted: string): Prisma.Sql {
  if (how === 'equals') return Prisma.sql`${value} = ${wanted}`;
  return Prisma.sql`${value} >= ${wanted} AND ${value} < ${wanted + LAST_CHARACTER}`;
}

function ofNumber(column: Prisma.Sql, { bounds }: FieldTerm): Prisma.Sql {
  const number = Prisma.sql`(${column})::numeric`;
  const conditions = [
    ...(typeof bounds?.from === 'string' ? [Prisma.sql`${number} >= ${bounds.from}::numeric`] : []),
    ...(typeof bounds?.to === 'string' ? [Prisma.sql`${number} <= ${bounds.to}::numeric`] : []),
  ];
  const isBetween = conditions.length === 0 ? ALWAYS : Prisma.join(conditions, ' AND ');
  return Prisma.sql`CASE WHEN ${column} = '' THEN false ELSE ${isBetween} END`;
}

/** Text that is no address lies in no network. An IPv4 address may be written as IPv6. */
function ofNetwork(column: Prisma.Sql, text: string): Prisma.Sql {
  const network = parseNetwork(text);
  const isIpv4 = network?.isIpv4 === true;
  const mapped = Prisma.sql`'::ffff:0:0/96'::inet`;
  const plain = Prisma.sql`split_part(${column}, '%', 1)::inet`;
  const ofIpv6 = isIpv4
    ? Prisma.sql`${plain} <<= ${mappedText(network)}::text::inet`
    : Prisma.sql`${plain} <<= ${text}::text::inet AND NOT ${plain} <<= ${mapped}`;
  const ofIpv4 = isIpv4 ? Prisma.sql`${column}::inet <<= ${text}::text::inet` : NEVER;
  return Prisma.sql`CASE WHEN ${column} ~ ${IPV4} THEN ${ofIpv4} WHEN ${column} ~ ${IPV6} THEN ${ofIpv6} ELSE false END`;
}

const BORDERS = `${FIELD_BORDER}+`;

/**
 * Compares in the searchable text, because the folding of PostgreSQL depends on its build and settings, but of ASCII. The
 * searchable text holds the fields that are not empty, in order, as the service folds them, with marks around the words.
 */
function ofFoldedText(
  column: Prisma.Sql,
  { field, how, text }: { readonly field: FieldName; readonly how: FieldTerm['how']; readonly text: string },
): Prisma.Sql {
  const before = SEARCHED_FIELDS.slice(0, SEARCHED_FIELDS.indexOf(field));
  const place = Prisma.raw(['1', ...before.map((name) => `(e.${COLUMN_OF[name]} <> '')::int`)].join(' + '));
  const own = Prisma.sql`replace((regexp_split_to_array(e.search_text, ${BORDERS}))[${place}], ${WORD_MARK}, '')`;
  const wanted = toStored(fold(text).replaceAll(WORD_MARK, MARK_STAND_IN));
  const compare = (a: Prisma.Sql, b: string) =>
    how === 'equals' ? Prisma.sql`${a} = ${b}` : Prisma.sql`starts_with(${a}, ${b})`;
  const alike = text.replace(NEITHER, '');
  const isTold =
    alike === ''
      ? Prisma.empty
      : Prisma.sql`AND ${compare(Prisma.sql`regexp_replace(${column}, ${NEITHER.source}, '', 'g')`, alike)}`;
  const ofAscii = compare(Prisma.raw(foldedAscii(column.sql)), toStored(fold(text)));
  return Prisma.sql`${column} <> '' AND CASE WHEN ${Prisma.raw(IS_STORED)} THEN ${compare(own, wanted)} ${isTold} ELSE ${ofAscii} END`;
}

/** Any character but the word mark and its stand-in, which are one character in the searchable text. */
const NEITHER = new RegExp(`[^${WORD_MARK}${MARK_STAND_IN}]`, 'g');
