import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type GraphQLField, GraphQLNonNull, type GraphQLObjectType } from 'graphql';
import { ROUTES } from '../../rest-facade/routes';
import { AUDIT_SUMMARY } from '../../src/event/answers';
import {
  AUDIT_EVENT_FIELDS,
  DETAIL_FIELDS,
  FIELD_NAMES,
  type FieldName,
  type FieldSpec,
  LIFTED_FIELDS,
  LIST_FIELDS,
  STATEMENT_PREVIEW,
  toSnakeCase,
} from '../../src/event/fields';
import type { ParameterSpecs } from '../../src/event/parameter-specs';
import { LIST_PARAMETERS, RECORD_PARAMETERS, SUMMARY_PARAMETERS } from '../../src/event/parameters';
import { describeSchema } from '../../src/schema';
import { ROOT } from '../support/imports';

const specOf = (name: FieldName): FieldSpec => AUDIT_EVENT_FIELDS[name];
const schema = describeSchema();
const typeOf = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields();
const shapeOf = ({ type, description }: Pick<GraphQLField<unknown, unknown>, 'type' | 'description'>) => ({
  type: String(type instanceof GraphQLNonNull ? type.ofType : type),
  nullable: !(type instanceof GraphQLNonNull),
  doc: description,
});

/** @returns the fields of a model in prisma/schema.prisma */
function modelOf(model: string) {
  const text = readFileSync(path.join(ROOT, 'prisma/schema.prisma'), 'utf8');
  const body = new RegExp(`^model ${model} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(\w+) +(\w+)(\[\]|\?)?(.*)$/gm)].map(
    ([, name = '', type = '', many = '', rest = '']) => ({
      name,
      type: type + many + (rest.includes('@db.Uuid') ? ' uuid' : ''),
      column: /@map\("(\w+)"\)/.exec(rest)?.[1] ?? name,
    }),
  );
}

describe('the Prisma models', () => {
  const model = modelOf('AuditEvent');
  /** The record id holds the event time. The `others` exist beside the fields: `additional`, and a text for search. */
  const expected = FIELD_NAMES.filter((name) => name !== 'eventTime').map((name) => {
    const { kind } = specOf(name);
    const type =
      name === 'tenantId' ? 'Int' : kind === 'id' ? 'String uuid' : kind === 'boolean' ? 'Boolean' : 'String';
    return { name: String(name), type, column: toSnakeCase(name) };
  });
  const others = [
    { name: 'additional', type: 'Json', column: 'additional' },
    { name: 'searchText', type: 'String', column: 'search_text' },
  ];

  it('AuditEvent has a column for each declared field, with its name and type, and no other but two', () => {
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(model.toSorted(byName)).toEqual([...expected, ...others].sort(byName));
  });

  it.each(['Tenant', 'ApiKey', 'AuditEvent'])('%s maps every field to its name in snake case', (name) => {
    const fields = modelOf(name);
    expect(fields.length).toBeGreaterThan(2);
    for (const { name: field, column } of fields) expect(column).toBe(toSnakeCase(field));
  });
});

describe('the GraphQL schema', () => {
  const shapeOfField = (name: FieldName) => {
    const { kind, nullable, doc } = specOf(name);
    return [name, { type: kind === 'boolean' ? 'Boolean' : 'String', nullable, doc }] as const;
  };
  const LIFTED_SHAPES = Object.fromEntries(
    Object.entries(LIFTED_FIELDS).map(([name, { doc }]) => [name, { type: 'String', nullable: true, doc }]),
  );
  const shapesOf = (type: string) =>
    Object.fromEntries(Object.entries(typeOf(type)).map(([n, f]) => [n, shapeOf(f)]));

  it('AuditEvent has every declared field, the additional values of the record, and the proof', () => {
    const { additional, proof, ...fields } = shapesOf('AuditEvent');
    expect(fields).toEqual({ ...Object.fromEntries(FIELD_NAMES.map(shapeOfField)), ...LIFTED_SHAPES });
    expect(additional).toMatchObject({ type: 'JSON', nullable: false });
    expect(proof).toMatchObject({ type: 'AuditEventProof', nullable: true });
  });

  it('an item of a list has the fields of the list, and the preview of the statement', () => {
    const preview = { type: 'String', nullable: true, doc: STATEMENT_PREVIEW.doc };
    expect(shapesOf('AuditEventListItemType')).toEqual({
      ...Object.fromEntries(LIST_FIELDS.map(shapeOfField)),
      ...LIFTED_SHAPES,
      [STATEMENT_PREVIEW.name]: preview,
    });
  });

  it('the summary has its declared fields', () => {
    const shapes = Object.entries(AUDIT_SUMMARY.fields).map(([name, { kind, doc }]) => [
      name,
      { type: kind === 'count' ? 'SafeInt' : 'String', nullable: kind === 'time', doc },
    ]);
    expect(shapesOf('AuditSummaryType')).toEqual(Object.fromEntries(shapes));
  });

  it.each<[string, ParameterSpecs]>([
    ['auditEvents', LIST_PARAMETERS],
    ['auditSummary', SUMMARY_PARAMETERS],
    ['auditEvent', RECORD_PARAMETERS],
  ])('%s takes the parameters of its table', (name, specs) => {
    const args = schema.getQueryType()?.getFields()[name]?.args ?? [];
    expect(args.map((arg) => arg.name).sort()).toEqual(Object.keys(specs).sort());
    for (const { name: arg, type } of args) {
      const scalars: Readonly<Record<string, string>> = { integer: 'Int', boolean: 'Boolean' };
      expect(String(type).replace('!', '')).toBe(scalars[specs[arg]?.kind ?? ''] ?? 'String');
    }
  });
});

describe('the routes of the façade', () => {
  it('answer with the fields of the specification, in its order', () => {
    const fieldsOf = (rootField: string) => ROUTES.find((route) => route.rootField === rootField)?.fields;
    expect(fieldsOf('auditEvents')).toEqual([...LIST_FIELDS, STATEMENT_PREVIEW.name]);
    expect(fieldsOf('auditEvent')).toEqual(DETAIL_FIELDS);
    expect(fieldsOf('auditSummary')).toEqual(Object.keys(AUDIT_SUMMARY.fields));
    expect(ROUTES.filter(({ path }) => /^\/audit-activity(?!.*proof$)/.test(path))).toHaveLength(3);
  });
});
