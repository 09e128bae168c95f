import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Pauses } from '../../deadline';
import { matchesFilter } from '../../event/expression/matches';
import { COLUMN_OF, LIFTED_NAMES } from '../../event/fields';
import { liftedValue } from '../../event/lifted';
import type { AuditEventFilter } from '../../event/query';
import { ID_BYTES, idBytes } from '../../event/record-id';
import { LIMITS } from '../../limits';
import { wholeExpression } from '../columns/evaluate';
import {
  additionalOf,
  fieldsMapper,
  newBoundary,
  type RowText,
  type RowValues,
  valuesOf,
} from '../log/arrivals/row-text';
import { leafHashOf } from '../log/evidence/entry';
import { HASH_BYTES } from '../log/evidence/merkle';
import type { Row } from '../rows/event-rows';
import { toStored } from '../rows/stored-text';
import { type Bounds, boundsOf, IS_ASCII, literal, NEVER, rangeSql } from './duck-filter';
import { joined, LIST, liftedText, SIZE, table, wholeWith, within } from './file-sql';
import { fileFieldSql } from './layout';
import { type DuckBounds, openDuck } from './open-duck';
import type {
  ArchiveWorker,
  GroupsQuestion,
  RowsQuestion,
  SizedId,
  TallyQuestion,
  TallyRow,
  TenantFiles,
} from './questions';
import { TallyRows } from './tally-rows';
import { writeSql } from './write-sql';

const TIME = COLUMN_OF.eventTime;
const MS = `epoch_ms(e.${TIME})`;
const LEAF_BYTES = ID_BYTES + HASH_BYTES;
const FILES_KNOWN_MAX = 10_000;

const toFields = fieldsMapper();

/** What an event states beyond its own fields is parsed when it is asked for. */
function wholeEvent(values: RowValues) {
  let stated: ReturnType<typeof additionalOf> | undefined;
  return {
    ...toFields(values),
    get additional() {
      stated ??= additionalOf(values);
      return stated;
    },
  };
}

/** Makes and reads files by DuckDB, with bounded memory. */
export class DuckWorker implements ArchiveWorker {
  #instance: Promise<DuckDBInstance> | null = null;
  readonly #ascii = new Map<string, boolean>();

  constructor(private readonly bounds: DuckBounds) {}

