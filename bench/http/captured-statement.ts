import type { ServiceDoor } from '../../src/database/clients';
import { layout } from '../../src/database/each-tenant';
import { LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventQuery } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { tenantSet } from '../../src/tenant-set';

/** A statement in the form in which PostgreSQL gets it. */
export interface CapturedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A page of all events needs no columns. */
const NO_COLUMNS = () => Promise.reject(new Error('a list without a filter reads no columns'));

/** The statement with which the product reads a list page. It comes from the product's reader, so it can't differ. */
export async function pageStatement(
  tenantIds: readonly number[],
  query: { readonly page: number; readonly pageSize: number },
): Promise<CapturedStatement> {
  const caught: CapturedStatement[] = [];
  const service = {
    ...layout(false),
    ask: async ({ text, values }: CapturedStatement) => {
      caught.push({ text, values });
      return [];
    },
    snapshot: NO_COLUMNS,
  } as Partial<ServiceDoor> as ServiceDoor;
  const given = parseParameters(LIST_PARAMETERS, {
    page: String(query.page),
    pageSize: String(query.pageSize),
  });
  await new PostgresAuditEventReader(service).page(tenantSet(tenantIds), toAuditEventQuery(given));
  const [statement] = caught;
  if (!statement || caught.length > 1)
    throw new Error(`a list page takes ${caught.length} statements, not one`);
  return statement;
}
