import type { OwnerDoor, Prisma } from '../../database/clients';
import { COLUMN_OF, SEARCHED_FIELDS } from '../../event/fields';
import { takeTenant } from '../counts/turns';
import { storedSearchText } from '../rows/event-columns';
import type { Row } from '../rows/event-rows';
import { fromStored } from '../rows/stored-text';
import { storedTwiceMs } from '../rows/stored-twice';
import type { FileCache, ListedFile } from './file-cache';
import { forgetWeeks } from './forget-week';
import { ROW_COLUMNS } from './layout';
import type { FileWriter } from './questions';
import type { InTransaction } from './seal-week';
import { countWeek } from './week-index';

const ROWS_PER_STEP = 1_000;

const FIND = `
SELECT w.tenant_id AS "tenantId", w.week, w.sha256 FROM audit_sealed_week w
WHERE w.tenant_id = $1::int AND w.week = $2::int`;

/** $2: JSON of rows as `audit_event` has them. */
const PUT_ROWS = `
INSERT INTO audit_event (${[...ROW_COLUMNS, 'additional', 'search_text'].join(', ')})
SELECT ${[...ROW_COLUMNS, 'additional', 'search_text'].map((column) => (column === 'tenant_id' ? 't.tenant_id' : `x.${column}`)).join(', ')}
FROM tenant t CROSS JOIN json_populate_recordset(NULL::audit_event, $2::json) x WHERE t.tenant_id = $1::int`;

const NEXT_GENERATION = 'UPDATE audit_archive SET generation = generation + 1 WHERE tenant_id = $1::int';

const LEAVE_IN_ROWS = `
UPDATE audit_archive SET restored = array_append(array_remove(restored, $2::int), $2::int) WHERE tenant_id = $1::int`;

/** The week is not sealed again until an operator has it sealed. */
export const leaveInRows = (tx: Prisma.TransactionClient, tenantId: number, week: number): Promise<number> =>
  tx.$executeRawUnsafe(LEAVE_IN_ROWS, tenantId, week);

/**
 * Brings a sealed week back into rows, in one transaction: after a crash before its end the file still answers.
 * The partition of the week is there as long as its counts are.
 * @returns the number of events; null: the week is not sealed
 */
export async function restoreWeek(
  {
    owner,
    writer,
    cache,
  }: { readonly owner: OwnerDoor; readonly writer: FileWriter; readonly cache: FileCache },
  tenantId: number,
  week: number,
  also?: InTransaction,
): Promise<number | null> {
  const isTwice = (await storedTwiceMs(owner)) > 0;
  return owner.models.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '60s'`);
      await takeTenant(tx, tenantId);
      const [file] = await tx.$queryRawUnsafe<ListedFile[]>(FIND, tenantId, week);
      if (!file) return null;
      await tx.$executeRawUnsafe(NEXT_GENERATION, tenantId);
      const ask = <R extends object>({ text, values }: Prisma.Sql) =>
        tx.$queryRawUnsafe<R[]>(text, ...values);
      const restored = await cache.using([file], ask, async ([path = '']) => {
        let [after, count]: [string | null, number] = [null, 0];
        for (;;) {
          const rows: readonly Row[] = await writer.rowsAfter(path, after, ROWS_PER_STEP);
          if (rows.length === 0) return count;
          const stored = rows.map((row) => toRow(row, isTwice));
          await tx.$executeRawUnsafe(PUT_ROWS, tenantId, JSON.stringify(stored));
          after = String(rows.at(-1)?.record_id);
          count += rows.length;
        }
      });
      await countWeek(tx, tenantId, week);
      await forgetWeeks(tx, tenantId, { from: week, to: week + 1 });
      await also?.(tx, restored);
      return restored;
    },
    { timeout: 3_600_000, maxWait: 60_000 },
  );
}

function toRow(row: Row, isTwice: boolean): Row {
  const texts = SEARCHED_FIELDS.map((field) => fromStored(String(row[COLUMN_OF[field]]))).filter(
    (text) => text !== '',
  );
  return {
    ...row,
    additional: JSON.parse(String(row.additional)),
    search_text: storedSearchText(texts, isTwice),
  };
}
