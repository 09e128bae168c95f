import { serverAudits } from 'graphql-http';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

/**
 * The audits of https://github.com/graphql/graphql-over-http: what a GraphQL server over HTTP must, should or may do.
 */
describe('/graphql follows GraphQL over HTTP', () => {
  const at = useWorld(ANY_ENGINE);
  const audits = serverAudits({
    url: () => `${at.world.service.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, 'X-Api-Key': at.world.operatorKey } }),
  });

  /**
   * Recommendations that the service does not follow: it takes only POST, and answers a refused document with 400 for
   * any Accept.
   */
  const CHOSEN = new Set(['5A70', 'D6D5', '6A70', '572B', 'FDE2', '7B9B']);

  it('in at least 60 audits', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  it.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))('%s %s', async (id, _, audit) => {
    const { status } = await audit();
    if (CHOSEN.has(id)) expect(status).not.toBe('error');
    else expect(status).toBe('ok');
  });
});
