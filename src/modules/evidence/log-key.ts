import { type OwnerDoor, type Prisma, stepIn } from '../../database/clients';
import { DomainError } from '../../errors';
import { rootOf } from '../../store/log/evidence/merkle';
import { knownKeyIds, type LogKeys } from './log-head';
import {
  KEY_OF_DATABASE,
  KEY_OF_MOST_HEADS,
  PUT_KEY,
  SUCCEED_KEY,
  TENANTS_WITH_BACKLOG,
} from './log-statements';
import { NEVER, saveHead } from './log-writer';

/**
 * Agrees with the other instances on the key of this database's logs. The first instance writes its key's id to the
 * database. Another instance continues with its own key if that key is the same or has replaced the first one.
 * @param isNew nothing was ever remembered beside this key; if there is no log either, events stored earlier may be
 * taken in
 * @returns the id of the key
 */
export function agreeOnKey(owner: OwnerDoor, keys: LogKeys, isNew: boolean): Promise<string> {
  return owner.models.$transaction(async (tx) => {
    const { own } = keys;
    if ((await keyOfDatabase(tx)) === null) {
      const [kept] = await tx.$queryRawUnsafe<{ key_id: string }[]>(KEY_OF_MOST_HEADS);
      const isFirst = (await tx.$executeRawUnsafe(PUT_KEY, kept?.key_id ?? own.keyId)) > 0;
      if (isFirst && isNew && !kept) await openBacklog(tx, keys);
    }
    const stated = (await keyOfDatabase(tx)) ?? own.keyId;
    if (stated === own.keyId || !knownKeyIds(keys).includes(stated)) return stated;
    await tx.$executeRawUnsafe(SUCCEED_KEY, stated, own.keyId);
    return own.keyId;
  });
}

export async function keyOfDatabase(
  tx: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
): Promise<string | null> {
  const [row] = await tx.$queryRawUnsafe<{ key_id: string }[]>(KEY_OF_DATABASE);
  return row?.key_id ?? null;
}

/**
 * Seals, for each tenant with events from before the log, that these events are still to be taken in. Only such a head
 * admits them, so rows that somebody lists later are ignored.
 */
export async function openBacklog(tx: Prisma.TransactionClient, keys: LogKeys): Promise<void> {
  const tenants = await tx.$queryRawUnsafe<{ tenant_id: number }[]>(TENANTS_WITH_BACKLOG);
  const root = rootOf(0, () => Buffer.alloc(0));
  const empty = { size: 0, root, checkpoints: 0, signedSize: 0, signedAt: NEVER, backfilled: false };
  for (const { tenant_id } of tenants) await saveHead(stepIn(tx), tenant_id, empty, keys);
}

/** Why an instance signs nothing. @param other id of the key of the database's logs @param own id of its own */
export const otherKeyText = (other: string, own: string): string =>
  `the logs of this database are kept with the checkpoint key ${other}, and this instance has ${own}: ` +
  'set CHECKPOINT_KEY_FILE to the file with that key, checkpoint.key in the DATA_DIR of the instance that made it, and start again; ' +
  `only if that file is lost, set CHECKPOINT_KEY_SUCCEEDS=${other} on all instances`;

/** Refuses to sign for callers. Operators find both keys in the log. */
export const cannotSign = (): DomainError =>
  new DomainError('service_unavailable', {
    public:
      'This instance of the service has another checkpoint key than the evidence log, so it signs nothing. ' +
      'Another instance does, or this one once an operator has set CHECKPOINT_KEY_FILE.',
    retryAfterSeconds: 60,
  });

/** Why events wait that another instance accepted. */
export const waitingText = (events: number, keyId: string): string =>
  `${events} events wait that an instance with the checkpoint key ${keyId} accepted: start it with CHECKPOINT_KEY_FILE ` +
  `set to the key of all, its DATA_DIR as it is; only if that is lost, set CHECKPOINT_KEY_SUCCEEDS=${keyId} on an instance`;
