import { AUDIT_SUMMARY } from '../../src/event/answers';
import { FIELD_NAMES, STATEMENT_PREVIEW, toSnakeCase } from '../../src/event/fields';
import { LIMITS } from '../../src/limits';
import { sourcesOf } from '../support/imports';
import { describeLiteral, literalsOf, not } from '../support/literals';

const FACADE = sourcesOf('rest-facade').flatMap(literalsOf);
const words = (text: string): readonly string[] => text.match(/\w+/g) ?? [];

describe('each fact has one home', () => {
  it('limits: src/limits.ts; the façade holds no number of its own', () => {
    const copies = FACADE.filter(({ kind }) => kind === 'number').filter(
      not(
        {
          file: 'rest-facade/',
          context: /^(minimum: 0|\(?waitMs - 1\)?|page > 1|.*, null, 2\))$/,
          reason: 'arithmetic',
        },
        { file: 'rest-facade/', context: /\/ 1000$|slice\(1\)|charAt\(0\)|\[0\]/, reason: 'arithmetic' },
        { file: 'rest-facade/openapi.ts', context: /^minLength: 1$/, reason: 'not empty' },
        { file: 'rest-facade/', context: /(length|status) >=? ?(0|500)$/, reason: 'comparisons' },
        { file: 'rest-facade/openapi.ts', context: /^200: \{/, reason: 'the answer of every route' },
      ),
    );
    expect(copies.map(describeLiteral)).toEqual([]);
    const inTexts = FACADE.filter(
      ({ kind, value }) => kind === 'text' && /\b(60|100|20|5_?000)\b/.test(value),
    );
    expect(inTexts.map(describeLiteral)).toEqual([]);
    expect([LIMITS.pageSizeDefault, LIMITS.pageSizeMax, LIMITS.rateWindowMs]).toEqual([20, 100, 60_000]);
  });

  it('field names: src/event/fields.ts; the façade names only the parameter of its path', () => {
    const names = [...FIELD_NAMES, STATEMENT_PREVIEW.name, ...Object.keys(AUDIT_SUMMARY.fields)];
    const copies = FACADE.filter(
      ({ kind, value }) => kind !== 'number' && names.some((n) => words(value).includes(n)),
    ).filter(
      not(
        {
          file: 'rest-facade/routes.ts',
          context: /^path: '\/audit-activity\/\{recordId\}'$/,
          reason: 'the path',
        },
        {
          file: 'rest-facade/evidence-routes.ts',
          context: /^path: '\/audit-activity\/\{recordId\}\/proof'$/,
          reason: 'the path',
        },
        {
          file: 'rest-facade/',
          context: /\btotalCount\b/,
          reason: 'meta of a page, declared in route.ts, checked by openapi-check',
        },
      ),
    );
    expect(copies.map(describeLiteral)).toEqual([]);
  });

  it('columns: statements derive their names from the field names', () => {
    const columns = FIELD_NAMES.map(toSnakeCase).filter((column) => column.includes('_'));
    const copies = sourcesOf('src/database', 'src/store', 'src/modules')
      .flatMap(literalsOf)
      .filter(({ kind, value }) => kind === 'text' && columns.some((column) => words(value).includes(column)))
      .filter(
        not(
          {
            file: 'src/',
            context: /tenant_id|record_id/,
            reason: 'the key, which every statement names',
          },
          {
            file: 'src/modules/sources/audit-source.statements.ts',
            context: /audit_source s|SOURCE_BEFORE/,
            reason: 'columns of sources, and not of events',
          },
          {
            file: 'src/modules/activity/stored-reader.ts',
            context: /FROM audit_event|count\(DISTINCT/,
            reason: 'the summary',
          },
        ),
      );
    expect(copies.map(describeLiteral)).toEqual([]);
  });
});
