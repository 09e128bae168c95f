import { LIMITS } from '../../../src/limits';
import { ONE_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';
import { expectError } from '../support/operations';

describe.each(ONE_ENGINE)('400 of a search of GET /audit-activity on %s', (engine) => {
  const at = useWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
  });
  const refused = async (search: string): Promise<string> => {
    const answer = await acme.get('/audit-activity', { search });
    expectError(answer, 400, 'invalid_parameter');
    expect(answer.body.error.message).toContain('search');
    return answer.body.error.message;
  };

  // These searches have no condition, and would otherwise find everything.
  it.each([' ', '*', '---', '.,;', '\u{1F600}', '\0', '% _'])('no word: %j', async (search) => {
    expect(await refused(search)).toContain('word');
  });

  it.each(['"', 'abc "def', '"abc" "def', 'abc"'])(
    'a quotation mark that is not closed: %s',
    async (search) => {
      expect(await refused(search)).toContain('not closed');
    },
  );

  it.each(['""', 'abc ""'])('nothing in quotation marks: %s', async (search) => {
    expect(await refused(search)).toContain('quotation marks');
  });

  it('more words than a search may have, with their number', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');
    expect(await refused(words(LIMITS.searchTermsMax + 1))).toContain(String(LIMITS.searchTermsMax));
    const { status } = await acme.get('/audit-activity', { search: words(LIMITS.searchTermsMax) });
    expect(status).toBe(200);
  });
});
