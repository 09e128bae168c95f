import { createHash } from 'node:crypto';
import type { Answer } from '../../event/shape';
import { API_BASE_PATH, API_VERSION } from '../../version';
import type { COMPLIANCE_CONTROL_ITEM } from './answers';
import type { Framework } from './frameworks';

type ControlItem = Answer<typeof COMPLIANCE_CONTROL_ITEM>;

const OSCAL_VERSION = '1.2.2';
/** The namespace of the properties that OSCAL does not define. */
const NAMESPACE = 'urn:audit-activity:compliance';

/**
 * OSCAL assessment results: one result for each framework, with a finding and an observation for each control and server
 * instance. The same question has the same ids.
 * @param asOf the moment of the assessment; as a time of OSCAL
 */
export function assessmentResults(
  frameworks: readonly Framework[],
  items: readonly ControlItem[],
  { asOf, now }: { readonly asOf: string; readonly now: string },
): object {
  const plan = idOf('plan');
  return {
    'assessment-results': {
      uuid: idOf('document', asOf, ...frameworks.map(({ frameworkId }) => frameworkId), ...subjectsOf(items)),
      metadata: {
        title: 'Controls of SQL Server instances, assessed from their audit trail',
        'last-modified': now,
        version: API_VERSION,
        'oscal-version': OSCAL_VERSION,
      },
      'import-ap': { href: `#${plan}` },
      results: frameworks.map((framework) => resultOf(framework, items, asOf)),
      'back-matter': {
        resources: [
          {
            uuid: plan,
            title: 'Assessment plan',
            description:
              'There is no plan of its own. Each control is assessed on each server instance, from the audit events up to a moment.',
          },
        ],
      },
    },
  };
}

function resultOf(
  { frameworkId, title, controls }: Framework,
  all: readonly ControlItem[],
  asOf: string,
): object {
  const items = all.filter((item) => item.frameworkId === frameworkId);
  const subjects = new Map(items.map((item) => [subjectOf(item), item]));
  const selected = new Map<string, string[]>();
  for (const { controlId } of controls) {
    const { control, statement } = idsOf(frameworkId, controlId);
    selected.set(control, [...(selected.get(control) ?? []), ...(statement ? [statement] : [])]);
  }
  return {
    uuid: idOf('result', frameworkId, asOf, ...subjects.keys()),
    title: `${title}, as of ${asOf}`,
    description: 'What the audit events of each server instance say of each control, up to a moment.',
    start: asOf,
    end: asOf,
    ...(subjects.size > 0 && {
      'local-definitions': {
        'inventory-items': [...subjects].map(([uuid, { tenantId, serverInstanceName }]) => ({
          uuid,
          description: 'A server instance of SQL Server',
          props: [
            property('server-instance-name', serverInstanceName),
            property('tenant-id', tenantId),
          ].flat(),
        })),
      },
    }),
    'reviewed-controls': {
      'control-selections': [
        {
          'include-controls': [...selected].map(([control, statements]) => ({
            'control-id': control,
            ...(statements.length > 0 && { 'statement-ids': statements }),
          })),
        },
      ],
    },
    'assessment-log': {
      entries: [
        {
          uuid: idOf('entry', frameworkId, asOf, ...subjects.keys()),
          title: 'Assessment from the audit events',
          start: asOf,
          end: asOf,
        },
      ],
    },
    ...(items.length > 0 && {
      observations: items.map((item) => observationOf(item, asOf)),
      findings: items.map((item) => findingOf(item, asOf)),
    }),
  };
}

const observationOf = (item: ControlItem, asOf: string) => ({
  uuid: observationIdOf(item, asOf),
  description: markdown(item.reason),
  props: [
    property('status', item.status),
    property('since', item.since),
    property('evaluated-through', item.evaluatedThrough),
    property('database-name', item.databaseName),
  ].flat(),
  methods: ['EXAMINE'],
  subjects: [{ 'subject-uuid': subjectOf(item), type: 'inventory-item' }],
  ...(item.recordIds.length > 0 && {
    'relevant-evidence': item.recordIds.map((id) => ({
      href: `${API_BASE_PATH}/audit-activity/${id}`,
      description: 'The audit event. The path `/proof` below it has its proof of the evidence log.',
    })),
  }),
  collected: asOf,
});

/** OSCAL has no "unknown" and no "not applicable": nothing says that such a control is satisfied. */
const STATUSES = {
  pass: { state: 'satisfied', reason: 'pass' },
  fail: { state: 'not-satisfied', reason: 'fail' },
  unknown: { state: 'not-satisfied', reason: 'other' },
  not_applicable: { state: 'not-satisfied', reason: 'other' },
} as const;

function findingOf(item: ControlItem, asOf: string): object {
  const { control, statement } = idsOf(item.frameworkId, item.controlId);
  return {
    uuid: idOf('finding', ...keyOf(item), asOf),
    title: markdown(`${item.controlId}: ${item.title}`),
    description: markdown(item.reason),
    props: [property('control-id', item.controlId), property('status', item.status)].flat(),
    target: {
      type: statement ? 'statement-id' : 'objective-id',
      'target-id': statement ?? control,
      status: { ...STATUSES[item.status], remarks: markdown(item.reason) },
    },
    'related-observations': [{ 'observation-uuid': observationIdOf(item, asOf) }],
  };
}

const keyOf = ({ frameworkId, controlId, tenantId, serverInstanceName, databaseName }: ControlItem) => [
  frameworkId,
  controlId,
  tenantId,
  serverInstanceName,
  databaseName ?? '',
];
const observationIdOf = (item: ControlItem, asOf: string) => idOf('observation', ...keyOf(item), asOf);
const subjectOf = ({ tenantId, serverInstanceName }: ControlItem) =>
  idOf('instance', tenantId, serverInstanceName);
const subjectsOf = (items: readonly ControlItem[]) => [...new Set(items.map(subjectOf))];

/** A property; none where there is no value. OSCAL takes one line without spaces at its ends. */
function property(name: string, value: string | null): readonly object[] {
  const line = (value ?? '').replace(/\s+/g, ' ').trim();
  return line === '' ? [] : [{ name, ns: NAMESPACE, value: line }];
}

/** What Markdown, as OSCAL has it, would read as more than itself. An underscore within a word and most backslashes are none of it. */
const MARKUP = /[`*[<&{~^]|\\(?=[!-/:-@[-`{-~]|$)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** A text in one line of Markdown that shows it unchanged: logins, objects and reasons of people may have any character. */
const markdown = (text: string): string => text.replace(/\s+/g, ' ').trim().replace(MARKUP, '\\$&');

/** Ids of NIST 800-53 are those of its OSCAL catalog. Others are made tokens of OSCAL. */
function idsOf(
  frameworkId: string,
  controlId: string,
): { readonly control: string; readonly statement?: string } {
  const nist = /^([A-Z]{2}-\d+)(?: \((\d+)\))?(?: ([a-z]))?$/.exec(controlId);
  if (frameworkId.startsWith('nist-') && nist) {
    const [, base = '', enhancement, part] = nist;
    const control = base.toLowerCase() + (enhancement ? `.${enhancement}` : '');
    return { control, statement: `${control}_smt${part ? `.${part}` : ''}` };
  }
  const token = controlId.replace(/[^\p{L}\p{N}._-]+/gu, '_').replace(/_$/, '');
  return { control: /^\p{L}/u.test(token) ? token : `${frameworkId}_${token}` };
}

/** A UUID of version 5 that the parts name. */
function idOf(...parts: readonly string[]): string {
  const bytes = createHash('sha1')
    .update(JSON.stringify([NAMESPACE, ...parts]))
    .digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
