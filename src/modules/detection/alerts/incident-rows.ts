import { type OwnerDoor, Prisma, type ServiceDoor, stepIn } from '../../../database/clients';
import { isUnavailable } from '../../../errors';
import { COMPLETED_ACTIONS, COMPLETED_SENSITIVE_ACTIONS } from '../../../event/action-names';
import { COLUMN_OF, type NumberField } from '../../../event/fields';
import { toSummaryFilter } from '../../../event/query';
import { recordIdFloor } from '../../../event/record-id';
import { type SealedWeeks, sealedIn } from '../../../store/archive/archive';
import { stretchOf } from '../../../store/archive/cut-week';
import { askBy } from '../../../store/columns/counter';
import { fromStored, toStored } from '../../../store/rows/stored-text';
import type { About, Entity } from './incident-about';

/** The door of a transaction. */
export type Door = ServiceDoor | OwnerDoor;

/** The weeks in files that a transaction sees; null: there are none. */
export const sealedFor = (door: Door | undefined, tx: Prisma.TransactionClient): SealedWeeks | null =>
  door ? sealedIn(door, askBy(stepIn(tx))) : null;

/** What files say, or `otherwise` where they cannot be read now: a lost file stops no detection. */
export async function ofFiles<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isUnavailable(error)) return otherwise;
    throw error;
  }
}

const LOGIN = COLUMN_OF.serverPrincipalName;
const ADDRESS = COLUMN_OF.clientIp;
/** Of a server instance, records of different kinds may tell of the same rows. */
const KINDS: readonly (readonly string[])[] = [COMPLETED_ACTIONS, COMPLETED_SENSITIVE_ACTIONS];
const kindOf = (actionId: string): number =>
  KINDS.findIndex((codes) => codes.includes(actionId.trimEnd().toUpperCase()));
const listed = (codes: readonly string[]): string => codes.map((code) => `'${code}'`).join(', ');
const KIND = `CASE ${KINDS.map(
  (codes, kind) => `WHEN upper(rtrim(${COLUMN_OF.actionId})) IN (${listed(codes)}) THEN ${kind}`,
).join(' ')} ELSE -1 END`;

/** The most events of a login whose rows are added up, and the most logins of an incident, the first ones. */
const EVENTS_MAX = 20_000;
const LOGINS_MAX = 20;
const DIGITS_MAX = 15;
const NUMBER = `'^[0-9]{1,${DIGITS_MAX}}$'`;

interface Incident {
  readonly incidentId: string;
  readonly firstEvent: bigint;
  /** Until then, what its logins read and change counts. */
  readonly end: bigint;
  readonly alerts: readonly { readonly about: About }[];
}
interface Asked {
  readonly id: string;
  readonly login: string;
  /** Empty: from anywhere. */
  readonly addresses: readonly string[];
  readonly from: bigint;
  readonly to: bigint;
}
interface Rows {
  readonly read: bigint;
  readonly changed: bigint;
}
export const NO_ROWS: Rows = { read: 0n, changed: 0n };
/** Rows of records of one kind, of a login at a server instance. */
interface Part extends Rows {
  readonly id: string;
  readonly login: string;
  readonly instance: string;
  readonly kind: number;
}

/** The rows that the logins of incidents read and changed until their end, from their addresses if these are known. */
export async function rowsOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  incidents: readonly Incident[],
  door: Door | undefined,
): Promise<ReadonlyMap<string, Rows>> {
  const asked = incidents.flatMap(askedOf);
  if (asked.length === 0) return new Map();
  for (;;) {
    const before = await filesOf(tx, tenantId, door);
    const inRows = await partsInRows(tx, tenantId, asked);
    const sealed = before === '' ? null : sealedFor(door, tx);
    const inFiles = sealed ? await ofFiles(() => partsInFiles(sealed, tenantId, asked), null) : [];
    // Statements of the transaction see what others store meanwhile: a week that has gone into a file or come back.
    if ((await filesOf(tx, tenantId, door)) !== before) continue;
    const sums = sumsOf([...inRows, ...(inFiles ?? [])]);
    return inFiles ? sums : atLeast(sums, await storedOf(tx, tenantId, incidents));
  }
}

function askedOf({ incidentId, firstEvent, end, alerts }: Incident): readonly Asked[] {
  const namesOf = (kind: Entity['kind']) => {
    const all = alerts.flatMap(({ about }) => about.entities);
    return [...new Set(all.filter((one) => one.kind === kind && one.part === 'did').map(({ name }) => name))];
  };
  const [logins, addresses] = [namesOf('login'), namesOf('address')];
  return logins
    .slice(0, LOGINS_MAX)
    .map((login) => ({ id: incidentId, login, addresses, from: firstEvent, to: end + 1n }));
}

async function filesOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  door: Door | undefined,
): Promise<string> {
  const files = (await sealedFor(door, tx)?.list(tenantId)) ?? [];
  return files.map(({ sha256 }) => sha256).join();
}

