import { Prisma } from '../../database/clients';
import { fold } from '../../event/search';

let foldings: ReadonlyMap<string, string> | undefined;

const CODE_POINTS = 0x20000;
const [SURROGATES, SURROGATES_END] = [0xd800, 0xe000];

/** The characters that folding changes, with their folded form. */
function changed(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let code = 1; code < CODE_POINTS; code++) {
    if (code === SURROGATES) code = SURROGATES_END;
    const character = String.fromCodePoint(code);
    const folded = fold(character);
    if (folded !== character) found.set(character, folded);
  }
  return found;
}

/**
 * SQL: a text folded as the service folds it, as far as it is compared with `wanted`. The folding of PostgreSQL depends
 * on its build and settings, so the service names the characters: those whose folded form occurs in what is wanted.
 * A text with another character differs from it in any case.
 * @param wanted folded
 */
export function foldedSql(text: Prisma.Sql, wanted: string): Prisma.Sql {
  foldings ??= changed();
  const [from, to]: [string[], string[]] = [[], []];
  let folded = text;
  for (const [character, form] of foldings) {
    if (![...form].every((part) => wanted.includes(part))) continue;
    if ([...form].length > 1) folded = Prisma.sql`replace(${folded}, ${character}, ${form})`;
    else {
      from.push(character);
      to.push(form);
    }
  }
  return from.length === 0 ? folded : Prisma.sql`translate(${folded}, ${from.join('')}, ${to.join('')})`;
}
