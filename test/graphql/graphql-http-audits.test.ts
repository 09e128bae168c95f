import { serverAudits } from 'graphql-http';
import { useWorld } from '../support/use-world';

/** https://github.com/graphql/graphql-over-http: what any GraphQL server over HTTP must do, should do or may do. */
describe('/graphql keeps to GraphQL over HTTP', () => {
  const at = useWorld('embedded');
  const audits = serverAudits({
    url: () => `${at.world.service.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, 'X-Api-Key': at.world.operatorKey } }),
  });

  /** Not demanded, and chosen otherwise: only POST is taken, and a refused document is a 400 whatever is accepted. */
  const CHOSEN = new Set(['5A70', 'D6D5', '6A70', '572B', 'FDE2', '7B9B']);

  it('by at least 60 audits', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  it.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))('%s %s', async (id, _, audit) => {
    const { status } = await audit();
    if (CHOSEN.has(id)) expect(status).not.toBe('error');
    else expect(status).toBe('ok');
  });
});
