import { newKey } from '../../src/caller/key-format';
import { ERRORS } from '../../src/errors';
import type { Answer } from '../support/answer';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const LIST = 'query($page: Int) { auditEvents(page: $page) { totalCount } }';
const DETAIL = 'query($recordId: String!) { auditEvent(recordId: $recordId) { recordId } }';
const LIFTED = `query($filter: String) {
  auditEvents(filter: $filter) { items { responseRows affectedRows sessionId roleMember } } }`;
const SUMMARY = '{ auditSummary { totalCount } }';

describe('the answers of REST and GraphQL', () => {
  const open = useWorld(ANY_ENGINE);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await open.world.tenant();
  });

  it('limit a key in a window of its own at each entrance, and say when to try again', async () => {
    const { key } = await open.world.key({ tenantIds: [acme.tenantId], rate: 2 });
    const calls: (() => Promise<Answer>)[] = [
      () => open.world.get('/audit-activity', key),
      () => open.world.graphql(key, SUMMARY),
    ];
    for (const call of calls) {
      expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
      const refused = await call();
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      expect(refused.body.error?.code ?? refused.body.errors[0].extensions.code).toBe('rate_limited');
    }
  });

  it('use documented codes only, and carry the request id', async () => {
    const documents = [
      '{',
      '{ nothing }',
      '{ auditEvents(page: "x") { page } }',
      'query A { __typename } query B { __typename }',
    ];
    const answers = await Promise.all([
      ...documents.map((document) => open.world.graphql(acme.key, document)),
      open.world.graphql(acme.key, 'query($r: String = "x") { auditEvent(recordId: $r) { recordId } }', {
        r: null,
      }),
      open.world.graphql(acme.key, LIST, { page: 'one' }),
      open.world.graphql(acme.key, DETAIL),
    ]);
    for (const { body, headers } of answers) {
      expect(headers.get('X-Request-Id')).toMatch(/\S/);
      expect(body.errors.length).toBeGreaterThan(0);
      for (const { extensions } of body.errors) {
        expect(Object.keys(ERRORS)).toContain(extensions.code);
        expect(extensions.code).toBe('invalid_parameter');
      }
    }
  });

  it('have the lifted fields in GraphQL alone, in lists by counts and by columns, and in the detail', async () => {
    const tenant = await open.world.tenant();
    await tenant.audited({
      actionId: 'APRL',
      additional: { responseRows: '9223372036854775807', sessionId: 55, targetServerPrincipalName: 'eve' },
    });
    const fields = 'responseRows affectedRows sessionId roleMember';
    const lifted = {
      responseRows: '9223372036854775807',
      affectedRows: null,
      sessionId: '55',
      roleMember: 'eve',
    };
    for (const filter of ['actionId:APRL', 'responseRows:>1000', 'roleMember~EVE AND NOT affectedRows:>=0'])
      expect((await open.world.graphql(tenant.key, LIFTED, { filter })).body.data).toEqual({
        auditEvents: { items: [lifted] },
      });
    const listed = await tenant.get('/audit-activity', { filter: 'responseRows:>1000' });
    const [{ recordId }] = listed.body.data;
    const one = `{ auditEvent(recordId: "${recordId}") { ${fields} } }`;
    expect((await open.world.graphql(tenant.key, one)).body.data).toEqual({ auditEvent: lifted });
    expect(listed.body.data).toEqual([expect.not.objectContaining({ responseRows: expect.anything() })]);
  });

  it('never cause a key in the log', async () => {
    const keys = [acme.key, acme.agentKey, open.world.operatorKey, newKey('public')];
    for (const key of keys) {
      await open.world.get('/audit-activity', key, { query: { search: key } });
      await open.world.graphql(key, `{ auditEvents(search: "${key}", sortBy: "${key}") { page } }`);
    }
    const log = open.world.logLines.join('\n');
    expect(log).toContain('/audit-activity');
    for (const key of keys) expect(log).not.toContain(key);
  });
});