  async ids({
    files,
    filter,
    stretches,
    value,
    descending,
    limit,
  }: RowsQuestion): Promise<readonly string[]> {
    const { sure, rest } = await this.#conditionsOf(files, filter);
    const ofValue = value
      ? ` AND ${fileFieldSql(value.field)} = ${value.field === 'succeeded' ? value.text : literal(value.text)}`
      : '';
    const from = `FROM ${table(files)} WHERE ${within(stretches)}${ofValue} AND `;
    const found: string[] = [];
    if (rest)
      // Rows come in the order of the file.
      await this.#matching(from + rest, filter, [], (id) => {
        found.push(id);
        if (descending && found.length > 2 * limit) found.splice(0, found.length - limit);
        return !descending && found.length >= limit;
      });
    if (sure) {
      const order = `ORDER BY e.record_id ${descending ? 'DESC' : 'ASC'} LIMIT ${limit}`;
      const rows = await this.#all(`SELECT e.record_id::VARCHAR AS record_id ${from}${sure} ${order}`);
      found.push(...rows.map(({ record_id }) => String(record_id)));
    }
    found.sort();
    if (descending) found.reverse();
    return found.slice(0, limit);
  }

  async known(files: TenantFiles, ids: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#byIds('e.record_id::VARCHAR AS record_id', files, ids);
    return rows.map(({ record_id }) => String(record_id));
  }

  listRows(files: TenantFiles, ids: readonly string[]): Promise<readonly Row[]> {
    return this.#byIds(LIST, files, ids);
  }

  async sizes(files: TenantFiles, ids: readonly string[]): Promise<readonly SizedId[]> {
    const rows = await this.#byIds(`e.record_id::VARCHAR AS record_id, ${SIZE}`, files, ids);
    return rows.map(({ record_id, size }) => ({ recordId: String(record_id), size: Number(size) }));
  }

  async wholeRows(files: TenantFiles, ids: readonly string[], mark: string | null): Promise<readonly Row[]> {
    return (await this.#byIds(wholeWith(mark), files, ids)).map(withAdditional);
  }

  async texts(files: TenantFiles, ids: readonly string[], mark: string | null): Promise<readonly RowText[]> {
    const columns = `e.record_id::VARCHAR AS record_id, ${joined(newBoundary(), mark)}`;
    const rows = await this.#byIds(columns, files, ids);
    return rows.map(({ record_id, text }) => ({ recordId: String(record_id), text: String(text) }));
  }

  async groups(question: GroupsQuestion): Promise<readonly Row[]> {
    const { files, filter, stretches, windowMs, fields, hasTimes, sumOf } = question;
    const { sure, rest } = await this.#conditionsOf(files, filter);
    const from = `FROM ${table(files)} WHERE ${within(stretches)} AND `;
    const others = rest ? await this.#groupsOfMatching(from + rest, question) : [];
    if (!sure) return others;
    const columns = fields.map((field) => `${fileFieldSql(field)} AS ${COLUMN_OF[field]}`);
    const window = windowMs === null ? '0' : `(${MS} // ${windowMs})::DOUBLE`;
    const times = hasTimes ? `, min(${MS})::DOUBLE AS first_ms, max(${MS})::DOUBLE AS last_ms` : '';
    const sum = sumOf ? `, sum(e.${COLUMN_OF[sumOf]})::VARCHAR AS sum` : '';
    const groups = await this.#all(
      `SELECT ${[`${window} AS w`, ...columns].join(', ')}, count(*)::DOUBLE AS n,
         (count(*) FILTER (WHERE e.succeeded))::DOUBLE AS ok${times}${sum} ${from}${sure} GROUP BY ALL LIMIT ${LIMITS.groupsCountedMax + 1}`,
    );
    return [...groups, ...others];
  }

  async tally(question: TallyQuestion): Promise<readonly TallyRow[]> {
    const { files, filter, stretches, windowMs, fields, ofValues } = question;
    const { sure, rest } = await this.#conditionsOf(files, filter);
    const from = `FROM ${table(files)} WHERE ${within(stretches)} AND `;
    const window = windowMs === null ? '0' : `(${MS} // ${windowMs})::DOUBLE`;
    const texts = fields.map((field) => `${fileFieldSql(field)}::VARCHAR`);
    if (ofValues) {
      const text = `${fileFieldSql(ofValues.field)}::VARCHAR`;
      texts.push(`CASE WHEN ${text} IN (${ofValues.texts.map(literal).join(', ')}) THEN ${text} END`);
    }
    const counted = new TallyRows();
    if (rest)
      await this.#tallyOfMatching(
        from + rest,
        filter,
        [window, 'e.succeeded', ...texts],
        fields.length,
        counted,
      );
    if (!sure) return counted.rows;
    const names = texts.map((_, i) => `v${i}`);
    const sets = ['(w)', ...names.map((name, i) => (i < fields.length ? `(${name})` : `(w, ${name})`))];
    // Each field is counted by itself: together they have as many values as there are events.
    const rows = await this.#all(
      `SELECT GROUPING(${['w', ...names].join(', ')})::DOUBLE AS g, ${['w', ...names].join(', ')}, count(*)::DOUBLE AS n,
         (count(*) FILTER (WHERE ok))::DOUBLE AS ok
       FROM (SELECT ${[`${window} AS w`, 'e.succeeded AS ok', ...texts.map((text, i) => `${text} AS v${i}`)].join(', ')}
         ${from}${sure}) GROUP BY GROUPING SETS (${sets.join(', ')}) LIMIT ${LIMITS.valuesOfFilesMax + 1}`,
    );
    const all = 2 ** (names.length + 1) - 1;
    const grouped = (row: Row, i: number) => ((all - Number(row.g)) >> (names.length - i)) & 1;
    for (const row of rows) {
      const field = names.findIndex((_, i) => grouped(row, i + 1));
      const by = field === -1 ? 'window' : field === fields.length ? 'value' : field;
      const text = field === -1 ? '' : row[`v${field}`];
      const w = by === 'window' || by === 'value' ? Number(row.w) : 0;
      if (text !== null) counted.add(by, w, String(text), { n: Number(row.n), ok: Number(row.ok) });
    }
    return counted.rows;
  }

  async #tallyOfMatching(
    from: string,
    filter: AuditEventFilter,
    more: readonly string[],
    fields: number,
    counted: TallyRows,
  ): Promise<void> {
    await this.#matching(from, filter, more, (_id, [window, succeeded, ...texts]) => {
      const [w, count] = [Number(window), { n: 1, ok: succeeded === true ? 1 : 0 }];
      counted.add('window', w, '', count);
      for (const [i, text] of texts.entries())
        if (i < fields) counted.add(i, 0, String(text), count);
        else if (text !== null) counted.add('value', w, String(text), count);
      return counted.isFull;
    });
  }

  async #groupsOfMatching(
    from: string,
    { filter, windowMs, fields, hasTimes, sumOf }: GroupsQuestion,
  ): Promise<readonly Row[]> {
    const groups = new Map<string, Record<string, unknown> & { n: number; ok: number }>();
    const columns = fields.map((field) => COLUMN_OF[field]);
    const summand = sumOf ? fileFieldSql(sumOf) : `''`;
    const more = [`${MS}::DOUBLE`, 'e.succeeded', summand, ...fields.map(fileFieldSql)];
    await this.#matching(from, filter, more, (_id, [ms, ok, number, ...values]) => {
      const w = windowMs === null ? 0 : Math.floor(Number(ms) / windowMs);
      const key = JSON.stringify([w, ...values]);
      let group = groups.get(key);
      if (!group) {
        const named = Object.fromEntries(columns.map((column, i) => [column, values[i]]));
        group = { w, ...named, n: 0, ok: 0, ...(hasTimes && { first_ms: ms, last_ms: ms }), sum: null };
        groups.set(key, group);
      }
      group.n++;
      if (ok === true) group.ok++;
      // Events come in the order of their times.
      if (hasTimes) group.last_ms = ms;
      if (number) group.sum = String(BigInt(String(group.sum ?? 0)) + BigInt(String(number)));
      return groups.size > LIMITS.groupsCountedMax;
    });
    return [...groups.values()];
  }

  /** Visits each event of which the filter holds, in the order of the files. @param visit returns whether to end */
  async #matching(
    from: string,
    filter: AuditEventFilter,
    more: readonly string[],
    visit: (id: string, values: readonly unknown[]) => boolean,
  ): Promise<void> {
    const columns = ['e.record_id::VARCHAR', joined(newBoundary()), ...more].join(', ');
    const pauses = new Pauses();
    await this.#stream(`SELECT ${columns} ${from}`, async (rows) => {
      for (const [recordId, text, ...values] of rows) {
        const event = wholeEvent(valuesOf({ recordId: String(recordId), text: String(text) }));
        if (matchesFilter(filter, event) && visit(String(recordId), values)) return true;
        if (pauses.isDue) await pauses.take();
      }
      return false;
    });
  }

  /**
   * SQL of the events that pass a filter for sure, and of the others that may pass, each of which is asked itself. Null:
   * there are none.
   */
  async #conditionsOf(files: TenantFiles, filter: AuditEventFilter) {
    const expression = wholeExpression(filter);
    const range = rangeSql(filter);
    if (!expression) return { sure: range, rest: null };
    const { tenantId } = files;
    const [ofAscii, ofOthers] = [true, false].map((areAscii) => boundsOf(expression, { tenantId, areAscii }));
    const both = (is: string, can: string) => ({
      sure: is === NEVER ? null : `${range} AND ${is}`,
      rest: is === can ? null : `${range} AND ${can} AND NOT (${is})`,
    });
    const { is, can } = ofAscii as Bounds;
    const others = (ofOthers as Bounds).can;
    // Where no text is compared, it does not matter what the texts are.
    if (can === others || (await this.#areAscii(files))) return both(is, can);
    return both(`(${IS_ASCII} AND ${is})`, `(CASE WHEN ${IS_ASCII} THEN ${can} ELSE ${others} END)`);
  }

  /** Whether all texts of some files are ASCII. A file never changes, so each is read once. */
  async #areAscii(files: TenantFiles): Promise<boolean> {
    const unknown = files.paths.filter((path) => !this.#ascii.has(path));
    if (this.#ascii.size + unknown.length > FILES_KNOWN_MAX) this.#ascii.clear();
    for (const path of unknown) {
      const [row] = await this.#all(
        `SELECT coalesce(bool_and(${IS_ASCII}), true) AS ascii FROM ${table({ ...files, paths: [path] })}`,
      );
      this.#ascii.set(path, row?.ascii === true);
    }
    return files.paths.every((path) => this.#ascii.get(path) === true);
  }

  async write(lines: string, known: string | null, target: string, lineBytes: number): Promise<number> {
    const [row] = await this.#all(writeSql(lines, known, target, lineBytes));
    return Number(row?.Count ?? 0);
  }

  async leaves(path: string, after: string | null, limit: number): Promise<Buffer> {
    const boundary = newBoundary();
    const columns = ['e.record_id::VARCHAR', joined(boundary), liftedText(boundary)].join(', ');
    const leaves = Buffer.alloc(limit * LEAF_BYTES);
    let at = 0;
    await this.#stream(afterSql(columns, path, after, limit), async (rows) => {
      for (const [id, text, lifted] of rows) {
        const recordId = String(id);
        const event = wholeEvent(valuesOf({ recordId, text: String(text) }));
        // The leaf proves `additional`, and `additional` proves them.
        if (lifted !== LIFTED_NAMES.map((name) => toStored(liftedValue(name, event) ?? '')).join(boundary))
          throw new Error(`the event ${recordId} of the file has other lifted fields than it states`);
        idBytes(recordId).copy(leaves, at);
        at += ID_BYTES;
        at += leaves.write(leafHashOf(event), at, 'hex');
      }
      return false;
    });
    return leaves.subarray(0, at);
  }

  rowsAfter(path: string, after: string | null, limit: number): Promise<readonly Row[]> {
    return this.#all(afterSql(wholeWith(null), path, after, limit));
  }

  async close(): Promise<void> {
    const instance = await this.#instance;
    this.#instance = null;
    instance?.closeSync();
  }

  async #byIds(columns: string, files: TenantFiles, ids: readonly string[]): Promise<readonly Row[]> {
    if (ids.length === 0 || files.paths.length === 0) return [];
    const sorted = [...ids].sort();
    const list = sorted.map((id) => `${literal(id)}::UUID`).join(', ');
    return this.#all(
      `SELECT ${columns} FROM ${table(files)} WHERE e.record_id >= ${literal(sorted[0] ?? '')}::UUID
         AND e.record_id <= ${literal(sorted.at(-1) ?? '')}::UUID AND e.record_id IN (${list})`,
    );
  }

  async #all(sql: string): Promise<readonly Row[]> {
    return this.#connected(async (connection) => (await connection.runAndReadAll(sql)).getRowObjects());
  }

  async #stream(
    sql: string,
    work: (rows: readonly (readonly unknown[])[]) => Promise<boolean>,
  ): Promise<void> {
    await this.#connected(async (connection) => {
      const result = await connection.stream(sql);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (!chunk || chunk.rowCount === 0 || (await work(chunk.getRows()))) return;
      }
    });
  }

  async #connected<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    this.#instance ??= openDuck(this.bounds).catch((error: unknown) => {
      this.#instance = null;
      throw error;
    });
    const connection = await (await this.#instance).connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  }
}

/** SQL of the first events after another one. Rows come in the order of the file, which is that of their record ids. */
function afterSql(columns: string, path: string, after: string | null, limit: number): string {
  const beyond = after === null ? 'true' : `e.record_id > ${literal(after)}::UUID`;
  return `SELECT ${columns} FROM read_parquet(${literal(path)}) e WHERE ${beyond} LIMIT ${limit}`;
}

const withAdditional = (row: Row): Row => ({ ...row, additional: JSON.parse(String(row.additional)) });
