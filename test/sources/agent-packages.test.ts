import { createHash } from 'node:crypto';
import { LIMITS } from '../../src/limits';
import { readNotFollowing } from '../../src/modules/sources/following';
import { aReport } from '../support/audit-sources';
import { ENGINES } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const OFFERED = 'packageId version build size sha256 signature window allowsOlder';
const PACKAGE = `tenantId groupId ${OFFERED} offeredAt hosts installed takenBack refused`;
const OFFER = `mutation($groupId: String!, $version: String!, $build: Int!, $fileSize: Int!, $sha256: String!,
  $signature: String!, $window: String, $allowsOlder: Boolean) { offerAgentPackage(groupId: $groupId, version: $version,
  build: $build, fileSize: $fileSize, sha256: $sha256, signature: $signature, window: $window, allowsOlder: $allowsOlder)
  { ${PACKAGE} } }`;
const ADD = `mutation($packageId: String!, $part: Int!, $bytes: String!) {
  addAgentPackagePart(packageId: $packageId, part: $part, bytes: $bytes) { ${PACKAGE} } }`;
const PART =
  'query($packageId: String!, $part: Int!) { agentPackagePart(packageId: $packageId, part: $part) { bytes } }';
const REPORT = `mutation($report: AuditSourceReport!) { reportAuditSource(report: $report) { package { ${OFFERED} } } }`;
const SIGNATURE = `${'A'.repeat(86)}==`;
const CONTENT = Buffer.alloc(LIMITS.agentPackagePartBytes + 10, 'abc');

