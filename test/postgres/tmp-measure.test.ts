import { Calendar } from '../../bench/data/calendar';
import { EventSource } from '../../bench/data/event-source';
import { sharesOf } from '../../bench/data/tenants';
import { checkEvent } from '../../src/ingest/check-event';
import { PostgresAuditEventWriter } from '../../src/postgres/audit-event.writer';
import { Folder } from '../../src/postgres/counts/fold';
import { openDatabase } from '../../src/postgres/database';
import { migrate } from '../../src/postgres/migrate';
import { Partitions } from '../../src/postgres/partitions';
import { Indexer } from '../../src/postgres/search/indexer';
import { Client } from 'pg';

const SERVER = process.env.TEST_DATABASE_URL ?? '';
it.each([[90, 'm90'], [1, 'm1']] as const)('load %d days', async (days, name) => {
  const admin = new Client({ connectionString: SERVER });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const db = await openDatabase({ databaseUrl: url.href, dataDir: '/tmp/x' });
  await migrate(db.migrator);
  const writer = new PostgresAuditEventWriter(db.prisma, new Partitions(db.migrator));
  const N = 200_000;
  let json = 0, insertMs = 0, n = 0;
  const shares = sharesOf(N);
  const calendar = days === 90 ? new Calendar() : new Calendar(days);
  for (const [i, share] of shares.entries()) {
    const { tenantId } = await db.prisma.tenant.create({ data: { name: `T${i}` } });
    const source = new EventSource(i, share, calendar);
    for (let b = 0; b < source.batches; b++) {
      const text = source.batch(b);
      json += text.length;
      const events = (JSON.parse(text) as unknown[]).map((e) => {
        const c = checkEvent(tenantId, e, Date.now());
        if ('rejection' in c) throw new Error(c.rejection.message);
        return c.event;
      });
      const t = performance.now();
      n += await writer.insert(tenantId, events);
      insertMs += performance.now() - t;
    }
  }
  const folder = new Folder(db.migrator);
  let t = performance.now();
  while ((await folder.run()) > 0);
  await folder.run();
  const foldMs = performance.now() - t;
  const indexer = new Indexer(db.migrator, 0);
  t = performance.now();
  while ((await indexer.run()) > 0);
  const indexMs = performance.now() - t;
  const q = async (sql: string) => db.migrator.$queryRawUnsafe(sql);
  for (const table of ['audit_event', 'audit_count', 'audit_segment', 'audit_word', 'audit_dim', 'audit_delta']) {
    await db.migrator.$executeRawUnsafe(`VACUUM (ANALYZE) ${table}`);
  }
  console.log(JSON.stringify({ name, n, jsonPerEvent: json / n, insertMs, rate: n / insertMs * 1000, foldMs, indexMs,
    tables: await q(`SELECT coalesce(p.relname, c.relname)::text AS t, count(*)::int AS parts, sum(pg_table_size(c.oid))::float8 / ${n} AS table_b, sum(pg_indexes_size(c.oid))::float8 / ${n} AS index_b
      FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
      WHERE c.relkind = 'r' AND (c.relname LIKE 'audit_%') GROUP BY 1`),
    idx: await q(`SELECT regexp_replace(c.relname, '_\\d{8}', '')::text AS i, sum(pg_relation_size(c.oid))::float8 / ${n} AS b FROM pg_class c WHERE c.relkind = 'i' AND c.relname LIKE 'audit_%' GROUP BY 1 ORDER BY 2 DESC`),
    rows: await q(`SELECT (SELECT count(*) FROM audit_count)::int AS counts, (SELECT count(*) FROM audit_count WHERE grain = 1)::int AS hourly, (SELECT count(*) FROM audit_dim)::int AS dims, (SELECT count(*) FROM audit_segment)::int AS segments, (SELECT count(*) FROM audit_word)::int AS words`) }, null, 1));
  await db.close();
}, 900_000);
