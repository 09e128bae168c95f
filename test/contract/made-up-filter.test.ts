import { FILTERS } from '../../src/event/filters';
import { FILTER_PARAMETERS, LIST_PARAMETERS } from '../../src/event/parameters';
import {
  FACET_PARAMETERS,
  GRID_PARAMETERS,
  GROUP_PARAMETERS,
  HISTOGRAM_PARAMETERS,
  SERIES_PARAMETERS,
  WEEK_HOUR_PARAMETERS,
} from '../../src/modules/explore/parameters';
import { EXPORT_PARAMETERS } from '../../src/modules/export/parameters';
import { describeSchema } from '../../src/schema';
import { API_BASE_PATH } from '../../src/version';
import { DashboardSession } from '../support/dashboard-session';
import { ANY_ENGINE } from '../support/engines';
import { PATIENT, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';

/** Adds one line to the table of filters, for all tests of this file. */
jest.mock('../../src/event/filters', () => {
  const actual = jest.requireActual('../../src/event/filters');
  Object.assign(actual.FILTERS, {
    objectAt: { field: 'objectName', countedBy: null, doc: 'A made-up filter.' },
  });
  actual.FILTER_NAMES.push('objectAt');
  return actual;
});
interface ExploreState {
  readonly filter: string;
}
const { parseState, formatState } = jest.requireActual<{
  parseState: (text: string) => ExploreState;
  formatState: (state: ExploreState) => string;
}>('../../dashboard/src/explore/explore-state');

describe('a filter that is new in the table of filters', () => {
  useLimits(PATIENT);
  const open = useWorld(ANY_ENGINE);

  it('becomes a parameter of the list, the export, the histogram, the facets and the groups', () => {
    expect(Object.keys(FILTERS)).toContain('objectAt');
    for (const specs of [
      ...[FILTER_PARAMETERS, LIST_PARAMETERS, EXPORT_PARAMETERS],
      ...[HISTOGRAM_PARAMETERS, FACET_PARAMETERS, GROUP_PARAMETERS, GRID_PARAMETERS],
      ...[SERIES_PARAMETERS, WEEK_HOUR_PARAMETERS],
    ])
      expect(specs).toMatchObject({ objectAt: { kind: 'text', doc: 'A made-up filter.' } });
  });

  it('becomes an argument of the GraphQL fields, and a parameter in the OpenAPI document', async () => {
    const fields = describeSchema().getQueryType()?.getFields();
    for (const name of ['auditEvents', 'auditHistogram', 'auditFacets', 'auditGroups'])
      expect(fields?.[name]?.args.map((arg) => arg.name)).toContain('objectAt');
    const { body } = await open.world.fetch('/swagger');
    for (const path of ['/audit-activity', '/audit-activity/export'])
      expect(body.paths[API_BASE_PATH + path].get.parameters).toContainEqual(
        expect.objectContaining({ name: 'objectAt', description: 'A made-up filter.' }),
      );
  });

  it('becomes a condition of the filter when a link to the dashboard carries it', () => {
    const state = parseState('objectAt=Salaries');
    expect(state.filter).toBe('objectAt:Salaries');
    expect(parseState(formatState(state)).filter).toBe('objectAt:Salaries');
  });

  it('selects the same events in list, export, histogram and facets, alone and with another filter', async () => {
    const acme = await open.world.tenant();
    for (const objectName of ['Salaries', 'Salaries', 'Invoices'])
      for (const databaseName of ['HR', 'Sales']) await acme.audited({ objectName, databaseName });
    const session = await DashboardSession.signIn(open.world, acme.key);
    const counts = async (given: Record<string, string>) => {
      const variables = Object.keys(given).map((name) => `$${name}: String`);
      const args = Object.keys(given).map((name) => `${name}: $${name}`);
      const ask = async (field: string, selection: string) =>
        (await session.graphql(`query(${variables}) { ${field}(${args}) { ${selection} } }`, given)).body
          .data[field];
      const exported = await acme.get('/audit-activity/export', given);
      const { buckets } = await ask('auditHistogram', 'buckets { succeeded failed }');
      const { totalCount, facets } = await ask(
        'auditFacets',
        'totalCount facets { values { succeeded failed } }',
      );
      const sum = (all: readonly { succeeded: number; failed: number }[]) =>
        all.reduce((total, { succeeded, failed }) => total + succeeded + failed, 0);
      return [
        (await acme.get('/audit-activity', given)).body.meta.totalCount,
        exported.text.trim().split('\n').filter(Boolean).length,
        sum(buckets),
        totalCount,
        ...facets.map(({ values }: { values: { succeeded: number; failed: number }[] }) => sum(values)),
      ];
    };
    expect(await counts({ objectAt: 'Salaries' })).toEqual(Array(9).fill(4));
    expect(await counts({ objectAt: 'Salaries', databaseName: 'HR' })).toEqual(Array(9).fill(2));
    expect(await counts({ objectAt: 'salaries' })).toEqual(Array(9).fill(0));
  });
});