describe.each(ENGINES)('packages of agents on %s', (engine) => {
  const open = useWorld(engine);
  let acme: TestTenant;
  let groupId: string;
  beforeEach(async () => {
    acme = await open.world.tenant();
    groupId = await group(acme, 'sql*');
  });
  const group = async (tenant: TestTenant, host: string): Promise<string> => {
    const { createAgentGroup } = await open.world.operate(
      'mutation($t: String!, $h: [String!]!) { createAgentGroup(tenantId: $t, name: "G", hosts: $h) { groupId } }',
      { t: tenant.tenantId, h: [host] },
    );
    return createAgentGroup.groupId;
  };
  const factsOf = (content: Buffer) => ({
    version: '1.2.3',
    build: 4,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    signature: SIGNATURE,
  });
  const asked = (content: Buffer) => {
    const { size: fileSize, ...facts } = factsOf(content);
    return { ...facts, fileSize };
  };
  const begin = async (change: object = {}) =>
    (await open.world.operate(OFFER, { groupId, ...asked(CONTENT), ...change })).offerAgentPackage;
  const add = async (packageId: string, part: number, bytes: Buffer) =>
    (await open.world.operate(ADD, { packageId, part, bytes: bytes.toString('base64') })).addAgentPackagePart;
  const partsOf = (content: Buffer) => [
    content.subarray(0, LIMITS.agentPackagePartBytes),
    content.subarray(LIMITS.agentPackagePartBytes),
  ];
  const offer = async (content = CONTENT, change: object = {}) => {
    const { packageId } = await begin({ ...asked(content), ...change });
    let made = null;
    for (const [part, bytes] of partsOf(content).entries()) made = await add(packageId, part, bytes);
    return made;
  };
  const refusal = (query: string, asked: object) =>
    open.world.operate(query, asked).then(
      () => 'not refused',
      (error: Error) => error.message,
    );
  const report = async (hostName: string, change: object = {}, tenant = acme) => {
    const given = { report: aReport({ tenantId: tenant.tenantId, hostName, ...change }) };
    const { body } = await open.world.graphql(tenant.agentKey, REPORT, given);
    return body.data?.reportAuditSource?.package ?? body.errors ?? null;
  };
  const fetched = async (packageId: string, part: number, tenant = acme) => {
    const { body } = await open.world.graphql(tenant.agentKey, PART, { packageId, part });
    return body.data?.agentPackagePart?.bytes ?? body.errors[0].extensions.code;
  };

  it('are offered to hosts of the group once the file is whole, part by part', async () => {
    const window = '22:00-04:00';
    const { packageId } = await begin({ window });
    expect(await report('SQL1')).toBeNull();
    const [first = Buffer.of(), second = Buffer.of()] = partsOf(CONTENT);
    expect(await add(packageId, 1, second)).toMatchObject({ offeredAt: null });
    expect(await fetched(packageId, 1)).toBe('not_found');
    expect(await add(packageId, 0, first)).toMatchObject({ packageId, offeredAt: expect.any(String) });
    expect(await report('SQL1')).toEqual({ packageId, ...factsOf(CONTENT), window, allowsOlder: false });
    expect(await report('web1')).toBeNull();
    const bytes = [await fetched(packageId, 0), await fetched(packageId, 1)].map((part) =>
      Buffer.from(part, 'base64'),
    );
    expect(Buffer.concat(bytes).equals(CONTENT)).toBe(true);
    expect(await fetched(packageId, 2)).toBe('not_found');
  });

  it('are given to agents of their tenant only, and to nobody else', async () => {
    const made = await offer();
    const other = await open.world.tenant();
    await group(other, '*');
    expect(await fetched(made.packageId, 0, other)).toBe('not_found');
    expect(await report('SQL1', {}, other)).toBeNull();
    for (const key of [open.world.operatorKey, (await open.world.key({ tenantIds: [acme.tenantId] })).key]) {
      const { body } = await open.world.graphql(key, PART, { packageId: made.packageId, part: 0 });
      expect(body.errors[0].extensions.code).toBe('forbidden');
    }
  });

  it('are not offered with other bytes, and parts have the size that they must have', async () => {
    const { packageId } = await begin();
    const [first = Buffer.of(), second = Buffer.of()] = partsOf(CONTENT);
    const given = (part: number, bytes: Buffer) =>
      refusal(ADD, { packageId, part, bytes: bytes.toString('base64') });
    expect(await given(0, second)).toContain('bytes must have the size');
    expect(await given(1, first)).toContain('bytes must have the size');
    expect(await given(2, Buffer.of(1))).toContain('bytes must have the size');
    expect(await given(0, Buffer.concat([first, second]))).toContain('must be at most');
    await add(packageId, 0, first);
    expect(await given(1, Buffer.from(second).fill('z'))).toContain('does not have the SHA-256');
    expect(await report('SQL1')).toBeNull();
    await add(packageId, 1, second);
    expect(await report('SQL1')).toMatchObject({ packageId });
    expect(await given(1, second)).toContain('There is no such package');
  });

  it('are refused with everything that is wrong at once', async () => {
    const wrong = {
      groupId,
      version: 'new',
      build: -1,
      fileSize: LIMITS.agentPackageBytesMax + 1,
      sha256: 'xyz',
      signature: 'none',
      window: '25:00',
    };
    const message = await refusal(OFFER, wrong);
    for (const field of ['version', 'build', 'fileSize', 'sha256', 'signature', 'window'])
      expect(message).toContain(`${field} must`);
    expect(await refusal(OFFER, { ...asked(CONTENT), groupId: 'x' })).toContain('no such group');
  });

  it('take the place of the one before, go when they are withdrawn, and go with their group', async () => {
    const first = await offer();
    const { packageId: begun } = await begin({ version: '1.2.4' });
    expect(await report('SQL1')).toMatchObject({ packageId: first.packageId });
    const second = await offer(Buffer.alloc(CONTENT.length, 'def'), { version: '1.3.0' });
    expect(await fetched(begun, 0)).toBe('not_found');
    expect(await report('SQL1')).toMatchObject({ packageId: second.packageId, version: '1.3.0' });
    expect(await fetched(first.packageId, 0)).toBe('not_found');
    const withdraw = 'mutation($p: String!) { withdrawAgentPackage(packageId: $p) { version } }';
    await open.world.operate(withdraw, { p: second.packageId });
    expect(await report('SQL1')).toBeNull();
    expect(await refusal(withdraw, { p: second.packageId })).toContain('There is no such package');
    const third = await offer();
    await open.world.operate('mutation($g: String!) { deleteAgentGroup(groupId: $g) { name } }', {
      g: groupId,
    });
    expect(await fetched(third.packageId, 0)).toBe('not_found');
    const { agentPackages } = await open.world.operate(
      'query($t: String) { agentPackages(tenantId: $t) { packageId } }',
      { t: acme.tenantId },
    );
    expect(agentPackages).toEqual([]);
  });

  it('show how far each host has come, and how many of a group have followed', async () => {
    const { sha256 } = await offer();
    const told = (state: string, reason: string | null = null, of = sha256) => ({
      package: { sha256: of, version: '1.2.3', state, reason },
    });
    await report('sql1', { databaseName: 'Other', ...told('TRIAL') });
    await report('sql1', told('INSTALLED'));
    await report('sql2', told('TAKEN_BACK', 'nothing acknowledged'));
    await report('sql3', told('REFUSED', 'no key'));
    await report('sql4', told('INSTALLED', null, 'f'.repeat(64)));
    await report('sql5');
    await report('web1', told('INSTALLED'));
    const { auditSources } = await open.world.operate(
      `query($t: String) { auditSources(tenantId: $t) { hostName databaseName wantedPackage packageState packageReason } }`,
      { t: acme.tenantId },
    );
    const lines = auditSources.map((one: Record<string, string | null>) => Object.values(one).join(' '));
    expect(lines).toEqual([
      'sql1 Other 1.2.3 TRIAL ',
      'sql1 Payroll 1.2.3 INSTALLED ',
      'sql2 Payroll 1.2.3 TAKEN_BACK nothing acknowledged',
      'sql3 Payroll 1.2.3 REFUSED no key',
      'sql4 Payroll 1.2.3 OFFERED ',
      'sql5 Payroll 1.2.3 OFFERED ',
      'web1 Payroll   ',
    ]);
    const { agentPackages } = await open.world.operate(
      'query($t: String) { agentPackages(tenantId: $t) { hosts installed takenBack refused } }',
      { t: acme.tenantId },
    );
    expect(agentPackages).toEqual([{ hosts: 5, installed: 1, takenBack: 1, refused: 1 }]);
  });

  it('leave one entry of the access log for an offer, and one for a withdrawal', async () => {
    const { packageId } = await offer();
    await begin();
    const withdraw = 'mutation($p: String!) { withdrawAgentPackage(packageId: $p) { version } }';
    await open.world.operate(withdraw, { p: packageId });
    const { accessLog } = await open.world.operate(
      'query($t: String) { accessLog(tenantId: $t, first: 20) { entries { operation subject parameters } } }',
      { t: acme.tenantId },
    );
    const noted = accessLog.entries.filter(({ operation }: { operation: string }) =>
      operation.includes('AgentPackage'),
    );
    expect(noted).toEqual([
      { operation: 'withdrawAgentPackage', subject: packageId, parameters: JSON.stringify({ packageId }) },
      { operation: 'offerAgentPackage', subject: packageId, parameters: expect.any(String) },
    ]);
    expect(JSON.parse(noted[1].parameters)).toEqual({ groupId, ...factsOf(CONTENT), allowsOlder: false });
  });

  it('refuse a report with an impossible state, all problems at once', async () => {
    const [{ message }] = await report('sql1', {
      package: { sha256: 'x', version: 'v'.repeat(101), state: 'INSTALLED', reason: 'r'.repeat(513) },
    });
    for (const field of ['sha256', 'version', 'reason']) expect(message).toContain(`package.${field} must`);
  });
});

