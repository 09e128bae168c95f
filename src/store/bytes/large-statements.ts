import { StringDecoder } from 'node:string_decoder';
import type { Asker, FairShare } from '../../caller/rate-limit/fair-share';
import { Prisma, type ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { Pauses } from '../../deadline';
import { serviceUnavailable } from '../../errors';
import { FOUND_MARK, hasMark, MARK, type TextForm, type WholeTexts } from '../../event/marks';
import { LIMITS } from '../../limits';
import { oneTenant } from '../../tenant-set';
import { FIRSTS_OF_TWO, fromStored, restored } from '../rows/stored-text';
import { TextBytes } from './text-bytes';

/** The formats of events read no more of a statement than this. */
const HEAD_CHARS = 4_096;
const PIECE_BYTES = 64 * 1024;

/** SQL: the statement of an event, or the mark of a large one. */
export const statementOrMark = (alias: string): string =>
  markedSql({ alias, bytes: 'octet_length', chars: 'char_length', mark: MARK });

/**
 * The same where functions have other names. The beginning ends with a whole character.
 * `bytes` and `chars` name functions that tell the length of a text.
 */
export function markedSql({
  alias,
  bytes,
  chars,
  mark,
}: {
  readonly alias: string;
  readonly bytes: string;
  readonly chars: string;
  readonly mark: string;
}): string {
  const head = `rtrim(left(${alias}.statement, ${HEAD_CHARS}), '${FIRSTS_OF_TWO}')`;
  const place = [
    `${alias}.tenant_id`,
    `${alias}.record_id`,
    `${chars}(${head})`,
    `${bytes}(${alias}.statement)`,
  ];
  return `CASE WHEN ${bytes}(${alias}.statement) < ${LIMITS.largeStatementBytes} THEN ${alias}.statement
    ELSE ${head} || '${mark}:' || ${place.join(` || ':' || `)} || ';' END`;
}

/** How a statement stands in an answer, without the quotation marks around it. PostgreSQL writes it. */
interface Form {
  /** SQL: a text as it is written, with `skipped` more bytes at each end. */
  readonly sql: (text: Prisma.Sql) => Prisma.Sql;
  readonly skipped: number;
  /** How a text is written, also one of the characters that PostgreSQL cannot hold. */
  readonly write: (text: string) => string;
}
const FORMS = {
  json: {
    sql: (text) => Prisma.sql`to_json(${text})::text`,
    skipped: '"'.length,
    write: (text) => JSON.stringify(text).slice(1, -1),
  },
  csv: {
    sql: (text) => Prisma.sql`replace(${text}, '"', '""')`,
    skipped: 0,
    write: (text) => text.replaceAll('"', '""'),
  },
} as const satisfies Record<TextForm, Form>;

/** Reads what marks stand for. One large statement of a tenant is read at a time. */
export class LargeStatements implements WholeTexts {
  constructor(
    private readonly service: ServiceDoor,
    private readonly turns: Pick<FairShare, 'run'>,
    /** Reads a statement in its stored form from a sealed week; null: it is in none. */
    private readonly sealed: (tenantId: number, recordId: string) => Promise<string | null> = async () =>
      null,
  ) {}

  async pieces(texts: Iterable<string>, asker: Asker): Promise<Buffer[]> {
    const pauses = new Pauses();
    const bytes = new TextBytes();
    for (const text of texts) {
      if (!hasMark(text)) bytes.add(text);
      else
        for await (const piece of this.written(text, 'json', asker))
          if (typeof piece === 'string') bytes.add(piece);
          else bytes.addBytes(piece);
      if (pauses.isDue) await pauses.take();
    }
    return bytes.take();
  }

  async *written(
    text: string,
    form: TextForm,
    asker: Asker,
    waitMs: number = LIMITS.longStatementWaitMs,
  ): AsyncGenerator<string | Buffer, void> {
    let rest = text;
    for (let found = FOUND_MARK.exec(rest); found; found = FOUND_MARK.exec(rest)) {
      if (found.index > 0) yield rest.slice(0, found.index);
      yield* await this.#statement(found, form, asker, waitMs);
      rest = rest.slice(found.index + found[0].length);
    }
    if (rest !== '') yield rest;
  }

  async #statement(
    [, tenant, recordId = '', head, bytes]: RegExpExecArray,
    form: TextForm,
    { tenants, ...asker }: Asker,
    waitMs: number,
  ): Promise<readonly Buffer[]> {
    const tenantId = Number(tenant);
    if (!tenants.includes(tenantId)) throw new Error('an answer names a statement of another tenant');
    const read = async () => {
      const statement = restStatement(tenantId, recordId, Number(head), FORMS[form]);
      const rows = await guarded(() => this.service.ask(statement, oneTenant(tenantId)));
      if (Number(rows[0]?.size) === Number(bytes)) return restoredPieces(rows, FORMS[form]);
      // Its week may have been sealed after the event was found.
      const sealed = await this.sealed(tenantId, recordId);
      // Retention removed the event after it was found.
      if (sealed === null || Buffer.byteLength(sealed) !== Number(bytes))
        throw serviceUnavailable(new Error('a statement is gone'));
      return writtenPieces(sealed, Number(head), FORMS[form]);
    };
    return this.turns.run({ ...asker, tenants: [tenantId] }, read, waitMs);
  }
}

