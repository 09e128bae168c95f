import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  Kind,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';

/**
 * Arguments that set the length of the lists in a field, with their greatest value. A variable counts as the greatest
 * value.
 */
export const LIST_SIZES: Readonly<Record<string, number>> = {
  'accessLog.first': LIMITS.accessLogPageMax,
  'alerts.pageSize': LIMITS.pageSizeMax,
  'auditEvents.pageSize': LIMITS.pageSizeMax,
  'auditFacets.limit': LIMITS.facetValuesMax,
  'auditGroups.limit': LIMITS.groupsListedMax,
  'auditGroupsOverTime.buckets': LIMITS.histogramBucketsMax,
  'auditHistogram.buckets': LIMITS.histogramBucketsMax,
  'auditSourceItems.pageSize': LIMITS.pageSizeMax,
  'auditSourceList.pageSize': LIMITS.pageSizeMax,
  'complianceControls.pageSize': LIMITS.pageSizeMax,
  'complianceFrameworks.pageSize': LIMITS.pageSizeMax,
  'destinationSetAside.first': LIMITS.destinationSetAsidePageMax,
  'erasures.first': LIMITS.erasuresMax,
  'findings.pageSize': LIMITS.pageSizeMax,
  'incidents.pageSize': LIMITS.pageSizeMax,
  'tenantIncidents.pageSize': LIMITS.pageSizeMax,
  'holds.first': LIMITS.holdsShownMax,
  'gaps.limit': LIMITS.sourceGapsShownMax,
  'reports.pageSize': LIMITS.pageSizeMax,
  'retentionRuns.first': LIMITS.retentionRunsMax,
  'sealedWeeks.first': LIMITS.sealedWeeksMax,
  'unsealedWeeks.first': LIMITS.sealedWeeksMax,
  'tenantAlerts.pageSize': LIMITS.pageSizeMax,
};
/** Cells of a grid of three fields with all values that may stand by themselves, and the others. */
const GRID_CELLS = (LIMITS.gridValuesMax + 1) ** 3;
/**
 * Lists whose length no argument changes. A source in a page has few gaps, or none; most keys have few tenants, a group of agents few
 * patterns and databases, and a run
 * of retention removes few weeks.
 */
const FIXED: Readonly<Record<string, number>> = {
  'AccessLogEntry.tenantIds': 20,
  'AgentGroup.hosts': 20,
  'AuditSource.refusedSettings': 4,
  'ListedSource.refusedSettings': 4,
  'RunningAgentSettings.refused': 4,
  'WantedAgentSettings.databasesOff': 20,
  'WantedAgentSettings.databasesOn': 20,
  'AuditLogCheckpoints.checkpoints': LIMITS.evidenceCheckpointsMax,
  destinationTypes: 10,
  'DestinationField.values': 4,
  'DestinationTypeSpec.fields': 20,
  'DestinationTypeSpec.formats': 4,
  'DestinationTypeSpec.protocols': 2,
  facets: 12,
  rejected: LIMITS.ingestBatchEventsMax,
  'AuditSourceItem.gaps': 20,
  'AuditFilter.plans': 6,
  'AuditGroupGrid.axes': 3,
  'AuditGroupGrid.failed': GRID_CELLS,
  'AuditGroupGrid.first': GRID_CELLS,
  'AuditGroupGrid.second': GRID_CELLS,
  'AuditGroupGrid.succeeded': GRID_CELLS,
  'AuditGroupGrid.third': GRID_CELLS,
  'AuditGridAxis.values': LIMITS.gridValuesMax,
  'AuditGroupsOverTime.groups': LIMITS.groupSeriesMax,
  'AuditGroupSeries.values': 3,
  'AuditWeekHours.busiest': 168,
  'AuditWeekHours.busiestTime': 168,
  'AuditWeekHours.failed': 168,
  'AuditWeekHours.succeeded': 168,
  'AuditLogRemovals.erasures': 100,
  'ComplianceControl.instances': 50,
  'ComplianceControlItem.recordIds': 20,
  'ComplianceInstance.groups': 34,
  'ComplianceInstance.recordIds': 20,
  'Entity.alerts': 10,
  'Entity.hours': 888,
  'Entity.related': 7,
  'Entity.roles': LIMITS.entityRoleChangesMax,
  'RelatedValues.known': LIMITS.entityValuesMax,
  'RelatedValues.recent': LIMITS.entityValuesMax,
  'RelatedValues.values': LIMITS.entityValuesMax,
  'Overview.hours': 168,
  'Overview.incidents': 4,
  'Overview.newcomers': 3,
  'Newcomers.events': LIMITS.overviewNewcomersMax,
  'Newcomers.firstTimes': LIMITS.overviewNewcomersMax,
  'Newcomers.values': LIMITS.overviewNewcomersMax,
  'Overview.servers': LIMITS.overviewServersMax,
  'WeekServer.hours': 168,
  'Report.needs': 4,
  'ReportChoice.needs': 4,
  'ExceptionPreview.choices': 11,
  'RuleCoverage.groups': 4,
  'RuleCoverage.instances': 10,
  'RuleOnInstance.groups': 4,
  'Report.runs': LIMITS.reportRunsShown,
  'ReportRun.files': 4,
  'RetentionRun.partitions': 20,
};
/** Assumed number of items in a list whose length no argument sets. */
const LIST_ASSUMED = 100;
/** A value in a list of values takes a quarter of the time of an object's field: 70,000 take 15 ms, and not 65. */
const LISTED_AS_ONE = 4;