it('hosts that do not follow settings or a package are counted, of tenants in use and sources that are not retired', async () => {
  const group = { groupId: 'g', tenantId: 7, hosts: ['sql*'], version: 3 };
  const offered = { groupId: 'g', tenantId: 7, sha256: 'a', version: '1.2.3', offeredAt: new Date() };
  const source = (
    hostName: string,
    minute: number,
    version: number,
    state: string | null,
    more: object = {},
  ) => ({
    ...{ tenantId: 7, hostName, retiredAt: null, lastReported: new Date(minute * 60_000) },
    ...{ running: { version, refused: [] }, package: state && { sha256: 'a', state, reason: null } },
    ...more,
  });
  const refusing = { running: { version: 3, refused: [{ setting: 'LogLevel', reason: 'not allowed' }] } };
  const sources = [
    source('sql1', 1, 2, 'TRIAL'),
    source('sql1', 2, 3, 'INSTALLED'),
    source('sql2', 1, 3, 'TAKEN_BACK', refusing),
    source('sql3', 1, 2, null),
    source('sql4', 1, 1, 'REFUSED', { retiredAt: new Date() }),
    source('sql5', 1, 1, 'REFUSED', { tenantId: 8 }),
    source('web1', 1, 0, null),
  ];
  const stores = {
    sources: { sources: async () => sources },
    groups: { list: async () => [group, { ...group, tenantId: 8 }] },
    packages: { list: async () => [offered, { ...offered, groupId: 'h' }] },
    tenants: {
      list: async () => [
        { tenantId: 7, disabledAt: null },
        { tenantId: 8, disabledAt: new Date() },
      ],
    },
  };
  type Stores = Parameters<typeof readNotFollowing>[0];
  expect(await readNotFollowing(stores as unknown as Stores)).toEqual({ settings: 2, package: 2 });
});
