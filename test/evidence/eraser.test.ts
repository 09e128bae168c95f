import 'reflect-metadata';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { OwnerDoor } from '../../src/database/clients';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { LIMITS } from '../../src/limits';
import { Eraser } from '../../src/modules/evidence/erasure/eraser';
import { ErasureResolver, type Holds } from '../../src/modules/evidence/erasure/erasure.resolver';
import { ErasureStore } from '../../src/modules/evidence/erasure/erasure.store';
import { PostgresEvidenceStore } from '../../src/modules/evidence/evidence.store';
import { LogChecker } from '../../src/modules/evidence/log-check';
import { countHeld as countOfHeld, heldBy } from '../../src/modules/tenants/holds/held';
import { HoldStore } from '../../src/modules/tenants/holds/hold.store';
import { Archive, openArchive } from '../../src/store/archive/archive';
import { GoneSeal } from '../../src/store/log/arrivals/gone-seal';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { ErasureFiles } from '../../src/store/log/evidence/erasure-files';
import { oneTenant } from '../../src/tenant-set';
import { ArchiveTrial } from '../archive/archive-trial';
import { AN_ATTEMPT } from '../support/attempt';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { useLimits } from '../support/use-limits';
import { LogTrial } from './support';

/** It stands in the erased events and in what was made of them, and nowhere else. */
const NEEDLE = 'Kellermann';
const ERASED = `CORP\\${NEEDLE}`;
const SEALED_WEEK = '2026-01-05T00:00:00Z';
const [EVENTS, GONE] = [24, 6];
/** The hour of the first event of the findings, in ticks. */
const WHOLE_HOUR = '17676000000000000';
/** More statements than the erasure has. */
const CUTS_MAX = 300;
/** An attempt takes longest on the distributed engine. */
const STRIDE = { embedded: 2, postgresql: 2, citus: 11 };

