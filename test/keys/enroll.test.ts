import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { enrollAt } from '../../agent/cli/enroll';
import type { Clock } from '../../agent/clock';
import { OwnKey } from '../../agent/config/own-key';
import { parseConfig, withOwnKey } from '../../agent/config/parse-config';
import { LineLog } from '../../agent/log';
import { renewKey } from '../../agent/renew-key';
import { AGENT_TIMES } from '../../agent/times';
import { openDatabase } from '../../src/database/database';
import { aReport, REPORT } from '../support/audit-sources';
import { ONE_ENGINE, temporaryFolder } from '../support/engines';
import { useWorld } from '../support/use-world';

const CREATE = `mutation($t: String!, $u: Int!, $e: String!, $d: Int, $a: [String!]! = []) {
  createEnrollToken(name: "site", tenantId: $t, uses: $u, expiresAt: $e, keyDays: $d, allowedAddresses: $a) { keyId key } }`;
const ENROLL = 'mutation($h: String!) { enrollAgent(hostName: $h) { keyId key tenantId expiresAt } }';
const KEYS = '{ apiKeys { keyId kind name state tenantIds usesLeft enrolledBy prefix } }';
const LATER = '2099-01-01T00:00:00Z';

describe.each(ONE_ENGINE)('a token of agents on %s', (engine) => {
  const open = useWorld(engine);
  const make = async (tenantId: string, uses: number, change: object = {}) =>
    (await open.world.operate(CREATE, { t: tenantId, u: uses, e: LATER, ...change })).createEnrollToken;
  const enroll = async (token: string, hostName = 'SQL01') =>
    (await open.world.graphql(token, ENROLL, { h: hostName })).body;
  const codeOf = (body: { errors?: { extensions: { code: string } }[] }) => body.errors?.[0]?.extensions.code;

  it('gives each agent a key of its own, named by its host, which reports for the tenant of the token', async () => {
    const acme = await open.world.tenant();
    const token = await make(acme.tenantId, 2, { d: 90 });
    const { data } = await enroll(token.key, 'SQL07');
    const { key, keyId, tenantId, expiresAt } = data.enrollAgent;
    expect(tenantId).toBe(acme.tenantId);
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
    expect([days > 89.9, days <= 90]).toEqual([true, true]);
    const report = { report: aReport({ tenantId }) };
    expect((await open.world.graphql(key, REPORT, report)).body.errors).toBeUndefined();
    const { apiKeys } = await open.world.operate(KEYS);
    const of = (id: string) => apiKeys.find((one: { keyId: string }) => one.keyId === id);
    expect(of(keyId)).toMatchObject({
      kind: 'agent',
      name: 'SQL07',
      enrolledBy: token.keyId,
      usesLeft: null,
    });
    expect(of(token.keyId)).toMatchObject({ kind: 'enroll', usesLeft: 1, prefix: token.key.slice(0, 10) });
    const { accessLog } = await open.world.operate(
      'query($t: String) { accessLog(tenantId: $t, first: 9) { entries { operation subject keyId parameters } } }',
      { t: tenantId },
    );
    expect(accessLog.entries).toContainEqual({
      operation: 'enrollAgent',
      subject: keyId,
      keyId: token.keyId,
      parameters: expect.stringContaining('SQL07'),
    });
  });

  it('enrolls as many agents as it has uses, also when all come at once', async () => {
    const acme = await open.world.tenant();
    const token = await make(acme.tenantId, 3);
    const bodies = await Promise.all(Array.from({ length: 7 }, (_, i) => enroll(token.key, `SQL${i}`)));
    expect(bodies.filter((body) => body.data?.enrollAgent)).toHaveLength(3);
    expect(bodies.flatMap((body) => codeOf(body) ?? [])).toEqual(Array(4).fill('forbidden'));
  });

  it('permits nothing else, and works neither after it is revoked or has ended, nor from elsewhere, nor rotated', async () => {
    const acme = await open.world.tenant();
    const token = await make(acme.tenantId, 5);
    const report = { report: aReport({ tenantId: acme.tenantId }) };
    expect(codeOf((await open.world.graphql(token.key, REPORT, report)).body)).toBe('forbidden');
    expect(codeOf((await open.world.graphql(token.key, KEYS)).body)).toBe('forbidden');
    expect((await open.world.get('/audit-activity', token.key)).status).toBe(403);
    expect(codeOf(await enroll(acme.agentKey))).toBe('forbidden');
    expect(codeOf(await enroll(token.key, ' '))).toBe('invalid_parameter');
    const rotate = 'mutation($k: String!) { rotateApiKey(keyId: $k) { keyId } }';
    const rotated = await open.world.graphql(open.world.operatorKey, rotate, { k: token.keyId });
    expect(codeOf(rotated.body)).toBe('invalid_parameter');
    await open.world.operate('mutation($k: String!) { revokeApiKey(keyId: $k) { state } }', {
      k: token.keyId,
    });
    expect(codeOf(await enroll(token.key))).toBe('unauthorized');
    const far = await make(acme.tenantId, 5, { a: ['192.0.2.0/24'] });
    expect(codeOf(await enroll(far.key))).toBe('forbidden');
    const past = await open.world.graphql(open.world.operatorKey, CREATE, {
      t: acme.tenantId,
      u: 1,
      e: '2020-01-01T00:00:00Z',
    });
    expect(codeOf(past.body)).toBe('invalid_parameter');
  });

  it('is exchanged by an agent for a key, and a refusal names the reason and not the token', async () => {
    const acme = await open.world.tenant();
    const token = await make(acme.tenantId, 1);
    const exchange = () => enrollAt(9_000)(`${open.world.service.url}/`, token.key);
    const { key, tenantId } = await exchange();
    expect(tenantId).toBe(acme.tenantId);
    const report = { report: aReport({ tenantId }) };
    expect((await open.world.graphql(key, REPORT, report)).body.errors).toBeUndefined();
    const refused = await exchange().catch((error: Error) => error.message);
    expect(refused).toMatch(/^the token was not exchanged for a key: forbidden: .*HTTP 200/);
    expect(refused).not.toContain(token.key.slice(0, 14));
  });

  it('is exchanged as soon as a busy service has time, and asks no more often than it may', async () => {
    const answers = [
      [503, { 'retry-after': '3' }],
      [429, { 'retry-after': '900' }],
      [200, {}],
    ] as const;
    let asked = 0;
    let count: number = answers.length;
    const server = createServer((request, response) => {
      const [status, headers] = answers[Math.min(asked++, count - 1)] ?? [503, {}];
      const key = { key: 'aaa_key', tenantId: '7' };
      request.resume().on('end', () => {
        response
          .writeHead(status, headers)
          .end(status === 200 ? JSON.stringify({ data: { enrollAgent: key } }) : '');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const waits: number[] = [];
    const clock = { now: () => 0, elapsed: () => 0, wait: async (ms: number) => void waits.push(ms) };
    const exchange = () => enrollAt(9_000, clock, () => 0.5)(url, 'aae_token');
    expect(await exchange()).toEqual({ key: 'aaa_key', tenantId: '7' });
    expect(waits).toEqual([3_750, 75_000]);
    [asked, count, waits.length] = [0, 1, 0];
    await expect(exchange()).rejects.toThrow(
      'the token was not exchanged for a key: service_unavailable (HTTP 503)',
    );
    expect([asked, waits]).toEqual([9, [3_750, 3_750, 5_000, 10_000, 20_000, 40_000, 75_000, 75_000]]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('names no other tenant: the keys that it makes are of its own', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const { data } = await enroll((await make(acme.tenantId, 1)).key);
    const report = { report: aReport({ tenantId: other.tenantId }) };
    const { body } = await open.world.graphql(data.enrollAgent.key, REPORT, report);
    expect(codeOf(body)).toBe('forbidden');
  });

  describe('makes keys that their agents renew', () => {
    const RENEW = 'mutation { renewAgentKey { key keyId expiresAt } }';
    const STATE = '{ agentKey { keyId isDue } }';
    const ASK = 'mutation($t: String) { renewAgentKeys(tenantId: $t) { asked } }';
    const ROTATIONS = '{ apiKeys { keyId renewal replaces expiresAt } }';
    let folder: string;
    beforeEach(async () => {
      folder = await temporaryFolder();
    });
    afterEach(() => rm(folder, { recursive: true }));

    const enrolled = async (change: object = {}) => {
      const acme = await open.world.tenant();
      const token = await make(acme.tenantId, 5, change);
      const { key, keyId } = (await enroll(token.key, 'SQL09')).data.enrollAgent;
      return { tenantId: acme.tenantId, key, keyId };
    };
    const ask = (key: string, query: string) => open.world.graphql(key, query).then(({ body }) => body);
    const renewalOf = async (keyId: string) => {
      const { apiKeys } = await open.world.operate(ROTATIONS);
      return apiKeys.find((one: { keyId: string }) => one.keyId === keyId)?.renewal;
    };
    const works = async (key: string) => (await ask(key, STATE)).errors === undefined;
    /** One look of the agent of a configuration with this key, as after a start. */
    const look = async (configured: string, random = () => 0) => {
      const ownKey = new OwnKey(folder);
      const text = JSON.stringify({
        CentralApi: { BaseUrl: open.world.service.url, ApiKey: configured, TenantId: '1' },
        EventHubPublisher: { Enabled: true, Databases: [] },
      });
      const parsed = parseConfig(text, '/x/agent.json');
      if (parsed.kind !== 'config') throw new Error(parsed.problems.join());
      const config = withOwnKey(parsed.config, await ownKey.text());
      const lines: string[] = [];
      const stop = new AbortController();
      const waits: number[] = [];
      const clock = {
        now: () => 0,
        wait: async (ms: number) => {
          if (waits.push(ms) > 1 || config.isKeyRenewed) stop.abort();
        },
      } as unknown as Clock;
      const log = new LineLog((line) => lines.push(line));
      const times = { ...AGENT_TIMES, keyCheckMs: 7_000 };
      await renewKey({ config, ownKey, clock, times, log, random }, stop.signal);
      return { inUse: config.apiKey.reveal(), lines: lines.join('\n'), waits };
    };

    it('when an operator asks, and the old one ends when the new one was used', async () => {
      const { key, keyId, tenantId } = await enrolled();
      expect((await ask(key, RENEW)).errors[0].extensions.code).toBe('invalid_parameter');
      expect(await renewalOf(keyId)).toBe('current');
      expect((await look(key, () => 0.5)).waits[0]).toBe(5_250);
      expect((await open.world.operate(ASK, { t: tenantId })).renewAgentKeys.asked).toBe(1);
      expect((await open.world.operate(ASK, { t: tenantId })).renewAgentKeys.asked).toBe(0);
      expect(await renewalOf(keyId)).toBe('waiting');
      const { inUse, lines } = await look(key);
      expect(inUse).toBe(key);
      expect(lines).toContain('was renewed');
      // The new key is on disk, and nobody has used it: both work.
      expect([await works(key), await renewalOf(keyId)]).toEqual([true, 'waiting']);
      const second = await look(key);
      expect(second.inUse).not.toBe(key);
      expect([await works(second.inUse), await works(key)]).toEqual([true, false]);
      expect(await renewalOf(keyId)).toBe('replaced');
      const report = { report: aReport({ tenantId }) };
      expect((await open.world.graphql(second.inUse, REPORT, report)).body.errors).toBeUndefined();
      const { apiKeys } = await open.world.operate(ROTATIONS);
      const next = apiKeys.find(({ replaces }: { replaces: string }) => replaces === keyId);
      expect(next).toMatchObject({ renewal: 'followed', expiresAt: null });
      expect((await look(key)).lines).toBe('');
      // A key that an operator writes into the configuration is in use, whatever was renewed.
      const other = await enrolled();
      expect((await look(other.key)).inUse).toBe(other.key);
    });

    it('and a crash before the new key was written, or a renewed key that is lost, leaves one that works', async () => {
      const { key, keyId, tenantId } = await enrolled();
      await open.world.operate(ASK, { t: tenantId });
      const lost = (await ask(key, RENEW)).data.renewAgentKey;
      expect(await works(key)).toBe(true);
      await look(key);
      const again = (await look(key)).inUse;
      expect([await works(lost.key), await works(again), await works(key)]).toEqual([false, true, false]);
      expect(await renewalOf(lost.keyId)).toBe('followed');
      expect((await ask(key, RENEW)).errors[0].extensions.code).toBe('unauthorized');
      expect(await renewalOf(keyId)).toBe('replaced');
    });

    it('and a key that an operator revokes takes the next one with it, unless the agent has confirmed that', async () => {
      const REVOKE = 'mutation($id: String!) { revokeApiKey(keyId: $id) { state } }';
      const { key, keyId, tenantId } = await enrolled();
      await open.world.operate(ASK, { t: tenantId });
      const next = (await ask(key, RENEW)).data.renewAgentKey;
      await open.world.operate(REVOKE, { id: keyId });
      expect([await works(key), await works(next.key)]).toEqual([false, false]);
      const other = await enrolled();
      await open.world.operate(ASK, { t: other.tenantId });
      const confirmed = (await ask(other.key, RENEW)).data.renewAgentKey;
      expect(await works(confirmed.key)).toBe(true);
      await open.world.operate(REVOKE, { id: other.keyId });
      expect([await works(other.key), await works(confirmed.key)]).toEqual([false, true]);
    });

    it('and goes back to the key before, where another host made its renewed key void', async () => {
      const { key, tenantId } = await enrolled();
      await open.world.operate(ASK, { t: tenantId });
      await look(key);
      // The clone asks, too, before the first host has used its key.
      const clone = (await ask(key, RENEW)).data.renewAgentKey;
      const back = await look(key);
      expect(back.lines).toContain('the one before is in use again');
      expect(await works(clone.key)).toBe(true);
      expect(await works(key)).toBe(false);
      expect((await look(key)).inUse).toBe(key);
    });

    it('and goes back to the renewed key before, which is not that of the configuration any more', async () => {
      const { key, tenantId } = await enrolled();
      await open.world.operate(ASK, { t: tenantId });
      await look(key);
      const { inUse: renewed } = await look(key);
      await open.world.operate(ASK, { t: tenantId });
      await look(key);
      await ask(renewed, RENEW);
      expect((await look(key)).lines).toContain('the one before is in use again');
      expect((await look(key)).inUse).toBe(renewed);
      expect([renewed === key, await works(key)]).toEqual([false, false]);
    });

    it('before they end, and not a key that an operator made', async () => {
      const soon = await enrolled({ d: 1 });
      expect((await ask(soon.key, STATE)).data.agentKey.isDue).toBe(false);
      const acme = await open.world.tenant();
      expect((await ask(acme.agentKey, STATE)).data.agentKey).toMatchObject({ isDue: false });
      expect((await ask(acme.agentKey, RENEW)).errors[0].message).toContain('an operator rotates it');
      expect((await open.world.operate(ASK, { t: acme.tenantId })).renewAgentKeys.asked).toBe(0);
      expect((await ask(acme.key, STATE)).errors[0].extensions.code).toBe('forbidden');
    });

    it('when an operator asks, and not the one before it, which works until it was used', async () => {
      const { key, keyId, tenantId } = await enrolled({ d: 9 });
      if (engine === 'postgresql') {
        // It was due by its age, and nobody asked.
        const { migrator, close } = await openDatabase(open.world.database);
        await migrator.models.apiKey.updateMany({
          where: { keyId },
          data: { createdAt: new Date(Date.now() - 30 * 86_400_000) },
        });
        await close();
      }
      // The service has the embedded database for itself.
      else expect((await open.world.operate(ASK, { t: tenantId })).renewAgentKeys.asked).toBe(1);
      const next = (await ask(key, RENEW)).data.renewAgentKey;
      expect((await open.world.operate(ASK, { t: tenantId })).renewAgentKeys.asked).toBe(1);
      // Made anew, it is as old as its last making.
      const times = async () => {
        const { apiKeys } = await open.world.operate('{ apiKeys { keyId createdAt } }');
        return apiKeys.find((one: { keyId: string }) => one.keyId === next.keyId).createdAt as string;
      };
      const made = await times();
      expect((await ask(key, RENEW)).data.renewAgentKey.keyId).toBe(next.keyId);
      expect(Date.parse(await times())).toBeGreaterThan(Date.parse(made));
      // One that an operator has revoked does not come back.
      await open.world.operate('mutation($k: String!) { revokeApiKey(keyId: $k) { state } }', {
        k: next.keyId,
      });
      expect((await ask(key, RENEW)).errors[0].message).toContain('was replaced before');
    });
  });
});
