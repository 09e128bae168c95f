import { StringDecoder } from 'node:string_decoder';
import type { Asker, FairShare } from '../../caller/rate-limit/fair-share';
import { Prisma, type ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/failure';
import { Pauses } from '../../deadline';
import { serviceUnavailable } from '../../errors';
import { FOUND_MARK, hasMark, MARK, type TextForm, type WholeTexts } from '../../event/marks';
import { LIMITS } from '../../limits';
import { oneTenant } from '../../tenant-set';
import { FIRSTS_OF_TWO, restored } from '../rows/stored-text';

/** The formats of events read no more of a statement than this. */
const HEAD_CHARS = 4_096;
const PIECE_BYTES = 64 * 1024;

/** SQL: the statement of an event, or the mark of a large one. The beginning ends with a whole character. */
export const statementOrMark = (alias: string): string => {
  const head = `rtrim(left(${alias}.statement, ${HEAD_CHARS}), '${FIRSTS_OF_TWO}')`;
  const place = [
    `${alias}.tenant_id`,
    `${alias}.record_id`,
    `char_length(${head})`,
    `octet_length(${alias}.statement)`,
  ];
  return `CASE WHEN octet_length(${alias}.statement) < ${LIMITS.largeStatementBytes} THEN ${alias}.statement
    ELSE ${head} || '${MARK}:' || ${place.join(` || ':' || `)} || ';' END`;
};

/** How a statement stands in an answer, without the quotation marks around it. PostgreSQL writes it. */
interface Form {
  /** SQL: a text as it is written, with `skipped` more bytes at each end. */
  readonly sql: (text: Prisma.Sql) => Prisma.Sql;
  readonly skipped: number;
  /** How one restored character is written that PostgreSQL cannot hold. */
  readonly write: (text: string) => string;
}
const FORMS = {
  json: {
    sql: (text) => Prisma.sql`to_json(${text})::text`,
    skipped: '"'.length,
    write: (text) => JSON.stringify(text).slice(1, -1),
  },
  csv: { sql: (text) => Prisma.sql`replace(${text}, '"', '""')`, skipped: 0, write: (text) => text },
} as const satisfies Record<TextForm, Form>;

/** Reads what marks stand for. One large statement of a tenant is read at a time. */
export class LargeStatements implements WholeTexts {
  constructor(
    private readonly service: ServiceDoor,
    private readonly turns: Pick<FairShare, 'run'>,
  ) {}

  async pieces(texts: Iterable<string>, asker: Asker): Promise<Buffer[]> {
    const pauses = new Pauses();
    const pieces: Buffer[] = [];
    for (const text of texts) {
      for await (const piece of hasMark(text) ? this.written(text, 'json', asker) : [text])
        pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
      if (pauses.isDue) await pauses.take();
    }
    return pieces;
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
    { holder, tenants }: Asker,
    waitMs: number,
  ): Promise<readonly Buffer[]> {
    const tenantId = Number(tenant);
    if (!tenants.includes(tenantId)) throw new Error('an answer names a statement of another tenant');
    const read = async () => {
      const statement = restStatement(tenantId, recordId, Number(head), FORMS[form]);
      const rows = await guarded(() => this.service.ask(statement, oneTenant(tenantId)));
      // Retention removed the event after it was found.
      if (Number(rows[0]?.size) !== Number(bytes)) throw serviceUnavailable(new Error('a statement is gone'));
      return restoredPieces(rows, FORMS[form]);
    };
    return this.turns.run({ holder, tenants: [tenantId] }, read, waitMs);
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
