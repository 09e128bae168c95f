import type { World } from './world';

/** An entry of the access log, as GraphQL shows it. */
export interface LoggedAccess {
  readonly entryId: string;
  readonly at: string;
  readonly principalKind: string;
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly userName: string | null;
  readonly entrance: string;
  readonly operation: string;
  readonly parameters: string;
  readonly subject: string | null;
  readonly tenantIds: readonly string[];
  readonly rows: number | null;
  readonly outcome: string;
  readonly requestId: string;
  readonly address: string;
}

export const ENTRY_FIELDS = `entryId at principalKind keyId keyName userName entrance operation parameters subject
  tenantIds rows outcome requestId address`;

/** All entries that match, newest first. @param filter arguments of `accessLog` */
export async function accessLog(world: World, filter: object = {}): Promise<LoggedAccess[]> {
  const all: LoggedAccess[] = [];
  let after: string | null = null;
  do {
    const { accessLog: page } = await world.operate(PAGE, { first: 1000, ...filter, after });
    all.push(...page.entries);
    if (page.hasNextPage && page.endCursor === after) throw new Error(`no page follows ${after}`);
    after = page.hasNextPage ? page.endCursor : null;
  } while (after !== null);
  return all;
}

const PAGE = `query($from: String, $to: String, $keyId: String, $tenantId: String, $operation: String,
  $outcome: String, $search: String, $first: Int!, $after: String) { accessLog(from: $from, to: $to, keyId: $keyId,
  tenantId: $tenantId, operation: $operation, outcome: $outcome, search: $search, first: $first, after: $after) {
  entries { ${ENTRY_FIELDS} } endCursor hasNextPage } }`;
