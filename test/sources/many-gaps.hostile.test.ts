import type { ServiceDoor } from '../../src/database/clients';
import { LIST_OF_TENANTS, NEWEST_GAPS } from '../../src/modules/sources/audit-source.statements';
import { listComplete } from '../../src/modules/sources/list-complete';
import { oneTenant } from '../../src/tenant-set';

const SOURCES = 1_000;
const GAPS = 100;
const NOW = new Date('2026-01-05T08:00:00Z');
const name = (i: number) => `SQL-PROD-${String(i).padStart(4, '0')}`;

/** A database that answers the two statements with many rows, and others with none. */
const serviceOf = (answers: Readonly<Record<string, readonly object[]>>) =>
  ({
    models: {
      $transaction: (work: (tx: object) => unknown) =>
        work({
          $executeRawUnsafe: () => Promise.resolve(0),
          $queryRawUnsafe: (statement: string) => Promise.resolve(answers[statement] ?? []),
        }),
    },
  }) as unknown as ServiceDoor;

const sources = Array.from({ length: SOURCES }, (_, i) => ({
  tenantId: 1,
  hostName: name(i),
  databaseName: 'Payroll',
  agentVersion: '1',
  lastEventTime: null,
  caughtUpAt: null,
  waitingBytes: 0n,
  publishedCount: 0n,
  problem: null,
  lastReceived: null,
  lastReported: NOW,
  retiredAt: null,
  standbySince: null,
  isShared: false,
  gapCount: GAPS,
}));
const gaps = sources.flatMap(({ hostName }) =>
  Array.from({ length: GAPS }, (_, i) => ({
    tenant_id: 1,
    host_name: hostName,
    database_name: 'Payroll',
    gap_id: `${hostName} ${i}`,
    reason: 'fileGone',
    file_name: 'a.sqlaudit',
    file_guid: null,
    detail: 'gone',
    after_time: null,
    before_time: null,
    detected_at: '2026-01-05T08:00:00.0000000Z',
    first_reported: NOW,
    found: GAPS,
  })),
);

it('a list of many sources with many gaps each takes work in proportion to its gaps', async () => {
  const list = listComplete(serviceOf({ [LIST_OF_TENANTS]: sources, [NEWEST_GAPS]: gaps }), () =>
    NOW.getTime(),
  );
  const from = process.cpuUsage();
  const found = await list(oneTenant(1));
  const { user } = process.cpuUsage(from);
  expect(found.map(({ gaps: own }) => [own.length, own[0]?.gapId])).toEqual(
    sources.map(({ hostName }) => [GAPS, `${hostName} 0`]),
  );
  // Of the processor, in microseconds. A comparison of each gap with each source took some seconds.
  expect(user).toBeLessThan(1_500_000);
});
