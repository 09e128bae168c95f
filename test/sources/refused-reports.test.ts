import { LIMITS } from '../../src/limits';
import { aGap, aReport, REPORT } from '../support/audit-sources';
import { ONE_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

describe.each(ONE_ENGINE)('reports of audit sources on %s', (engine) => {
  const open = useWorld(engine);
  let acme: TestTenant;
  let other: TestTenant;
  beforeEach(async () => {
    acme = await open.world.tenant();
    other = await open.world.tenant('Other');
  });
  const refusal = async (tenant: TestTenant, change: object) => {
    const report = aReport({ tenantId: tenant.tenantId, ...change });
    const { body } = await open.world.graphql(tenant.agentKey, REPORT, { report });
    return {
      code: body.errors?.[0].extensions.code,
      message: (body.errors ?? []).map((error: Error) => error.message).join('\n'),
    };
  };
  const sourcesOf = async ({ tenantId }: TestTenant) =>
    (
      await open.world.operate('query($t: String) { auditSources(tenantId: $t) { hostName gapCount } }', {
        t: tenantId,
      })
    ).auditSources;

  it('are accepted only for the tenant of the key; one that names another tenant is not stored', async () => {
    for (const tenantId of [other.tenantId, '2000000', ''])
      expect((await refusal(acme, { tenantId })).code).toBe('forbidden');
    expect([await sourcesOf(acme), await sourcesOf(other)]).toEqual([[], []]);
  });

  it('are refused with every problem at once, and then nothing is stored', async () => {
    const wrongGap = { gapId: 'x', fileGuid: 'y', afterTime: 'z', beforeTime: '2026-02-30', detectedAt: '' };
    const { code, message } = await refusal(acme, {
      hostName: ' ',
      databaseName: 'x'.repeat(101),
      agentVersion: 'x'.repeat(101),
      publishedCount: -1,
      lastEventTime: 'today',
      caughtUpAt: '9999-12-31T23:59:59-23:59',
      waitingBytes: 1.5,
      problem: 'x'.repeat(1001),
      gaps: [aGap(), aGap(wrongGap)],
    });
    expect(code).toBe('invalid_parameter');
    const problems = message.split('; ').map((problem: string) => problem.split(' ')[0]);
    expect(problems.toSorted()).toEqual(
      [
        ...['hostName', 'databaseName', 'agentVersion', 'publishedCount', 'lastEventTime', 'caughtUpAt'],
        ...['waitingBytes', 'problem', ...Object.keys(wrongGap).map((name) => `gaps[1].${name}`)],
      ].toSorted(),
    );
    expect(await sourcesOf(acme)).toEqual([]);
  });

  it.each([
    ['hostName', { hostName: '' }],
    ['hostName', { hostName: 'x'.repeat(256) }],
    ['databaseName', { databaseName: '' }],
    ['waitingBytes', { waitingBytes: -1 }],
    ['waitingBytes', { waitingBytes: 2 ** 53 }],
    ['publishedCount', { publishedCount: 2 ** 31 }],
    ['gaps', { gaps: Array.from({ length: LIMITS.reportGapsMax + 1 }, () => aGap()) }],
    ['gaps[0].fileName', { gaps: [aGap({ fileName: 'x'.repeat(501) })] }],
    ['gaps[0].detail', { gaps: [aGap({ detail: 'x'.repeat(1001) })] }],
    ['BORED', { gaps: [aGap({ reason: 'BORED' })] }],
    ['forgotten', { forgotten: 1 }],
  ])('are refused if %s is wrong', async (name, change) => {
    const { code, message } = await refusal(acme, change);
    expect([code, message]).toEqual(['invalid_parameter', expect.stringContaining(name)]);
    expect(await sourcesOf(acme)).toEqual([]);
  });
});
