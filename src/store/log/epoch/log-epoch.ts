import { randomBytes } from 'node:crypto';
import { type Attempt, changeOf, ownAttempt } from '../../../caller/access-log';
import { insertEntries } from '../../../caller/access-log.store';
import type { OwnerDoor, Prisma } from '../../../database/clients';
import { DomainError } from '../../../errors';
import {
  type EpochCause,
  type EpochState,
  epochBefore,
  formerOfNext,
  isCurrent,
  isKnown,
  NO_EPOCH,
  newEpoch,
} from './epoch';
import {
  DROP_PREPARED,
  EPOCH_LOCK,
  HAS_TENANTS,
  IS_PREPARED,
  MAY_READ_SYSTEM,
  readRow,
  writeRow,
} from './epoch-statements';
import { FolderMark } from './place';

type Tx = Prisma.TransactionClient;

interface Row extends EpochState {
  readonly place: string | null;
  readonly cursorKey: Uint8Array;
  readonly isCopy: boolean;
}

interface Parts {
  readonly owner: OwnerDoor;
  /** The data folder of the embedded database; null: the database is PostgreSQL. */
  readonly embeddedIn: string | null;
  /** `DRILL=1`: this instance sends nothing and removes nothing. */
  readonly isDrill: boolean;
  readonly nowMs: () => number;
  readonly log: { warn(values: object, text: string): void };
}

const CURSOR_KEY_BYTES = 32;
const DRILL = 'DRILL=1: this instance sends nothing and removes nothing';
const UNSETTLED = 'the service has just started, and first compares the logs with what it remembers of them';

/**
 * The epoch of this database's logs. It notices that the database was restored, begins another epoch then, and holds
 * back what would leave the service or be removed, until an operator says go.
 */
export class LogEpoch {
  #state: EpochState | null = null;
  #cursorKey: Buffer = Buffer.alloc(0);
  #place: string | null = null;
  #maySystem = true;
  #isSettled = false;

  private constructor(private readonly parts: Parts) {}

  static async open(parts: Parts): Promise<LogEpoch> {
    const epoch = new LogEpoch(parts);
    await epoch.#begin();
    return epoch;
  }

