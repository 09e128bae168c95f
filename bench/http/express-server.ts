import { randomUUID } from 'node:crypto';
import express from 'express';
import { Pool } from 'pg';
import { pino } from 'pino';
import { Authenticator } from '../../src/caller/authenticate';
import type { KeyStore, StoredKey } from '../../src/caller/key-store';
import { RedisLimiter, RedisLink } from '../../src/caller/rate-limit/limiter';
import { formatTicks } from '../../src/event/event-time';
import { ticksOfRecordId } from '../../src/event/record-id';
import { API_VERSION } from '../../src/version';
import { type CapturedStatement, pageStatement } from './captured-statement';

// The comparison for the façade's list page: the same answer by a hand-written server with Express 5 and pg. It has the
// same statement, key check and limiter, and no GraphQL, Prisma, checks of parameters or log.

const POOL_MAX = 10;
const { DATABASE_URL = '', REDIS_URL = '', STATEMENTS = 'unnamed' } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL, max: POOL_MAX });

/** The look-up of a key. The cache before it is that of the product. */
const keys = {
  async findByHash(keyHash: Uint8Array): Promise<StoredKey | null> {
    const { rows } = await pool.query(
      `SELECT key_id AS "keyId", kind, name, key_hash AS "keyHash", scopes, tenant_ids AS "tenantIds",
         allowed_addresses AS "allowedAddresses", rate_limit_per_minute AS "rateLimitPerMinute", expires_at AS "expiresAt", revoked_at AS "revokedAt"
       FROM api_key WHERE key_hash = $1`,
      [keyHash],
    );
    return rows[0] ?? null;
  },
} as KeyStore;

const statements = new Map<string, CapturedStatement>();
async function statementOf(
  tenantIds: readonly number[],
  page: number,
  pageSize: number,
): Promise<CapturedStatement> {
  const about = `${tenantIds} ${page} ${pageSize}`;
  const known = statements.get(about);
  if (known) return known;
  const captured = await pageStatement(tenantIds, { page, pageSize });
  statements.set(about, captured);
  return captured;
}

const authenticator = new Authenticator(keys);
const link = new RedisLink(REDIS_URL, pino({ level: 'silent' }));
const limiter = new RedisLimiter(link);
const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.get('/api/v1/public/audit-activity', async (request, response) => {
  const principal = await authenticator.authenticate(request.get('X-Api-Key'));
  if (principal?.kind !== 'public') return void response.status(401).end();
  const limit = principal.rateLimitPerMinute ?? 60;
  const decision = await limiter.admit(`rest:${principal.keyId}`, limit);
  if (!decision.admitted) return void response.status(429).end();
  const [page, pageSize] = [Number(request.query.page ?? 1), Number(request.query.pageSize ?? 20)];
  const { text, values } = await statementOf(principal.tenantIds, page, pageSize);
  const { rows } = await pool.query({
    text,
    values: [...values],
    ...(STATEMENTS === 'named' ? { name: 'page' } : {}),
  });
  const totalCount = Number(rows[0]?.total ?? 0);
  const totalPages = Math.ceil(totalCount / pageSize);
  response.set({
    'X-Request-Id': randomUUID(),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'RateLimit-Policy': `"key";q=${limit};w=60`,
    RateLimit: `"key";r=${decision.remaining};t=${Math.ceil(decision.waitMs / 1000)}`,
  });
  response.json({
    data: totalCount === 0 ? [] : rows.map(toItem),
    meta: {
      totalCount,
      page,
      pageSize,
      totalPages,
      hasPreviousPage: page > 1,
      hasNextPage: page < totalPages,
      timestamp: new Date().toISOString(),
      apiVersion: API_VERSION,
    },
  });
});

function toItem(row: Record<string, unknown>) {
  const recordId = row.record_id as string;
  return {
    recordId,
    tenantId: String(row.tenant_id),
    eventTime: formatTicks(ticksOfRecordId(recordId)),
    actionId: row.action_id,
    succeeded: row.succeeded,
    serverInstanceName: row.server_instance_name || null,
    databaseName: row.database_name || null,
    schemaName: row.schema_name || null,
    objectName: row.object_name || null,
    serverPrincipalName: row.server_principal_name || null,
    databasePrincipalName: row.database_principal_name || null,
    applicationName: row.application_name || null,
    hostName: row.host_name || null,
    clientIp: row.client_ip || null,
    sourceType: row.source_type || null,
    statementPreview: row.statement_preview ? String(row.statement_preview).slice(0, 200) : null,
  };
}

link.connected().then(() => {
  const server = app.listen(0, '127.0.0.1', () => {
    process.stdout.write(`listening on http://127.0.0.1:${(server.address() as { port: number }).port}\n`);
  });
});
process.once('SIGTERM', () => process.exit(0));
