import { type OwnerDoor, Prisma, type ServiceDoor, stepIn } from '../../../database/clients';
import { isUnavailable } from '../../../errors';
import { COMPLETED_ACTIONS, COMPLETED_SENSITIVE_ACTIONS } from '../../../event/action-names';
import { inQuotes } from '../../../event/expression/value-text';
import { COLUMN_OF, type NumberField } from '../../../event/fields';
import { unmappedAddress } from '../../../event/network';
import { toSummaryFilter } from '../../../event/query';
import { recordIdFloor } from '../../../event/record-id';
import { fold } from '../../../event/search';
import { type SealedWeeks, sealedIn } from '../../../store/archive/archive';
import { stretchOf } from '../../../store/archive/cut-week';
import { askBy } from '../../../store/columns/counter';
import { DIMENSIONS } from '../../../store/counts/dimensions';
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

/** The most events of a login whose rows are added up, and the most among which those of addresses are looked for. */
const EVENTS_MAX = 20_000;
const LOOKED_MAX = 5 * EVENTS_MAX;
/** The most logins of an incident, the first ones, and the most spellings of a login. */
const LOGINS_MAX = 20;
const SPELLINGS_MAX = 20;
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
  /** In which letter cases the trail writes the login. */
  readonly spellings: readonly string[];
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

/**
 * The rows that the logins of incidents read and changed until their end, from their addresses if these are known.
 * @param arrived logins of events that arrived
 * @param most events of a login
 */
export async function rowsOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  incidents: readonly Incident[],
  {
    door,
    arrived = [],
    most = EVENTS_MAX,
  }: { readonly door?: Door | undefined; readonly arrived?: readonly string[]; readonly most?: number },
): Promise<ReadonlyMap<string, Rows>> {
  const named = incidents.flatMap(askedOf);
  if (named.length === 0) return new Map();
  const spellings = await spellingsOf(
    tx,
    tenantId,
    named.map(({ login }) => login),
    arrived,
  );
  const asked = named.map((one) => ({ ...one, spellings: spellings(one.login) }));
  for (;;) {
    const before = await filesOf(tx, tenantId, door);
    const inRows = await partsInRows(tx, tenantId, asked, most);
    const sealed = before === '' ? null : sealedFor(door, tx);
    const inFiles = sealed ? await ofFiles(() => partsInFiles(sealed, tenantId, asked), null) : [];
    // Statements of the transaction see what others store meanwhile: a week that has gone into a file or come back.
    if ((await filesOf(tx, tenantId, door)) !== before) continue;
    const sums = sumsOf([...inRows, ...(inFiles ?? [])]);
    return inFiles ? sums : atLeast(sums, await storedOf(tx, tenantId, incidents));
  }
}

function askedOf({ incidentId, firstEvent, end, alerts }: Incident): readonly Omit<Asked, 'spellings'>[] {
  const namesOf = (kind: Entity['kind']) => {
    const all = alerts.flatMap(({ about }) => about.entities);
    return [...new Set(all.filter((one) => one.kind === kind && one.part === 'did').map(({ name }) => name))];
  };
  const [logins, addresses] = [namesOf('login'), namesOf('address')];
  return logins
    .slice(0, LOGINS_MAX)
    .map((login) => ({ id: incidentId, login, addresses, from: firstEvent, to: end + 1n }));
}

/** The names of logins in any letter case: those that are counted, and those of events that arrived. */
async function spellingsOf(
  tx: Prisma.TransactionClient,
  tenantId: number,
  logins: readonly string[],
  arrived: readonly string[],
): Promise<(login: string) => readonly string[]> {
  const counted = await tx.$queryRawUnsafe<{ value: string }[]>(
    `SELECT value FROM audit_dim WHERE tenant_id = $1::int AND kind = ${DIMENSIONS.principal.kind} AND lower(value) = ANY($2::text[])`,
    ...[tenantId, [...new Set(logins.map((login) => toStored(login).toLowerCase()))]],
  );
  const byLogin = new Map<string, Set<string>>();
  for (const name of [...logins, ...arrived, ...counted.map(({ value }) => fromStored(value))])
    byLogin.set(fold(name), (byLogin.get(fold(name)) ?? new Set()).add(name));
  return (login) => [...(byLogin.get(fold(login)) ?? [])].slice(0, SPELLINGS_MAX);
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
  most: number,
): Promise<readonly Part[]> {
  const rows = await tx.$queryRawUnsafe<
    { id: string; login: string; instance: string; kind: number; read: string; changed: string }[]
  >(
    `SELECT q.id, q.login, e.instance, e.kind::int AS kind,
       coalesce(sum(CASE WHEN reads ~ ${NUMBER} THEN reads::bigint END), 0)::text AS read,
       coalesce(sum(CASE WHEN changes ~ ${NUMBER} THEN changes::bigint END), 0)::text AS changed
     FROM json_to_recordset($2::json) AS q(id text, login text, spelling text, addresses text[], "from" uuid, "to" uuid)
     CROSS JOIN LATERAL (
       SELECT l.instance, ${KIND} AS kind, additional->>'responseRows' AS reads, additional->>'affectedRows' AS changes
       FROM (
         SELECT record_id, ${ADDRESS} AS address, ${COLUMN_OF.serverInstanceName} AS instance, ${COLUMN_OF.actionId}, additional
         FROM audit_event
         WHERE tenant_id = $1::int AND ${LOGIN} = q.spelling AND record_id >= q."from" AND record_id < q."to"
         ORDER BY record_id LIMIT ${LOOKED_MAX}) l
       WHERE cardinality(q.addresses) = 0 OR lower(l.address) = ANY(q.addresses)
       ORDER BY record_id LIMIT $3::int) e
     GROUP BY q.id, q.login, e.instance, e.kind`,
    ...[tenantId, JSON.stringify(asked.flatMap(storedForms)), most],
  );
  return rows.map(({ read, changed, ...of }) => ({ ...of, read: BigInt(read), changed: BigInt(changed) }));
}

const storedForms = ({ id, login, spellings, addresses, from, to }: Asked) =>
  spellings.map((spelling) => ({
    id,
    login: toStored(login),
    spelling: toStored(spelling),
    addresses: addresses.flatMap(writtenForms),
    from: recordIdFloor(from),
    to: recordIdFloor(to),
  }));

/** An address of IPv4 may be written as IPv6. */
const writtenForms = (address: string): readonly string[] => {
  const stored = toStored(address).toLowerCase();
  return stored.includes(':') ? [stored] : [stored, `::ffff:${stored}`];
};

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
      filter: `serverPrincipalName~${inQuotes(login)} AND ${sumOf}:(0 TO ${'9'.repeat(DIGITS_MAX)})`,
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
      if (addresses.length > 0 && !addresses.includes(unmappedAddress(fromStored(address)))) continue;
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

export const atLeast = (sums: ReadonlyMap<string, Rows>, least: ReadonlyMap<string, Rows>) =>
  new Map(
    [...new Set([...sums.keys(), ...least.keys()])].map((id) => [
      id,
      greater(sums.get(id) ?? NO_ROWS, least.get(id)),
    ]),
  );