async function partsInRows(
  tx: Prisma.TransactionClient,
  tenantId: number,
  asked: readonly Asked[],
): Promise<readonly Part[]> {
  const rows = await tx.$queryRawUnsafe<
    { id: string; login: string; instance: string; kind: number; read: string; changed: string }[]
  >(
    `SELECT q.id, q.login, e.instance, e.kind::int AS kind,
       coalesce(sum(CASE WHEN reads ~ ${NUMBER} THEN reads::bigint END), 0)::text AS read,
       coalesce(sum(CASE WHEN changes ~ ${NUMBER} THEN changes::bigint END), 0)::text AS changed
     FROM json_to_recordset($2::json) AS q(id text, login text, addresses text[], "from" uuid, "to" uuid)
     CROSS JOIN LATERAL (
       SELECT ${ADDRESS} AS address, ${COLUMN_OF.serverInstanceName} AS instance, ${KIND} AS kind, additional->>'responseRows' AS reads, additional->>'affectedRows' AS changes
       FROM audit_event WHERE tenant_id = $1::int AND ${LOGIN} = q.login AND record_id >= q."from" AND record_id < q."to"
       ORDER BY record_id LIMIT ${EVENTS_MAX}) e
     WHERE e.address = ANY(q.addresses) OR cardinality(q.addresses) = 0
     GROUP BY q.id, q.login, e.instance, e.kind`,
    ...[tenantId, JSON.stringify(asked.map(storedForm))],
  );
  return rows.map(({ read, changed, ...of }) => ({ ...of, read: BigInt(read), changed: BigInt(changed) }));
}

const storedForm = ({ id, login, addresses, from, to }: Asked) => ({
  id,
  login: toStored(login),
  addresses: addresses.map(toStored),
  from: recordIdFloor(from),
  to: recordIdFloor(to),
});

const FIELDS = ['clientIp', 'serverInstanceName', 'actionId'] as const;

/** The same of the events that lie in files. */
async function partsInFiles(
  sealed: SealedWeeks,
  tenantId: number,
  asked: readonly Asked[],
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const sums = async ({ id, login, addresses, from, to }: Asked, sumOf: NumberField) => {
    const filter = toSummaryFilter({
      filter: `serverPrincipalName:${JSON.stringify(login)} AND ${sumOf}:(0 TO ${'9'.repeat(DIGITS_MAX)})`,
      startTime: undefined,
      endTime: undefined,
    });
    const by = { windowMs: null, fields: FIELDS, sumOf };
    for (const row of await sealed.groups(tenantId, filter, [stretchOf({ from, to })], by)) {
      const [address, instance, action] = FIELDS.map((field) => String(row[COLUMN_OF[field]])) as [
        string,
        string,
        string,
      ];
      if (addresses.length > 0 && !addresses.includes(fromStored(address))) continue;
      const sum = BigInt(String(row.sum ?? 0));
      const rows = sumOf === 'responseRows' ? { read: sum, changed: 0n } : { read: 0n, changed: sum };
      parts.push({ id, login: toStored(login), instance, kind: kindOf(action), ...rows });
    }
  };
  for (const one of asked) {
    await sums(one, 'responseRows');
    await sums(one, 'affectedRows');
  }
  return parts;
}

/** The sums of incidents: of records of several kinds, those that tell of the most rows count. */
function sumsOf(parts: readonly Part[]): ReadonlyMap<string, Rows> {
  const kinds = new Map<string, Part>();
  for (const part of parts) {
    const key = JSON.stringify([part.id, part.login, part.instance, part.kind]);
    kinds.set(key, { ...part, ...added(part, kinds.get(key)) });
  }
  const instances = new Map<string, Part>();
  for (const part of kinds.values()) {
    const key = JSON.stringify([part.id, part.login, part.instance]);
    instances.set(key, { ...part, ...greater(part, instances.get(key)) });
  }
  const sums = new Map<string, Rows>();
  for (const part of instances.values()) sums.set(part.id, added(part, sums.get(part.id)));
  return sums;
}

const added = (a: Rows, b: Rows = NO_ROWS): Rows => ({
  read: a.read + b.read,
  changed: a.changed + b.changed,
});
const most = (a: bigint, b: bigint) => (a > b ? a : b);
const greater = (a: Rows, b: Rows = NO_ROWS): Rows => ({
  read: most(a.read, b.read),
  changed: most(a.changed, b.changed),
});

/** What is stored of incidents. */
export async function storedOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  incidents: readonly Incident[],
): Promise<ReadonlyMap<string, Rows>> {
  const ids = incidents.map(({ incidentId }) => incidentId);
  const found = await tx.incident.findMany({
    where: { tenantId, incidentId: { in: ids } },
    select: { incidentId: true, rowsRead: true, rowsChanged: true },
  });
  return new Map(
    found.map(({ incidentId, rowsRead, rowsChanged }) => [
      incidentId,
      { read: BigInt(rowsRead), changed: BigInt(rowsChanged) },
    ]),
  );
}

const atLeast = (sums: ReadonlyMap<string, Rows>, least: ReadonlyMap<string, Rows>) =>
  new Map(
    [...new Set([...sums.keys(), ...least.keys()])].map((id) => [
      id,
      greater(sums.get(id) ?? NO_ROWS, least.get(id)),
    ]),
  );
