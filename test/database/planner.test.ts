import { Prisma } from '../../src/database/clients';
import { parseTicks } from '../../src/event/event-time';
import type { AuditEventFilter, AuditEventQuery } from '../../src/event/query';
import { recordIdFloor } from '../../src/event/record-id';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { oneTenant, tenantSet } from '../../src/tenant-set';
import { describeOnPostgres } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { Store } from '../support/store';

describeOnPostgres('the settings of the planner', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open('postgresql');
  });
  afterAll(() => store.close());

  const SETTINGS = Prisma.sql`SELECT current_setting('jit') AS jit,
    current_setting('max_parallel_workers_per_gather') AS processes, current_setting('enable_seqscan') AS whole`;
  const { text, values } = SETTINGS;
  const routes = (): [string, Promise<unknown>, 'off' | 'on'][] => {
    const { service, owner, migrator } = store.database;
    const tenants = oneTenant(store.tenantId);
    return [
      ['prisma', service.models.$queryRaw(SETTINGS), 'off'],
      ['run', service.run(text, values, []), 'off'],
      ['steps', service.steps(tenants, (step) => step(text, values)), 'off'],
      ['snapshot', service.snapshot(tenants, (step) => step(text, values)), 'off'],
      ['ask', service.ask(SETTINGS, tenants), 'off'],
      ['background', owner.models.$queryRaw(SETTINGS), 'on'],
      ['askOwner', owner.ask(SETTINGS), 'on'],
      ['migrator', migrator.models.$queryRaw(SETTINGS), 'on'],
    ];
  };

  it('no statement is compiled or takes further processes, and those of requests read by an index', async () => {
    for (const [route, asked, whole] of routes())
      expect([route, await asked]).toEqual([route, [{ jit: 'off', processes: '0', whole }]]);
  });

  /** How often the statements that one connection has asked most were planned for any values, and for their own. */
  const plansOf = async (part: string) => {
    const [row] = await store.database.service.ask(
      Prisma.sql`SELECT coalesce(sum(p.generic_plans), 0)::int AS any, coalesce(sum(p.custom_plans), 0)::int AS own
        FROM pg_prepared_statements p WHERE strpos(p.statement, ${part}) > 0 AND strpos(p.statement, 'pg_prepared') = 0`,
      oneTenant(store.tenantId),
    );
    return row;
  };
  const TIMES = 9;
  const RANGE = { from: parseTicks('2026-01-14T10:20:30Z'), to: parseTicks('2026-01-15T11:21:31Z') };
  const WORD = { ...NO_FILTER, ...RANGE, search: [{ kind: 'word', text: 'invoices' }] } as const;
  const paged = (filter: AuditEventFilter): AuditEventQuery => ({
    filter,
    sort: 'recordId',
    descending: true,
    page: 1,
    pageSize: 20,
  });

  it('a statement of a snapshot is kept prepared where it is to be planned once, and else is not', async () => {
    const { service } = store.database;
    const tenants = oneTenant(store.tenantId);
    const kept = await service.snapshot(tenants, async (step) => {
      for (let i = 0; i < 2; i++) {
        await step('SELECT $1::int AS kept_once', [i], 'once');
        await step('SELECT $1::int AS not_kept', [i]);
        await step('SELECT $1::int AS not_kept', [i], 'each');
      }
      return step(
        `SELECT p.statement, (p.generic_plans + p.custom_plans)::int AS uses FROM pg_prepared_statements p
        WHERE p.statement ~ '^SELECT .1::int AS (kept_once|not_kept)$'`,
        [],
      );
    });
    expect(kept).toEqual([{ statement: 'SELECT $1::int AS kept_once', uses: 2 }]);
  });

  it('a statement with a word is planned for its values each time, however often a connection asks it', async () => {
    const { service } = store.database;
    const tenants = tenantSet([store.tenantId]);
    const reader = new PostgresAuditEventReader(service);
    const explorer = new PostgresAuditEventExplorer(service);
    const source = new PostgresExportSource(service);
    const facets = { fields: ['actionId'], limit: 10, contains: null } as const;
    const questions: [string, () => Promise<unknown>, number][] = [
      ['hit AS', () => reader.page(tenants, paged(WORD)), 1],
      ['AS bucket', () => explorer.histogram(tenants, WORD, 60), 1],
      ['AS facet', () => explorer.facets(tenants, WORD, facets), 1],
      [
        'AS before',
        async () => {
          await source.plan(tenants, WORD);
          await source.page(tenants, WORD, { after: recordIdFloor(0n), upTo: recordIdFloor(RANGE.to ?? 0n) });
        },
        1,
      ],
    ];
    for (const [part, question, statements] of questions) {
      const before = await plansOf(part);
      for (let i = 0; i < TIMES; i++) await question();
      const now = await plansOf(part);
      expect([part, now?.any]).toEqual([part, before?.any]);
      expect(Number(now?.own) - Number(before?.own)).toBeGreaterThanOrEqual(TIMES * statements);
    }
  });

  it('a statement that counts answer is planned anew only a few times', async () => {
    const reader = new PostgresAuditEventReader(store.database.service);
    for (let i = 0; i < TIMES; i++)
      await reader.page(tenantSet([store.tenantId]), paged({ ...NO_FILTER, ...RANGE, actionId: 'SL' }));
    const [row] = await store.database.service.ask(
      Prisma.sql`SELECT p.generic_plans::int AS any, p.custom_plans::int AS own FROM pg_prepared_statements p
        ORDER BY p.prepare_time DESC LIMIT 1 OFFSET 1`,
      oneTenant(store.tenantId),
    );
    expect(row).toEqual({ any: TIMES - 5, own: 5 });
  });
});