describe.each(ENGINES)('the eraser on %s', (engine) => {
  useLimits({ erasureStepEvents: 4, archiveAnnounceMs: 0 });
  let store: Store;
  let archive: ArchiveTrial;
  let trial: LogTrial;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'eraser-'));
    store = await Store.open(engine);
    archive = await ArchiveTrial.open(store);
  });
  beforeEach(async () => {
    store = await store.forNewTenant();
    trial = new LogTrial(store);
  });
  afterAll(async () => {
    await archive.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  const keys = { own: TEST_CHECKPOINT_KEY, others: [], former: [] };
  const log = pino({ level: 'silent' });
  const now = () => new Date('2026-03-01T00:00:00Z');
  const heldOf: Holds['of'] = async (tenantId) => {
    const inForce = await new HoldStore(store.database.service).inForce(oneTenant(tenantId), now());
    return heldBy(inForce.map(({ filter }) => filter));
  };
  const countHeld: Holds['count'] = (tx, tenantId, ids) => countOfHeld(tx, tenantId, ids, now());
  function eraserOn(
    owner: OwnerDoor = store.database.owner,
    { signal = new AbortController().signal, count = countHeld, lateMs = 0 } = {},
  ): Eraser {
    openArchive(new Archive(archive.tenants, archive.cache, archive.worker), owner);
    const { migrator } = store.database;
    return new Eraser({
      owner,
      migrator,
      keys,
      holds: { of: heldOf, count },
      files: filesOn(owner),
      signal,
      now: () => new Date(now().getTime() + lateMs),
      log,
    });
  }
  const filesOn = (owner: OwnerDoor = store.database.owner) => new ErasureFiles(owner, folder);
  const erasures = () => new ErasureStore(store.database.service, now);
  const rows = (table: string) =>
    store.query<Record<string, unknown>>(`SELECT * FROM ${table} WHERE tenant_id = $1`, store.tenantId);

  /** Stores events of two weeks, the first of them sealed, and asks for the erasure of some of both. */
  async function begun() {
    const events = store.checked(
      Array.from({ length: EVENTS }, (_, i) => ({
        eventTime: `2026-01-${String(5 + (i % 12)).padStart(2, '0')}T08:00:00.00000${10 + i}Z`,
        ...(i % 4 === 1 && { serverPrincipalName: ERASED, statement: `SELECT '${NEEDLE}' -- ${i}` }),
      })),
    );
    await store.insert(events);
    await archive.settle();
    await trial.run();
    expect(await archive.seal(SEALED_WEEK, store.tenantId)).toMatchObject({ outcome: 'sealed' });
    const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, { principalName: ERASED }));
    const ids = await erasures().find(store.tenantId, filter);
    expect(ids).toHaveLength(GONE);
    await erasures().begin(store.tenantId, ids, 'case 7', AN_ATTEMPT);
    return { ids, filter, events };
  }

  const checked = () => {
    const { service } = store.database;
    const checker = new LogChecker(
      new PostgresEvidenceStore(service),
      new PostgresArrivalReader(service),
      keys,
      trial.sequencer,
      new GoneSeal([TEST_CHECKPOINT_KEY]),
    );
    return checker.check(store.tenantId, 0);
  };
  const ended = async () => (await erasures().newest(store.tenantId, 1))[0]?.endedAt != null;

  /** Tables with a text, also in hexadecimal, of the store's tenant or of none. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await store.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
       WHERE s.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const [row] = await store.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM ${name} t WHERE position(lower($1) IN lower(t::text)) > 0
          OR position(encode(convert_to($1, 'UTF8'), 'hex') IN t::text) > 0`,
        text,
      );
      if ((row?.n ?? 0) > 0) found.push(name);
    }
    return found;
  }

  it('is known outside of the database, where one of before has its events again', async () => {
    const { ids } = await begun();
    const tiles = await rows('audit_log_tile');
    const places = await rows('audit_log_place');
    for (let round = 0; !(await ended()); round++) {
      if (round > 20) throw new Error('it does not end');
      await eraserOn().run();
      await trial.run();
    }
    expect(await filesOn().lost()).toEqual([]);
    const [erasure] = await erasures().newest(store.tenantId, 1);
    const put = (tile: Record<string, unknown>, hashes: unknown) =>
      store.query(
        `UPDATE audit_log_tile SET record_ids = $3, hashes = $4 WHERE tenant_id = $1 AND level = 0 AND tile = $2`,
        ...[store.tenantId, tile.tile, tile.record_ids, hashes],
      );
    // As a database of before the erasure: it has the events, and no row of it.
    const now = await rows('audit_log_tile');
    await store.query('DELETE FROM audit_erasure WHERE tenant_id = $1', store.tenantId);
    for (const tile of tiles) await put(tile, tile.hashes);
    const [lost, ...others] = await filesOn().lost();
    expect(others).toEqual([]);
    expect(lost).toMatchObject({ erasureId: erasure?.erasureId, reason: 'case 7', events: GONE });
    expect([...(lost?.recordIds ?? [])].sort()).toEqual([...ids].sort());
    const eraser = eraserOn();
    await eraser.look();
    expect(eraser.healthy).toBe(false);
    // Another log has other events at these places, and one that is shorter has none.
    for (const tile of tiles) await put(tile, Buffer.alloc(Buffer.from(tile.hashes as Buffer).length, 7));
    expect(await filesOn().lost()).toEqual([]);
    for (const tile of tiles) await put(tile, Buffer.alloc(0));
    expect(await filesOn().lost()).toEqual([]);
    // The events are erased again: nothing is left to do.
    for (const tile of now) await put(tile, tile.hashes);
    expect(await filesOn().lost()).toEqual([]);
    await eraser.look();
    expect(eraser.healthy).toBe(true);
    // The ids of the events are there again, and now they are erased again by that of the erasure.
    for (const [i, tile] of now.entries()) {
      const [own, before] = [tile, tiles[i]].map((one) => Buffer.from((one?.record_ids ?? []) as Buffer));
      const record_ids = Buffer.concat([before ?? [], own?.subarray(before?.length ?? 0) ?? []] as Buffer[]);
      await put({ ...tile, record_ids }, tile.hashes);
    }
    await store.query('DELETE FROM audit_log_place WHERE tenant_id = $1', store.tenantId);
    for (const { hour, tile, first_id, last_id } of places)
      await store.query(
        'INSERT INTO audit_log_place (tenant_id, hour, tile, first_id, last_id) VALUES ($1, $2, $3, $4, $5)',
        ...[store.tenantId, hour, tile, first_id, last_id],
      );
    const tenantId = String(store.tenantId);
    const resolver = new ErasureResolver(
      erasures(),
      { existing: async () => [store.tenantId] } as never,
      { of: async () => 'nothing' },
      filesOn(),
    );
    const again = (...erasureIds: string[]) =>
      resolver.repeatErasures({ tenantId, erasureIds }, { attempt: () => AN_ATTEMPT } as never);
    const unknown = '01964000-0000-7000-8000-000000000001';
    await expect(again(lost?.erasureId ?? '', unknown)).rejects.toThrow(unknown);
    expect(await again(lost?.erasureId ?? '')).toMatchObject({ events: GONE, reason: 'case 7' });
    await expect(again(lost?.erasureId ?? '')).rejects.toThrow('goes on');
    for (let round = 0; !(await ended()); round++) {
      if (round > 20) throw new Error('it does not end');
      await eraserOn().run();
      await trial.run();
    }
    expect(await filesOn().lost()).toEqual([]);
  });

  it('says why an erasure waits whose note has no room, and erases nothing until it has', async () => {
    const { filter } = await begun();
    const noRoom = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const note = jest.spyOn(ErasureFiles.prototype, 'note').mockRejectedValue(noRoom);
    const eraser = eraserOn();
    const round = async () => {
      await trial.run();
      await eraser.look();
      await eraser.run().catch(() => {});
    };
    try {
      for (let i = 0; i < 4; i++) await round();
      const [waiting] = await erasures().newest(store.tenantId, 1);
      expect(waiting?.problem).toContain('the disk of DATA_DIR is full');
      expect(eraser.healthy).toBe(false);
      expect(await erasures().find(store.tenantId, filter)).toHaveLength(GONE);
    } finally {
      note.mockRestore();
    }
    for (let i = 0; !(await ended()); i++) {
      if (i > 20) throw new Error('it does not end');
      await round();
    }
    expect(eraser.healthy).toBe(true);
  });

  it('ends with its step when the service stops, and another instance goes on at once', async () => {
    await begun();
    await trial.run();
    await eraserOn().run();
    await trial.run();
    const stopping = new AbortController();
    let steps = 0;
    const count: Holds['count'] = (...of) => {
      stopping.abort();
      steps++;
      return countHeld(...of);
    };
    await eraserOn(undefined, { signal: stopping.signal, count }).run();
    expect([steps, await ended()]).toEqual([1, false]);
    expect(await checked()).toMatchObject({ missing: [], altered: [], problems: [] });
    await eraserOn(undefined, { signal: stopping.signal, count }).run();
    expect(steps).toBe(1);
    await eraserOn().run();
    expect(await ended()).toBe(true);
    expect(await tablesWith(NEEDLE)).toEqual([]);
  });

  it('goes on wherever it was cut off, and the log explains each event in between', async () => {
    const { ids } = await begun();
    let cuts = 0;
    for (let at = 1; !(await ended()); at += STRIDE[engine]) {
      if (at > CUTS_MAX) throw new Error('it does not end');
      const killed = dyingAt(store.database.owner, at);
      await eraserOn(killed.owner)
        .run()
        .catch(() => {});
      if (killed.isDead()) cuts++;
      // The lease of an instance that was killed ends with time.
      await store.query(
        `UPDATE audit_erasure SET held_until = '2000-01-01' WHERE tenant_id = $1`,
        store.tenantId,
      );
      await trial.run();
      const check = await checked();
      expect({ at, ...check }).toMatchObject({ at, missing: [], altered: [], problems: [] });
      expect(check.sound + check.erased).toBe(check.signed);
    }
    expect(cuts).toBeGreaterThan(40 / STRIDE[engine]);
    expect(await checked()).toMatchObject({ signed: EVENTS + 2, sound: EVENTS + 1 - GONE, erased: GONE + 1 });
    expect(await tablesWith(NEEDLE)).toEqual([]);
    for (const id of ids) expect(await tablesWith(id)).toEqual([]);
    const own = await store.query<{ subject: string }>(
      `SELECT subject FROM access_log WHERE operation = 'eraseEvents' AND $1 = ANY(tenant_ids) AND outcome = 'ok'`,
      store.tenantId,
    );
    expect(own).toHaveLength(1);
    const sealedAgain = await archive.settle().then(() => archive.seal(SEALED_WEEK, store.tenantId));
    expect(sealedAgain).toMatchObject({ outcome: 'sealed' });
    expect(await checked()).toMatchObject({ sound: EVENTS + 1 - GONE, erased: GONE + 1, problems: [] });
  });

  it('goes on behind fifty tenants whose erasures wait', async () => {
    const own = store;
    const tenants: number[] = [];
    while (tenants.length < 50) tenants.push((await store.forNewTenant()).tenantId);
    store = await store.forNewTenant();
    trial = new LogTrial(store);
    await begun();
    await own.query(
      `INSERT INTO audit_erasure (tenant_id, erasure_id, at, erased_by, reason, events)
       SELECT t.id, gen_random_uuid(), now(), 'x', 'x', 0 FROM unnest($1::int[]) AS t(id)`,
      tenants,
    );
    try {
      await eraserOn().run();
      expect((await rows('audit_erasure'))[0]?.entry).not.toBeNull();
    } finally {
      await own.query('DELETE FROM audit_erasure WHERE tenant_id = ANY($1::int[])', tenants);
      await own.query('DELETE FROM audit_log_queue WHERE tenant_id = ANY($1::int[])', tenants);
    }
  });

  it('adds one entry and ends once if another instance has done both since it looked', async () => {
    await begun();
    const other = eraserOn();
    const late = () => eraserOn(afterOpen(store.database.owner, () => other.run()));
    await late().run();
    await trial.run();
    expect(await checked()).toMatchObject({ signed: EVENTS + 2, sound: EVENTS + 1 });
    await late().run();
    expect(await ended()).toBe(true);
    await trial.run();
    expect(await checked()).toMatchObject({ signed: EVENTS + 2, sound: EVENTS + 1 - GONE, erased: GONE + 1 });
    const own = await store.query(
      `SELECT FROM access_log WHERE operation = 'eraseEvents' AND $1 = ANY(tenant_ids) AND outcome = 'ok'`,
      store.tenantId,
    );
    expect(own).toHaveLength(1);
  });

  it('erases nothing while the log has its entry, and no checkpoint has signed it', async () => {
    await begun();
    await trial.run();
    await eraserOn().run();
    const before = await tablesWith(NEEDLE);
    expect(before).toContain('audit_event');
    const unsigned = new LogTrial(store, TEST_CHECKPOINT_KEY, {}, trial.memory, 3_600_000);
    await unsigned.run();
    expect(await checked()).toMatchObject({ signed: EVENTS + 1, unsigned: 1 });
    for (let round = 0; round < 2; round++) {
      await eraserOn().run();
      expect([await ended(), await tablesWith(NEEDLE)]).toEqual([false, before]);
      expect(await checked()).toMatchObject({ sound: EVENTS + 1, erased: 0 });
    }
    await trial.run();
    await eraserOn().run();
    expect([await ended(), await tablesWith(NEEDLE)]).toEqual([true, []]);
  });

  it('says what it waits for once that takes long, until it goes on', async () => {
    await store.insert(store.checked([{ eventTime: '2026-01-20T08:00:00Z', serverPrincipalName: ERASED }]));
    const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, { principalName: ERASED }));
    const ids = await erasures().find(store.tenantId, filter);
    await erasures().begin(store.tenantId, ids, 'case 7', AN_ATTEMPT);
    const problem = async () => (await erasures().newest(store.tenantId, 1))[0]?.problem;
    const [early, late] = [0, 1].map((more) => eraserOn(undefined, { lateMs: LIMITS.erasureWaitsMs + more }));
    const problems = async () => {
      await early?.run();
      const before = await problem();
      await late?.run();
      return [before, await problem()];
    };
    expect(await problems()).toEqual([null, 'the evidence log does not have all of its events yet']);
    await archive.settle();
    await trial.run();
    await early?.run();
    expect(await problem()).toBeNull();
    expect(await problems()).toEqual([null, 'no checkpoint of the evidence log has signed its entry yet']);
    await trial.run();
    await late?.run();
    expect([await ended(), await problem(), late?.healthy]).toEqual([true, null, true]);
  });

  it('notes an erasure anew whose file is damaged', async () => {
    await begun();
    for (let round = 0; !(await ended()); round++) {
      if (round > 20) throw new Error('it does not end');
      await eraserOn().run();
      await trial.run();
    }
    const [erasure] = await erasures().newest(store.tenantId, 1);
    const file = path.join(folder, 'erasures', `${erasure?.erasureId}.json`);
    const noted = await readFile(file, 'utf8');
    await writeFile(file, noted.slice(0, -9));
    const eraser = eraserOn();
    await eraser.look();
    expect([await readFile(file, 'utf8'), eraser.healthy]).toEqual([noted, true]);
  });

  it('leaves nothing of the events in findings, alerts, incidents, notes, windows, set-aside events and reports', async () => {
    const { ids } = await begun();
    const { models } = store.database.owner;
    const { tenantId } = store;
    const uuid = (n: number) => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`;
    const times = { firstEvent: 1_767_600_000_123_456_7n, lastEvent: 1_767_900_000_123_456_7n };
    const told = {
      title: NEEDLE,
      severity: 3,
      principals: [ERASED],
      instances: ['I'],
      deeds: `["${NEEDLE}"]`,
      ...times,
    };
    const at = now();
    const finding = (n: number, alert: number, recordIds: readonly string[], eventCount = recordIds.length) =>
      models.finding.create({
        data: {
          tenantId,
          findingId: uuid(n),
          alertId: uuid(alert),
          ruleId: uuid(1),
          ruleVersion: 1,
          ...told,
          ...(alert === 9 && { title: 'other', principals: ['CORP\\bob'], deeds: '[]' }),
          groupValues: alert === 9 ? '{}' : `{"login":"${NEEDLE}"}`,
          recordIds: [...recordIds],
          eventCount,
          detectedAt: at,
        },
      });
    const alert = (n: number, others: object = {}) =>
      models.alert.create({
        data: {
          tenantId,
          alertId: uuid(n),
          ruleId: uuid(1),
          status: 'new',
          groupKey: NEEDLE,
          groupValues: `{"login":"${NEEDLE}"}`,
          anchor: times.firstEvent,
          findingCount: 1,
          eventCount: 1n,
          about: `{"login":"${NEEDLE}"}`,
          links: [NEEDLE],
          incidentId: uuid(20),
          createdAt: at,
          updatedAt: at,
          ...told,
          ...others,
        },
      });
    const other = '01964000-0000-8000-8000-000000000001';
    await finding(1, 7, [other, ids[0] ?? '']);
    // It has more events than it names.
    await finding(2, 8, [other], 200);
    await finding(3, 9, [other]);
    await alert(7);
    await alert(8);
    await alert(9, {
      ...{
        title: 'other',
        groupKey: 'x',
        groupValues: '{}',
        principals: [],
        deeds: '[]',
        about: '{}',
        links: [],
      },
      incidentId: null,
    });
    // Rule 40 names an event at which rules failed.
    const unread = (n: number, recordId: string) =>
      alert(n, {
        title: 'Trail unhealthy',
        groupKey: `unread ${n}`,
        groupValues: JSON.stringify({ problem: 'Rules failed at an event', recordId }),
        ...{ principals: [], instances: [], deeds: '[]', about: '{}', links: [] },
        ...{ findingCount: 0, eventCount: 0n, incidentId: null },
      });
    await unread(10, ids[4] ?? '');
    await unread(11, other);
    await models.incident.create({
      data: {
        ...{ tenantId, incidentId: uuid(20), number: 1, title: NEEDLE, severity: 3, status: 'new', ...times },
        ...{ alertCount: 2, eventCount: 1n, rowsRead: 0n, rowsChanged: 0n, touched: false },
        ...{ createdAt: at, updatedAt: at },
      },
    });
    await models.detectionPosition.create({
      data: { tenantId, position: 24n, learned: 24n, learnUntil: 24n, revision: 4 },
    });
    const state = (key: string, body: object) =>
      models.detectionState.create({
        data: { tenantId, node: 'r/1/0', key, touched: 1n, body: JSON.stringify(body) },
      });
    await state('window', { k: 'w', v: {}, b: { entries: [{ r: [ids[1]] }] } });
    await state(`v${ERASED.toLowerCase()}`, { k: 'x', v: { login: ERASED }, b: { first: 1, last: 2 } });
    await state('joined', { k: 'y', v: {}, b: [{ v: `${ERASED.toLowerCase()}\u001fx` }] });
    await state('kept', { k: 'z', v: { login: 'CORP\\alice' }, b: { first: 1, last: 2 } });
    // What receivers answered repeats what they were sent.
    for (const [destinationId, setAside] of [
      [uuid(30), 2],
      [uuid(31), 0],
    ])
      await store.query(
        `INSERT INTO destination (tenant_id, destination_id, name, type, settings, secrets, filter, format, state, position,
           last_error, last_error_at, set_aside)
         VALUES ($1, $2::uuid, 'd', 'webhook', '{}', '', '', 'json', 'active', 0, $3, now(), $4)`,
        ...[tenantId, destinationId, `refused ${NEEDLE}`, setAside],
      );
    await models.alertNotice.create({
      data: {
        ...{ tenantId, noticeId: uuid(32), routeId: uuid(33), alertId: uuid(7), state: 'new', tries: 1 },
        ...{ createdAt: at, nextAt: at, error: `refused ${NEEDLE}` },
      },
    });
    await models.reportSchedule.create({
      data: {
        ...{
          tenantId,
          scheduleId: uuid(34),
          definition: '{}',
          createdBy: 'Ada',
          createdAt: at,
          paused: false,
        },
        ...{ dueAt: at, coveredUntil: at, failures: 4, error: `refused ${NEEDLE}` },
      },
    });
    const schedule = 'a ","error":"x" of Ada';
    await alert(12, {
      title: 'Trail unhealthy',
      groupKey: 'schedule',
      groupValues: JSON.stringify({ problem: 'not sent', schedule, error: `refused "${NEEDLE}" \ud83d` }),
      ...{ principals: [], instances: [], deeds: '[]', about: '{}', links: [] },
      ...{ findingCount: 0, eventCount: 0n, incidentId: null },
    });
    const aside = (position: bigint, recordId: string, message: string) =>
      models.destinationSetAside.create({
        data: { tenantId, destinationId: uuid(30), position, recordId, message, at },
      });
    await aside(1n, ids[2] ?? '', NEEDLE);
    await aside(2n, other, 'too long');
    const run = (n: number, kind: string) =>
      models.reportRun.create({
        data: {
          ...{ tenantId, runId: uuid(n), reportId: 'r', state: kind, createdBy: 'x' },
          createdAt: at,
          expiresAt: at,
        },
      });
    await run(40, 'done');
    await run(41, 'making');
    await models.reportPiece.create({
      data: { tenantId, runId: uuid(40), format: 'csv', piece: 0, bytes: Buffer.from(NEEDLE) },
    });
    await models.backtest.create({
      data: {
        tenantId,
        backtestId: uuid(50),
        rule: 'r',
        since: at,
        state: 'done',
        answer: NEEDLE,
        tries: 1,
        createdAt: at,
      },
    });
    const erased = ids[3] ?? '';
    for (const [n, recordId] of [erased, other].entries()) {
      const about = recordId === erased ? NEEDLE : 'kept';
      const common = { tenantId, recordId, at, holder: 'key 1', note: about };
      await models.eventNote.create({ data: { ...common, noteId: uuid(60 + n), author: 'Ada' } });
      await models.incidentEvent.create({ data: { ...common, incidentId: uuid(20), placedBy: 'Ada' } });
      const change = { tenantId, incidentId: uuid(20), at, actor: 'Ada' };
      for (const [kind, changeId] of [
        ['event_added', uuid(70 + n)],
        ['event_removed', uuid(80 + n)],
      ] as const)
        await models.incidentChange.create({
          data: { ...change, kind, changeId, detail: JSON.stringify({ recordId }), comment: about },
        });
    }
    const before = await tablesWith(NEEDLE);
    expect(before).toEqual(
      expect.arrayContaining(['alert', 'audit_dim', 'audit_event', 'audit_word', 'finding']),
    );
    await eraserOn().run();
    await trial.run();
    await eraserOn().run();
    expect(await ended()).toBe(true);
    expect(await tablesWith(NEEDLE)).toEqual([]);
    for (const id of ids) expect(await tablesWith(id)).toEqual([]);
    // What is left of an alert has whole hours: the time at which its group began goes too.
    expect((await rows('alert')).map(({ anchor }) => `${anchor}`).sort()).toEqual(
      [WHOLE_HOUR, WHOLE_HOUR, WHOLE_HOUR, ...Array<string>(3).fill(`${times.firstEvent}`)].sort(),
    );

    const findings = await rows('finding');
    expect(findings.map(({ title }) => title).sort()).toEqual([
      'Events of this were erased',
      'Events of this were erased',
      'other',
    ]);
    expect(await rows('alert')).toHaveLength(6);
    expect(await tablesWith(other)).toEqual(expect.arrayContaining(['alert']));
    expect((await rows('detection_state')).map(({ key }) => key)).toEqual(['kept']);
    // Whoever has read the rules' windows writes none of them.
    expect((await rows('detection_position'))[0]?.revision).toBeGreaterThan(4);
    expect(await rows('destination_set_aside')).toEqual([expect.objectContaining({ record_id: other })]);
    expect(
      (await rows('destination')).map(({ set_aside, last_error }) => [set_aside, last_error]).sort(),
    ).toEqual([
      [0, null],
      [1, null],
    ]);
    expect(await rows('alert_notice')).toEqual([expect.objectContaining({ tries: 1, error: null })]);
    expect(await rows('report_schedule')).toEqual([expect.objectContaining({ failures: 4, error: null })]);
    const ofSchedule = (await rows('alert')).find(({ group_key }) => group_key === 'schedule');
    expect(ofSchedule).toMatchObject({ title: 'Trail unhealthy' });
    expect(JSON.parse(String(ofSchedule?.group_values))).toEqual({ problem: 'not sent', schedule });
    expect((await rows('report_run')).map(({ state }) => state).sort()).toEqual(['given-up', 'over']);
    expect([await rows('report_piece'), await rows('backtest')]).toEqual([[], []]);
    for (const table of ['event_note', 'incident_event'])
      expect(await rows(table)).toEqual([expect.objectContaining({ record_id: other, note: 'kept' })]);
    expect((await rows('incident_change')).map(({ actor, comment }) => `${actor} ${comment}`).sort()).toEqual(
      ['Ada kept', 'Ada kept', 'Ada null', 'Ada null'],
    );
  });

  it('waits for the end of a hold that was made after it began, and goes on then', async () => {
    await begun();
    await eraserOn().run();
    await trial.run();
    const holds = new HoldStore(store.database.service);
    const spec = { tenantId: store.tenantId, filter: `statement:"-- 5"`, reason: 'case 4711', until: null };
    const hold = await holds.create(spec, 'legal', AN_ATTEMPT);
    if (hold === null || hold === 'too many') throw new Error('no hold');
    const eraser = eraserOn();
    await eraser.run();
    expect((await erasures().newest(store.tenantId, 1))[0]).toMatchObject({
      endedAt: null,
      problem: expect.stringContaining('keep 1 of the next events'),
    });
    expect(eraser.healthy).toBe(true);
    expect(await tablesWith(`'${NEEDLE}' -- 5`)).toEqual(['audit_event']);
    expect(await checked()).toMatchObject({ missing: [], altered: [], problems: [] });
    // The week of the event is put into a file anew, and stays there as long as the hold keeps the event.
    await archive.settle();
    expect(await archive.seal(SEALED_WEEK, store.tenantId)).toMatchObject({ outcome: 'sealed' });
    await eraser.run();
    expect((await rows('audit_sealed_week')).length).toBe(1);
    expect((await erasures().newest(store.tenantId, 1))[0]).toMatchObject({
      problem: expect.stringContaining('keep 1 of the next events'),
    });
    await holds.end(hold.holdId, { reason: 'over', by: 'legal' }, AN_ATTEMPT);
    await eraser.run();
    expect((await erasures().newest(store.tenantId, 1))[0]).toMatchObject({ problem: null });
    expect([await ended(), await tablesWith(NEEDLE)]).toEqual([true, []]);
  });

  it('is asked for once at a time, and for a bounded number of events', async () => {
    const { ids, filter } = await begun();
    await expect(erasures().begin(store.tenantId, ids, 'again', AN_ATTEMPT)).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
    const max = jest.replaceProperty(LIMITS, 'erasureEventsMax', (GONE - 1) as never);
    try {
      await expect(erasures().find(store.tenantId, filter)).rejects.toMatchObject({
        code: 'invalid_parameter',
      });
    } finally {
      max.restore();
    }
    const another = await store.forNewTenant();
    expect(await new ErasureStore(another.database.service, now).find(another.tenantId, filter)).toEqual([]);
  });

  it('leaves what an agent sends again before it has ended, and the log explains each event', async () => {
    const { ids, events } = await begun();
    await eraserOn().run();
    await trial.run();
    let steps = 0;
    const count: Holds['count'] = async (tx, tenantId, some) =>
      tenantId === store.tenantId && ++steps > 1 ? 1 : countHeld(tx, tenantId, some);
    await eraserOn(undefined, { count }).run();
    expect((await erasures().newest(store.tenantId, 1))[0]?.problem).toContain('legal holds');
    const [logged, waiting] = [...ids].sort().map((id) => events.filter(({ recordId }) => recordId === id));
    await store.insert(logged ?? []);
    await trial.run();
    await store.insert(waiting ?? []);
    await eraserOn().run();
    expect(await ended()).toBe(true);
    await trial.run();
    expect(await checked()).toMatchObject({ missing: [], altered: [], problems: [], erased: GONE + 1 });
    expect(await store.count()).toBe(EVENTS - GONE + 2);
  });
});

/** A door that fails from a statement on, also in the middle of a transaction, as if its process were killed. */
function dyingAt(owner: OwnerDoor, at: number) {
  let count = 0;
  const step = () => {
    if (++count >= at) throw new Error('killed');
  };
  const models = counted(owner.models, step);
  const dying: OwnerDoor = {
    ...owner,
    models,
    steps: (work) =>
      owner.steps((run) =>
        work(async (text, values) => {
          step();
          return run(text, values);
        }),
      ),
  };
  return { owner: dying, isDead: () => count >= at };
}

const counted = <T extends object>(target: T, step: () => void): T =>
  new Proxy(target, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (typeof value !== 'function') return value;
      if (name === '$transaction')
        return (work: (tx: object) => Promise<unknown>, ...how: unknown[]) =>
          value.call(
            of,
            async (tx: object) => {
              const done = await work(counted(tx, step));
              // Before the commit.
              step();
              return done;
            },
            ...how,
          );
      return (...given: unknown[]) => {
        step();
        return value.apply(of, given);
      };
    },
  });

/** A door with which something else happens after the first statement, which looks for work. */
function afterOpen(owner: OwnerDoor, then: () => Promise<unknown>): OwnerDoor {
  let isFirst = true;
  const models = new Proxy(owner.models, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        const found: unknown = await value.apply(of, given);
        if (isFirst) {
          isFirst = false;
          await then();
        }
        return found;
      };
    },
  });
  return { ...owner, models };
}
