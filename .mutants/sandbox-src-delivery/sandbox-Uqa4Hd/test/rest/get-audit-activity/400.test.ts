import { ONE_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { expectError, UNKNOWN_RECORD } from '../support/operations';

describe.each(ONE_ENGINE)('400 of GET /audit-activity/{recordId} on %s', (engine) => {
  const at = useWorld(engine);

  it.each([
    ['a number', '1'],
    ['a word', 'Summary'],
    ['a UUID with a digit less', UNKNOWN_RECORD.slice(1)],
    ['a UUID with a digit more', `${UNKNOWN_RECORD}0`],
    ['a UUID without hyphens', UNKNOWN_RECORD.replaceAll('-', '')],
    ['a UUID in braces', `{${UNKNOWN_RECORD}}`],
    ['a UUID with a letter beyond f', UNKNOWN_RECORD.replace('019a', 'g19a')],
    ['a UUID and a space', `${UNKNOWN_RECORD}%20`],
    ['a UUID and a line end', `${UNKNOWN_RECORD}%0A`],
    ['a slash in disguise', `${UNKNOWN_RECORD}%2F`],
    ['U+0000', '%00'],
    ['a quotation mark', "'"],
  ])('a record id that is %s', async (_, recordId) => {
    const { key } = await at.world.tenant();
    const answer = await at.world.get(`/audit-activity/${recordId}`, key);
    expectError(answer, 400, 'invalid_parameter');
    expect(answer.body.error.message).toContain('recordId must be a UUID');
  });

  it('a path that cannot be decoded', async () => {
    const { key } = await at.world.tenant();
    expectError(await at.world.get('/audit-activity/%E0%A4%A', key), 400, 'invalid_parameter');
    expectError(await at.world.get('/audit-activity/%FF', key), 400, 'invalid_parameter');
  });

  it("any query parameter, also one with the name of the path's parameter", async () => {
    const acme = await at.world.tenant();
    for (const query of ['page=1', 'fields=statement', `recordId=${UNKNOWN_RECORD}`]) {
      const answer = await acme.get(`/audit-activity/${UNKNOWN_RECORD}`, query);
      expectError(answer, 400, 'invalid_parameter');
      expect(answer.body.error.message).toContain(query.split('=')[0]);
    }
  });

  it('names every problem', async () => {
    const acme = await at.world.tenant();
    const { message } = (await acme.get('/audit-activity/x', 'a=1&b=2')).body.error;
    for (const name of ['"a"', '"b"', 'recordId']) expect(message).toContain(name);
  });
});
