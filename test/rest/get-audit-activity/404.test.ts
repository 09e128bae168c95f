import type { Answer } from '../../support/answer';
import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { expectError, newestRecord, UNKNOWN_RECORD } from '../support/operations';

/** The answer without the parts that must differ: request id, time, and the calls left. */
function comparable({ status, headers, text }: Answer): unknown {
  const fields = [...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name));
  return { status, headers: fields, text: text.replace(headers.get('X-Request-Id') ?? '', 'ID') };
}

describe.each(ENGINES)('404 of GET /audit-activity/{recordId} on %s', (engine) => {
  const at = useWorld(engine);

  it('a record that does not exist', async () => {
    const acme = await at.world.tenant();
    expectError(await acme.get(`/audit-activity/${UNKNOWN_RECORD}`), 404, 'not_found');
  });

  it.each([
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'c232ab00-9414-11ec-b3c8-9f6bdeced846',
  ])('a UUID that no record can have: %s', async (recordId) => {
    const acme = await at.world.tenant();
    expectError(await acme.get(`/audit-activity/${recordId}`), 404, 'not_found');
  });

  // A caller who could tell the two answers apart could find out what other tenants have.
  it("answers another tenant's record byte for byte like a record that does not exist", async () => {
    const [acme, other] = [await at.world.tenant(), await at.world.tenant('Other')];
    await other.audited();
    const recordId = await newestRecord(other);
    const hidden = await acme.get(`/audit-activity/${recordId}`);
    const unknown = await acme.get(`/audit-activity/${UNKNOWN_RECORD}`);
    expectError(hidden, 404, 'not_found');
    expect(comparable(hidden)).toEqual(comparable(unknown));
    expect(hidden.text).not.toContain(recordId);
    expect((await other.get(`/audit-activity/${recordId}`)).status).toBe(200);
  });
});