  get state(): EpochState {
    if (!this.#state) throw new Error('the epoch is not read yet');
    return this.#state;
  }

  /** Seals the cursors of the tail. It outlives every checkpoint key. */
  get cursorKey(): Buffer {
    return this.#cursorKey;
  }

  get isDrill(): boolean {
    return this.parts.isDrill;
  }

  /** Nothing is held back that an operator would have to let go. */
  get healthy(): boolean {
    return !this.parts.isDrill && this.state.hold === null;
  }

  /** Why nothing is sent and removed now; null: it is. */
  get pause(): string | null {
    if (this.parts.isDrill) return DRILL;
    return this.#isSettled ? this.state.hold : UNSETTLED;
  }

  /** Why one destination is paused. @param goEpoch the epoch under which an operator let it go */
  pauseOf(goEpoch: string | null): string | null {
    return goEpoch === this.state.epoch && !this.parts.isDrill && this.#isSettled ? null : this.pause;
  }

  /** To be called after all logs were compared with what this instance remembers. */
  settle(): void {
    this.#isSettled = true;
  }

  /** Runs work unless it is paused. @returns null if it is */
  async unlessPaused<T>(work: () => Promise<T>): Promise<T | null> {
    await this.look();
    return this.pause === null ? work() : null;
  }

  /** Reads the row again: another instance may have changed it, or somebody may have restored the database. */
  async look(): Promise<EpochState> {
    const row = await this.#read(this.parts.owner.models);
    if (row && !row.isCopy) return this.#know(row);
    return this.#change((now) => (now && !now.isCopy ? now : this.#copied(now)));
  }

  /** Somebody knows a log, as of an epoch, that is longer than this one, or another one. @param found in words */
  async noticeSetBack(known: string, found: string): Promise<void> {
    if (!isCurrent(this.state, known) && isKnown(this.state, known)) return;
    await this.#change((row) => {
      if (!row) return this.#copied(row);
      // Another instance has noticed it.
      if (!isCurrent(row, known) && isKnown(row, known)) return row;
      return this.#renewed(row, 'set-back', found, [known]);
    });
  }

  /** Somebody remembers an epoch. If this database does not know it, the database was restored from before. */
  async noticeEpoch(named: string): Promise<void> {
    if (isKnown(this.state, named)) return;
    await this.noticeSetBack(
      named,
      `an instance remembers the epoch ${named || 'of a release without epochs'}, which this database does not know`,
    );
  }

  /** An operator says that the database was restored. Nothing changes if it was noticed already and nobody said go. */
  async renew(reason: string, attempt: Attempt): Promise<EpochState> {
    return this.#change(
      (row) => (row?.hold === null ? this.#renewed(row, 'demand', reason, []) : (row ?? this.#copied(row))),
      attempt,
    );
  }

  /**
   * An operator says that this database goes on: everything that was held back leaves. A copy that nobody has noticed yet is
   * held back first: the operator meant what was there before.
   */
  async go(attempt: Attempt): Promise<EpochState> {
    return this.#change((row) => (row && !row.isCopy ? { ...row, hold: null } : this.#copied(row)), attempt);
  }

  /**
   * An operator says that the database was moved, and that no event was taken in by either of both since: the earlier
   * epoch goes on.
   * @throws DomainError `invalid_parameter` if that cannot be
   */
  async keep(attempt: Attempt): Promise<EpochState> {
    return this.#change((row) => {
      if (row?.hold == null || row.cause !== 'copy')
        throw new DomainError('invalid_parameter', {
          public:
            'There is no epoch to keep: nothing is held back because the database was moved or copied. ' +
            'The epoch of a log that was set back, or that an operator renewed, cannot be taken back.',
        });
      const reason = `the database was moved, and an operator kept the epoch: ${row.reason}`;
      return { ...row, ...epochBefore(row), reason, hold: null };
    }, attempt);
  }

  async #begin(): Promise<void> {
    const { owner, embeddedIn } = this.parts;
    const [rights] = await owner.models.$queryRawUnsafe<{ may: boolean }[]>(MAY_READ_SYSTEM);
    this.#maySystem = rights?.may === true;
    const place = embeddedIn === null ? null : new FolderMark(embeddedIn);
    await this.#change(async (row, tx) => {
      const isPrepared = await isThere(tx, IS_PREPARED);
      if (isPrepared) await tx.$executeRawUnsafe(DROP_PREPARED);
      if (!row) return this.#first(await isThere(tx, HAS_TENANTS), isPrepared);
      const isMoved = place !== null && !(await place.isHere(row.place));
      return row.isCopy || isMoved || isPrepared ? this.#copied(row) : row;
    });
    const stated = (await this.#read(owner.models))?.place ?? null;
    await place?.renew(stated, (mark) => this.#change((row) => row && { ...row, place: mark }));
    if (this.parts.isDrill) this.parts.log.warn({}, DRILL);
  }

  /** The first epoch of a database. @param hasTenants whether a release without epochs has used it */
  #first(hasTenants: boolean, isRestored: boolean): Row {
    const at = new Date(this.parts.nowMs());
    const isCopy = hasTenants && isRestored;
    const reason = isCopy ? 'the database was restored after prepare-restore' : 'the first start';
    return {
      epoch: newEpoch(at.getTime(), []),
      former: isCopy ? [NO_EPOCH] : [],
      isBridged: hasTenants && !isRestored,
      beganAt: at,
      cause: isCopy ? 'copy' : 'first',
      reason,
      hold: isCopy ? holdText(at, reason) : null,
      place: null,
      cursorKey: randomBytes(CURSOR_KEY_BYTES),
      isCopy: false,
    };
  }

  /** @param row null: somebody took the row away while the service ran */
  #copied(row: Row | null): Row {
    if (row) return this.#renewed(row, 'copy', 'the database is a restored or moved copy of another one', []);
    const before = { ...this.state, place: this.#place, cursorKey: this.#cursorKey, isCopy: false };
    return this.#renewed(before, 'copy', 'the epoch was taken out of the database', []);
  }

  #renewed(row: Row, cause: EpochCause, reason: string, others: readonly string[]): Row {
    const at = new Date(this.parts.nowMs());
    const former = formerOfNext(row, others);
    return {
      ...row,
      epoch: newEpoch(at.getTime(), former),
      former,
      isBridged: false,
      beganAt: at,
      cause,
      reason,
      hold: holdText(at, reason),
    };
  }

  async #read(client: Pick<Tx, '$queryRawUnsafe'>): Promise<Row | null> {
    const [row] = await client.$queryRawUnsafe<Row[]>(readRow(this.#maySystem));
    return row ? { ...row, beganAt: new Date(row.beganAt) } : null;
  }

  /**
   * Changes the row in turn with other instances.
   * @param decide the next row; the same: it stays
   */
  async #change(
    decide: (row: Row | null, tx: Tx) => Row | null | Promise<Row | null>,
    attempt?: Attempt,
  ): Promise<EpochState> {
    const { owner, nowMs, log } = this.parts;
    const next = await owner.models.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(EPOCH_LOCK);
      const row = await this.#read(tx);
      const decided = await decide(row, tx);
      if (!decided) throw new Error('the epoch of the logs is gone');
      if (decided !== row) await this.#write(tx, decided);
      const isOther = decided.epoch !== row?.epoch && decided.cause !== 'first';
      const { epoch, cause, reason, hold } = decided;
      const own = ownAttempt('renewLogEpoch', new Date(nowMs()), { cause, reason });
      const noted = attempt ?? (isOther ? own : null);
      if (noted) await insertEntries(tx, [changeOf(noted, { subject: epoch })]);
      return { row: decided, isOther, hold };
    });
    if (next.isOther)
      log.warn({ epoch: next.row.epoch, cause: next.row.cause }, next.hold ?? next.row.reason);
    return this.#know(next.row);
  }

  async #write(tx: Tx, row: Row): Promise<void> {
    await tx.$executeRawUnsafe(
      writeRow(this.#maySystem),
      ...[row.epoch, row.former, row.isBridged, row.beganAt.toISOString(), row.cause, row.reason, row.hold],
      ...[row.place, Buffer.from(row.cursorKey).toString('hex')],
    );
  }

  #know(row: Row): EpochState {
    const { place, cursorKey, isCopy: _, ...state } = row;
    this.#place = place;
    this.#cursorKey = Buffer.from(cursorKey);
    this.#state = state;
    return state;
  }
}

const holdText = (at: Date, reason: string): string =>
  `destinations, mail, notices and retention wait since ${at.toISOString()}, because ${reason}: ` +
  'say `audit-activity finish-restore --go` when this database is to send and remove';

async function isThere(tx: Tx, statement: string): Promise<boolean> {
  const [row] = await tx.$queryRawUnsafe<{ there: boolean }[]>(statement);
  return row?.there === true;
}