interface Measure {
  readonly depth: number;
  /** Number of values in the largest answer; those in a list of values count less. */
  readonly cost: number;
  /** Number of fields at the first level, fragments included. */
  readonly fields: number;
}
const NOTHING: Measure = { depth: 0, cost: 0, fields: 0 };

/**
 * Limits how much one document can ask for. The check uses the document alone, so an accepted document is accepted with
 * any variables. The contents of introspection fields are not counted, because a separate rule decides who may use
 * them.
 * @param costMax number of values in the largest answer
 */
export const limitDocument =
  (costMax: number): ValidationRule =>
  (context) => {
    let aliases = 0;
    return {
      Field: {
        enter: ({ alias }) => {
          if (alias) aliases++;
        },
      },
      Document: {
        leave: ({ definitions }) => {
          const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
          const measure = measurer(context.getSchema(), fragments);
          for (const node of definitions) {
            if (node.kind !== Kind.OPERATION_DEFINITION) continue;
            const { depth, cost, fields } = measure(
              node.selectionSet,
              context.getSchema().getRootType(node.operation)?.name,
              LIST_ASSUMED,
            );
            const problems = [
              ...tooMany(fields, LIMITS.graphqlRootFieldsMax, 'fields at its root'),
              ...tooMany(depth, LIMITS.graphqlDepthMax, 'levels'),
              ...tooMany(aliases, LIMITS.graphqlAliasesMax, 'aliases'),
              ...tooMany(cost, costMax, 'values in its largest answer'),
            ];
            if (problems.length > 0)
              context.reportError(
                new GraphQLError(`The operation is too large: ${problems.join('; ')}.`, { nodes: node }),
              );
          }
        },
      },
    };
  };

const tooMany = (n: number, max: number, what: string) => (n > max ? [`${n} ${what}, at most ${max}`] : []);

type MeasureSelection = (selected: SelectionSetNode, typeName: string | undefined, size: number) => Measure;

/**
 * Measures a fragment once for each list size in which it stands. So nested fragments take time in proportion to the
 * text.
 */
function measurer(schema: GraphQLSchema, definitions: readonly FragmentDefinitionNode[]): MeasureSelection {
  const fragments = new Map(definitions.map((node) => [node.name.value, node]));
  const measured = new Map<string, Measure>();

  const ofFragment = (name: string, size: number): Measure => {
    const fragment = fragments.get(name);
    const key = `${name} ${size}`;
    const known = measured.get(key);
    if (known || !fragment) return known ?? NOTHING;
    measured.set(key, NOTHING); // ends a circle of fragments, which GraphQL's own rules refuse
    const measure = ofSelection(fragment.selectionSet, fragment.typeCondition.name.value, size);
    measured.set(key, measure);
    return measure;
  };

  const ofField = (
    node: FieldNode,
    field: GraphQLField<unknown, unknown> | undefined,
    { size, of }: { readonly size: number; readonly of: string },
  ) => {
    if (!field) return { depth: 1, cost: 1, fields: 1 };
    const given = sizeOf(node, field) ?? size;
    const fixed = FIXED[`${of}.${field.name}`] ?? FIXED[field.name];
    const items = isList(field) ? (fixed ?? given) : 1;
    if (!node.selectionSet)
      return { depth: 1, cost: isList(field) ? Math.ceil(items / LISTED_AS_ONE) : 1, fields: 1 };
    const inside = ofSelection(node.selectionSet, getNamedType(field.type).name, given);
    return { depth: inside.depth + 1, cost: items * (1 + inside.cost), fields: 1 };
  };

  const ofSelection: MeasureSelection = ({ selections }, typeName, size) => {
    const type = schema.getType(typeName ?? '');
    const known = isCompositeType(type) && 'getFields' in type ? type.getFields() : {};
    return selections
      .map((node) => {
        if (node.kind === Kind.FRAGMENT_SPREAD) return ofFragment(node.name.value, size);
        if (node.kind === Kind.FIELD)
          return ofField(node, known[node.name.value], { size, of: typeName ?? '' });
        return ofSelection(node.selectionSet, node.typeCondition?.name.value ?? typeName, size);
      })
      .reduce(
        (sum, { depth, cost, fields }) => ({
          depth: Math.max(sum.depth, depth),
          cost: sum.cost + cost,
          fields: sum.fields + fields,
        }),
        NOTHING,
      );
  };
  return ofSelection;
}

const isList = ({ type }: GraphQLField<unknown, unknown>) =>
  isListType(isNonNullType(type) ? type.ofType : type);

/** The length of the lists in a field that an argument sets; null: the field has no such argument. */
function sizeOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number | null {
  const declared = field.args.find(({ name }) => `${field.name}.${name}` in LIST_SIZES);
  if (!declared) return null;
  const given = node.arguments?.find(({ name }) => name.value === declared.name)?.value;
  const longest = LIST_SIZES[`${field.name}.${declared.name}`] ?? LIST_ASSUMED;
  if (given?.kind === Kind.INT) return Math.min(Math.max(Number(given.value), 0), longest);
  if (given) return longest;
  return typeof declared.defaultValue === 'number' ? declared.defaultValue : LIST_ASSUMED;
}

const INTROSPECTION = ['__schema', '__type'];

/**
 * Applies to callers who may not read the schema. `__typename` is allowed, because it only repeats what the document
 * names.
 */
export const refuseIntrospection: ValidationRule = (context) => ({
  Field: {
    enter: (node) => {
      if (!INTROSPECTION.includes(node.name.value)) return;
      const originalError = new DomainError('forbidden', { public: 'Only operators may read the schema.' });
      context.reportError(new GraphQLError(originalError.message, { nodes: node, originalError }));
    },
  },
});
