import { checkDeprecation } from '../../../rest-facade/deprecation';
import { ROUTES } from '../../../rest-facade/routes';
import { API_BASE_PATH } from '../../../src/version';
import { ANY_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';

/** Marks the summary as deprecated, for all tests of this file. */
jest.mock('../../../rest-facade/routes', () => {
  const actual = jest.requireActual('../../../rest-facade/routes');
  const going = { since: '2026-01-01', sunset: '2027-01-01', see: '/swagger' };
  const routes = actual.ROUTES as { operationId: string }[];
  return {
    ...actual,
    ROUTES: routes.map((route) =>
      route.operationId === 'getAuditActivitySummary' ? { ...route, deprecation: going } : route,
    ),
  };
});

describe('a deprecated route', () => {
  const at = useWorld(ANY_ENGINE);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
  });

  it.each([
    ['', 200],
    ['?startTime=never', 400],
  ])('has headers that say so in its answer to %s, %i', async (query, status) => {
    const answer = await acme.get('/audit-activity/summary', query.slice(1));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Deprecation')).toBe('@1767225600');
    expect(answer.headers.get('Sunset')).toBe('Fri, 01 Jan 2027 00:00:00 GMT');
    expect(answer.headers.get('Link')).toBe('</swagger>; rel="deprecation"; type="text/html"');
  });

  it('says so to a caller without a key too, and other routes do not', async () => {
    const refused = await at.world.get('/audit-activity/summary', null);
    expect([refused.status, refused.headers.get('Deprecation')]).toEqual([401, '@1767225600']);
    const other = await acme.get('/audit-activity');
    for (const name of ['Deprecation', 'Sunset', 'Link']) expect(other.headers.get(name)).toBeNull();
  });

  it('is marked in the OpenAPI document, which describes the headers', async () => {
    const { body } = await at.world.fetch('/swagger');
    const { get } = body.paths[`${API_BASE_PATH}/audit-activity/summary`];
    expect(get.deprecated).toBe(true);
    expect(Object.keys(get.responses['200'].headers)).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
    );
    expect(body.paths[`${API_BASE_PATH}/audit-activity`].get).not.toHaveProperty('deprecated');
  });
});

it('every deprecated route gives its callers at least 12 months', () => {
  for (const { deprecation } of ROUTES) if (deprecation) checkDeprecation(deprecation);
  const since = '2026-03-01';
  expect(() => checkDeprecation({ since, sunset: '2027-02-28', see: '/' })).toThrow(/12 months/);
  expect(() => checkDeprecation({ since, sunset: 'soon', see: '/' })).toThrow(/12 months/);
});
