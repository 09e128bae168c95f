import { randomUUID } from 'node:crypto';
import { ADVISORY_LOCKS } from '../../database/advisory-locks';
import { type OwnerDoor, Prisma, type ServiceDoor } from '../../database/clients';
import { databaseTime } from '../../database/lease';
import { guarded } from '../../database/limited';
import { DomainError } from '../../errors';
import { DAY_MS, HOUR_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';
import { fromStored, toStored } from '../../store/rows/stored-text';
import { oneTenant, type TenantSet } from '../../tenant-set';
import { unzipped } from './piece-bytes';

/** A run that is being made. */
export interface BegunRun {
  readonly tenantId: number;
  readonly runId: string;
  readonly createdAt: string;
}

/** What a schedule says of a run. */
export interface NewRun {
  readonly runId?: string;
  /** Days that its files are kept. */
  readonly days?: number;
}

/** A run that is done. */
export interface StoredRun {
  readonly tenantId: number;
  readonly runId: string;
  /** Over: its files were removed. */
  readonly state: 'done' | 'over';
  readonly expiresAt: string;
  readonly manifest: string;
  readonly note: string;
}

interface RunRow {
  readonly tenant_id: number;
  readonly run_id: string;
  readonly state: string;
  readonly expires_at: Date | string;
  readonly manifest: string;
  readonly note: string;
}

const RUN_COLUMNS = Prisma.raw(
  'r.tenant_id, r.run_id::text AS run_id, r.state, r.expires_at, r.manifest, r.note',
);

/** Pieces that one statement reads: a megabyte, once they are inflated. */
const PIECES_AT_ONCE = 4;
/** Runs that one round of the background clears. */
const CLEARED_AT_ONCE = 20;
/** A piece is stored within this time, or never. */
const LATE_MS = 60_000;

/** Stores runs and their files. */
export class RunStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly owner: OwnerDoor,
    private readonly days: number = LIMITS.reportDays,
    private readonly bytesMax: number = LIMITS.reportBytesMax,
  ) {}

  /** @throws DomainError `rate_limited` while the files of the tenant's runs take too many bytes */
  async begin(
    tenantId: number,
    reportId: string,
    createdBy: string,
    { runId = randomUUID(), days = this.days }: NewRun = {},
  ): Promise<BegunRun> {
    const now = await guarded(() => databaseTime(this.service.models));
    await this.#needRoom(tenantId);
    await guarded(() =>
      this.service.run(
        `INSERT INTO report_run (tenant_id, run_id, report_id, state, created_by, created_at, expires_at)
         SELECT t.tenant_id, $2::uuid, $3::text, 'making', $4::text, $5::timestamptz, $6::timestamptz
         FROM tenant t WHERE t.tenant_id = $1::int AND $7::bigint > 0`,
        [
          ...[tenantId, runId, reportId, toStored(createdBy), now],
          ...[new Date(now.getTime() + days * DAY_MS), this.bytesMax],
        ],
        oneTenant(tenantId),
      ),
    );
    // From here on the run is being made. After a crash its pieces are removed with it in the background.
    return { tenantId, runId, createdAt: now.toISOString() };
  }

  /** A statement of its own: on a distributed database, an INSERT that reads its own table cannot return rows. */
  async #needRoom(tenantId: number): Promise<void> {
    const [taken] = await guarded(() =>
      this.service.run(
        `SELECT coalesce(sum(r.bytes), 0)::float8 AS bytes FROM report_run r
         WHERE r.tenant_id = $1::int AND r.state <> 'over'`,
        [tenantId],
        oneTenant(tenantId),
      ),
    );
    if (Number(taken?.bytes ?? 0) < this.bytesMax) return;
    throw new DomainError('rate_limited', {
      public: 'The reports of this tenant take all the room that they may. Older ones are removed with time.',
      retryAfterSeconds: HOUR_MS / 1000,
    });
  }

  /** @param bytes as `zipped` makes them */
  async put({ tenantId, runId }: BegunRun, format: string, piece: number, bytes: Buffer): Promise<void> {
    await guarded(() =>
      this.service.run(
        `INSERT INTO report_piece (tenant_id, run_id, format, piece, bytes)
         SELECT r.tenant_id, r.run_id, $3::text, $4::int, $5::bytea FROM report_run r
         WHERE r.tenant_id = $1::int AND r.run_id = $2::uuid AND r.state = 'making'`,
        [tenantId, runId, format, piece, bytes],
        oneTenant(tenantId),
      ),
    );
  }

  /**
   * Ends the making of a run, in the order of the tenant's runs.
   * @param sign gets the number of the run and the manifest before it; null: it is the first
   * @throws DomainError `service_unavailable` if it was given up meanwhile
   */
  async finish(
    { tenantId, runId }: BegunRun,
    bytes: number,
    sign: (number: number, before: string | null) => { readonly manifest: string; readonly note: string },
  ): Promise<void> {
    await guarded(() =>
      this.service.steps(oneTenant(tenantId), async (step) => {
        await step(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.reports}, $1::int)`, [tenantId]);
        const [last] = await step<{ number: number; manifest: string }>(
          `SELECT number, manifest FROM report_run WHERE tenant_id = $1::int AND number IS NOT NULL
           ORDER BY number DESC LIMIT 1`,
          [tenantId],
        );
        const number = (last?.number ?? 0) + 1;
        const { manifest, note } = sign(number, last?.manifest ?? null);
        const done = await step(
          `UPDATE report_run SET state = 'done', number = $3::int, manifest = $4::text, note = $5::text, bytes = $6::bigint
           WHERE tenant_id = $1::int AND run_id = $2::uuid AND state = 'making' RETURNING run_id`,
          [tenantId, runId, number, manifest, note, bytes],
        );
        if (done.length === 0) throw givenUp();
      }),
    );
    // From here on the run is there, and never changes.
  }

  /** Gives a run up. The background removes its pieces. */
  async abandon({ tenantId, runId }: BegunRun): Promise<void> {
    await this.service.run(
      `UPDATE report_run SET expires_at = created_at WHERE tenant_id = $1::int AND run_id = $2::uuid AND state = 'making'`,
      [tenantId, runId],
      oneTenant(tenantId),
    );
  }

  /** Gives up a run that another instance may still make: it cannot end it from here on. */
  async giveUp(tenantId: number, runId: string): Promise<void> {
    await this.owner.models.reportRun.updateMany({
      where: { tenantId, runId, state: 'making' },
      data: { state: 'given-up', expiresAt: new Date(0) },
    });
  }

  /** The newest runs of each report. */
  async newest(tenants: TenantSet, limit: number): Promise<readonly StoredRun[]> {
    const statement = this.service.each(tenants)(
      (tenant) => Prisma.sql`
        SELECT r.tenant_id, r.run_id, r.state, r.created_at, r.expires_at, r.manifest, r.note, r.report_id,
          row_number() OVER (PARTITION BY r.report_id ORDER BY r.created_at DESC, r.run_id) AS place
        FROM report_run r WHERE r.tenant_id = ${tenant} AND r.state = 'done'`,
    );
    const rows = await guarded(() =>
      this.service.ask<RunRow>(
        Prisma.sql`SELECT ${RUN_COLUMNS} FROM (${statement}) r WHERE r.place <= ${limit}::int
          ORDER BY r.created_at DESC, r.run_id`,
        tenants,
      ),
    );
    return rows.map(toRun);
  }

  /** @returns null: no tenant of the set has such a run, or it is not done */
  async find(tenants: TenantSet, runId: string): Promise<StoredRun | null> {
    const statement = this.service.each(tenants)(
      (tenant) => Prisma.sql`SELECT ${RUN_COLUMNS} FROM report_run r
        WHERE r.tenant_id = ${tenant} AND r.run_id = ${runId}::uuid AND r.number IS NOT NULL`,
    );
    const [row] = await guarded(() => this.service.ask<RunRow>(statement, tenants));
    return row ? toRun(row) : null;
  }

  /** The bytes of a file, in order. @throws Error when a piece is missing */
  async *file({ tenantId, runId }: Pick<StoredRun, 'tenantId' | 'runId'>, format: string, bytes: number) {
    let sent = 0;
    for (let from = 0; sent < bytes; from += PIECES_AT_ONCE) {
      const statement = Prisma.sql`SELECT p.bytes FROM report_piece p
        WHERE p.tenant_id = ${tenantId}::int AND p.run_id = ${runId}::uuid AND p.format = ${format}
          AND p.piece >= ${from}::int AND p.piece < ${from + PIECES_AT_ONCE}::int ORDER BY p.piece`;
      const rows = await guarded(() =>
        this.service.ask<{ bytes: Uint8Array }>(statement, oneTenant(tenantId)),
      );
      if (rows.length === 0) throw new Error('a piece of a report is missing');
      for (const row of rows) {
        const piece = await unzipped(row.bytes);
        sent += piece.length;
        yield piece;
      }
    }
  }

  /**
   * Removes the files of runs that are over, and those of runs that nobody makes any more. A piece of the latter may be on
   * its way still, so they take no further one first, and lose theirs when none can come. @returns how many
   */
  async clear(): Promise<number> {
    const { models } = this.owner;
    const now = await databaseTime(models);
    const lostSince = new Date(now.getTime() - 2 * LIMITS.reportMs);
    await models.reportRun.updateMany({
      where: {
        state: { in: ['making', 'given-up'] },
        OR: [{ expiresAt: { lte: now } }, { createdAt: { lte: lostSince } }],
      },
      data: { state: 'ending', expiresAt: new Date(now.getTime() + LATE_MS) },
    });
    const over = await models.reportRun.findMany({
      where: { state: { in: ['done', 'ending'] }, expiresAt: { lte: now } },
      select: { tenantId: true, runId: true },
      take: CLEARED_AT_ONCE,
    });
    for (const run of over) {
      await models.reportPiece.deleteMany({ where: run });
      await models.reportRun.updateMany({ where: run, data: { state: 'over', bytes: 0 } });
    }
    return over.length === CLEARED_AT_ONCE ? over.length : 0;
  }
}

/** An erasure gives up the runs that are being made, since they may have read what it removes. */
const givenUp = () =>
  new DomainError('service_unavailable', {
    public:
      'The report was given up while it was made, as it is when events of the tenant are erased. Make it again.',
    retryAfterSeconds: 1,
  });

const toRun = ({ tenant_id, run_id, state, expires_at, manifest, note }: RunRow): StoredRun => ({
  tenantId: tenant_id,
  runId: run_id,
  state: state === 'over' ? 'over' : 'done',
  expiresAt: new Date(expires_at).toISOString(),
  manifest: fromStored(manifest),
  note,
});
