import {
  COLUMN_OF,
  isLifted,
  isNumberField,
  LIFTED_CHARS_MAX,
  LIFTED_NAMES,
  type LiftedName,
} from '../../event/fields';
import { INT64, MEMBER_FIELDS, ROLE_CHANGE } from '../../event/lifted';

/**
 * SQL: the value of a field of `audit_event e`; an absent text is empty. It says of lifted fields what `liftedValue`
 * says, in the stored form of texts.
 */
export const fieldSql = (name: keyof typeof COLUMN_OF): string =>
  isLifted(name) ? LIFTED_SQL[name] : `e.${COLUMN_OF[name]}`;

/** The same for a list of a SELECT, under the name of its column. */
export const selectedSql = (name: keyof typeof COLUMN_OF): string =>
  isLifted(name) ? `${LIFTED_SQL[name]} AS ${COLUMN_OF[name]}` : `e.${COLUMN_OF[name]}`;

/** Each condition has a CASE of its own, because PostgreSQL may evaluate the parts of AND in any order. */
const when = (condition: string, value: string, otherwise = `''`) =>
  `CASE WHEN ${condition} THEN ${value} ELSE ${otherwise} END`;

function statedText(key: string): string {
  const [json, text] = [`e.additional->'${key}'`, `e.additional->>'${key}'`];
  const number = `(${text})::numeric`;
  const whole = when(
    `abs(${number}) <= ${Number.MAX_SAFE_INTEGER} AND ${number} = trunc(${number})`,
    `trunc(${number})::text`,
  );
  return `CASE jsonb_typeof(${json}) WHEN 'string' THEN ${text} WHEN 'number' THEN ${whole} ELSE '' END`;
}

function numberSql(key: string): string {
  const text = statedText(key);
  const isOfInt64 = `(${text})::numeric BETWEEN ${INT64.min} AND ${INT64.max}`;
  const long = when(`(${text}) ~ '^-?[1-9][0-9]{18}$'`, when(isOfInt64, text));
  return when(`(${text}) ~ '^(0|-?[1-9][0-9]{0,17})$'`, text, long);
}

function textSql(key: string): string {
  const text = statedText(key);
  return when(
    `char_length(${text}) <= ${LIFTED_CHARS_MAX}`,
    key === 'classType' ? `rtrim(${text}, ' ')` : text,
  );
}

function memberSql(): string {
  const [first, second] = MEMBER_FIELDS.map(textSql) as [string, string];
  return when(`e.${COLUMN_OF.actionId} ~ '${ROLE_CHANGE}'`, when(`(${first}) <> ''`, first, second));
}

/** Texts are compared by their bytes, as in the columns of events. */
const sqlOf = (name: LiftedName) =>
  `(${name === 'roleMember' ? memberSql() : isNumberField(name) ? numberSql(name) : textSql(name)}) COLLATE "C"`;

const LIFTED_SQL = Object.fromEntries(LIFTED_NAMES.map((name) => [name, `(${sqlOf(name)})`])) as Readonly<
  Record<LiftedName, string>
>;