/**
 * A statement behind its first characters, as it is written, in pieces (`piece`), each with its place (`at`) and the
 * bytes of the whole statement (`size`).
 */
const restStatement = (
  tenantId: number,
  recordId: string,
  head: number,
  { sql, skipped }: Form,
): Prisma.Sql => Prisma.sql`
  SELECT g.at, t.size, encode(substring(t.bytes FROM g.at FOR least(${PIECE_BYTES}::int, t.length + 1 - g.at)), 'base64') AS piece
  FROM (SELECT u.size, u.bytes, octet_length(u.bytes) - ${skipped}::int AS length FROM (
      SELECT octet_length(e.statement) AS size,
        convert_to(${sql(Prisma.sql`substr(e.statement, ${head + 1}::int)`)}, 'UTF8') AS bytes
      FROM audit_event e WHERE e.tenant_id = ${tenantId}::int AND e.record_id = ${recordId}::uuid OFFSET 0) u OFFSET 0) t
    CROSS JOIN LATERAL generate_series(${skipped + 1}::int, t.length, ${PIECE_BYTES}::int) AS g(at)`;

type Row = Readonly<Record<string, unknown>>;

const PIECE_CHARS = 64 * 1024;

/** A statement behind its first characters, as it is written, in pieces. @param stored in its stored form */
async function writtenPieces(stored: string, head: number, { write }: Form): Promise<readonly Buffer[]> {
  const pauses = new Pauses();
  const pieces: Buffer[] = [];
  for (let from = afterCharacters(stored, head); from < stored.length; ) {
    const to = pieceEnd(stored, from);
    pieces.push(Buffer.from(write(fromStored(stored.slice(from, to)))));
    from = to;
    if (pauses.isDue) await pauses.take();
  }
  return pieces;
}

function afterCharacters(text: string, count: number): number {
  let at = 0;
  for (let passed = 0; passed < count && at < text.length; passed++)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** The end of a piece, which is not within a character or its stored form. */
function pieceEnd(stored: string, from: number): number {
  let to = Math.min(from + PIECE_CHARS, stored.length);
  const isInside = () => isLow(stored.charCodeAt(to)) || FIRSTS_OF_TWO.includes(stored.slice(to - 2, to));
  while (to < stored.length && isInside()) to++;
  return to;
}

const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/** The byte with which an escape of the stored form begins (`stored-text.ts`), and hardly any other character. */
const BEGINS_ESCAPE = 0xf4;

async function restoredPieces(rows: readonly Row[], { write }: Form): Promise<readonly Buffer[]> {
  const pauses = new Pauses();
  const pieces: Buffer[] = [];
  for (const { piece } of rows.toSorted((a, b) => Number(a.at) - Number(b.at))) {
    pieces.push(Buffer.from(String(piece), 'base64'));
    if (pauses.isDue) await pauses.take();
  }
  if (!pieces.some((piece) => piece.includes(BEGINS_ESCAPE))) return pieces;
  const decoder = new StringDecoder('utf8');
  let carried = '';
  for (const [i, piece] of pieces.entries()) {
    const stored = carried + decoder.write(piece);
    // The second character of an escape may be in the next piece.
    carried = FIRSTS_OF_TWO.includes(stored.slice(-2)) ? stored.slice(-2) : '';
    pieces[i] = Buffer.from(restored(stored.slice(0, stored.length - carried.length), write));
    if (pauses.isDue) await pauses.take();
  }
  return pieces;
}
