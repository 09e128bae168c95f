import { SCOPES } from '../../src/caller/scopes';
import { SORTS } from '../../src/event/parameters';
import { LIMITS } from '../../src/limits';
import { API_BASE_PATH } from '../../src/version';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

interface Parameter {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

describe('the values in the OpenAPI document', () => {
  const at = useWorld(ANY_ENGINE);
  // biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
  let document: any;
  beforeAll(async () => {
    document = (await at.world.fetch('/swagger')).body;
  });
  const parameter = (path: string, name: string): Parameter | undefined =>
    document.paths[API_BASE_PATH + path].get.parameters.find(
      (candidate: Parameter) => candidate.name === name,
    );

  it('state the limits that the service applies', () => {
    const page = parameter('/audit-activity', 'page')?.schema;
    expect(page).toMatchObject({ type: 'integer', minimum: 1, maximum: LIMITS.pageMax, default: 1 });
    const pageSize = parameter('/audit-activity', 'pageSize')?.schema;
    expect(pageSize).toMatchObject({
      minimum: 1,
      maximum: LIMITS.pageSizeMax,
      default: LIMITS.pageSizeDefault,
    });
    expect([pageSize?.maximum, pageSize?.default]).toEqual([100, 20]);
    expect(parameter('/audit-activity', 'search')?.schema).toMatchObject({
      maxLength: LIMITS.searchCharsMax,
    });
    for (const name of ['actionId', 'databaseName', 'principalName', 'serverInstanceName']) {
      expect(parameter('/audit-activity', name)?.schema).toMatchObject({ maxLength: LIMITS.filterCharsMax });
    }
  });

  it('give a boolean type to parameters that are true or false', () => {
    expect(parameter('/audit-activity', 'succeeded')?.schema).toEqual({ type: 'boolean' });
  });

  it('list the columns and directions of the sort', () => {
    expect(parameter('/audit-activity', 'sortBy')?.schema.enum).toEqual(Object.keys(SORTS));
    expect(parameter('/audit-activity', 'sortDirection')?.schema).toMatchObject({
      enum: ['asc', 'desc'],
      default: 'desc',
    });
  });

  it('list every scope with its status, and the scope that each call needs', () => {
    const { Scope } = document.components.schemas;
    expect(Scope.enum).toEqual(Object.keys(SCOPES));
    for (const [name, { status }] of Object.entries(SCOPES)) {
      expect(Scope.description).toMatch(new RegExp(`\`${name}\`: [^;]*\\(${status}\\)`));
    }
    for (const path of Object.keys(document.paths)) {
      const [, named = 'audit-activity'] =
        /\/(alerts|findings|incidents|compliance|reports)\b/.exec(path) ?? [];
      const scope = named === 'incidents' ? 'alerts' : named;
      expect(document.paths[path].get['x-required-scope']).toBe(`read:${scope}`);
    }
  });
});
