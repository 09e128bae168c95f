import type { ParameterSpecs, ParameterValues } from '../../event/parameter-specs';
import type { Answer, Choices, Shape } from '../../event/shape';
import { workingHoursProblems } from '../../event/working-hours';
import { LIMITS } from '../../limits';
import { type Problem, problem } from '../../problem';
import type { Declaration, Declared } from './scope';

const DECLARATION_KIND = {
  name: 'ComplianceDeclarationKind',
  doc: 'What a declaration is about.',
  values: {
    sensitive: 'A database, a schema or an object whose accesses must be recorded.',
    auditor: 'A login that may choose what is audited.',
    application: 'An application through which people and programs reach the server.',
    workingHours: 'When people work on the server. Reports show what was done at other times.',
    excluded: 'A server instance that is not assessed, such as a test server.',
    snapshot: 'The specifications that a server has, as its catalog shows them.',
  },
} as const satisfies Choices;
type Kind = keyof typeof DECLARATION_KIND.values;

export const COMPLIANCE_DECLARATION = {
  name: 'ComplianceDeclaration',
  doc: 'What an operator declares about servers for assessments of compliance.',
  fields: {
    declarationId: { kind: 'id' },
    tenantId: { kind: 'text' },
    kind: { kind: 'choice', choices: DECLARATION_KIND },
    serverInstanceName: { kind: 'text', nullable: true, doc: 'Null: every server instance.' },
    databaseName: { kind: 'text', nullable: true },
    schemaName: { kind: 'text', nullable: true, doc: 'Null: every schema of the database.' },
    objectName: { kind: 'text', nullable: true, doc: 'Null: every object.' },
    principalName: { kind: 'text', nullable: true, doc: 'The login of an auditor.' },
    applicationName: { kind: 'text', nullable: true },
    workingHours: { kind: 'text', nullable: true },
    sha256: { kind: 'text', nullable: true, doc: 'Of a snapshot: the hash of its file.' },
    reason: { kind: 'text' },
    validFrom: { kind: 'time', doc: 'Of a snapshot: when it was taken.' },
    validUntil: { kind: 'time', nullable: true, doc: 'Null: it has no end.' },
    createdBy: { kind: 'text' },
    createdAt: { kind: 'time' },
  },
} as const satisfies Shape;

const NAME = { kind: 'text', charsMax: LIMITS.filterCharsMax } as const;
const TENANT = { kind: 'reference', isRequired: true } as const;

export const DECLARE = {
  tenantId: TENANT,
  kind: { kind: 'enum', choices: DECLARATION_KIND, isRequired: true },
  serverInstanceName: { ...NAME, doc: 'Of this server instance. Default: every one.' },
  databaseName: { ...NAME, doc: 'Of `sensitive`: the database.' },
  schemaName: { ...NAME, doc: 'Of `sensitive`: this schema only.' },
  objectName: { ...NAME, doc: 'Of `sensitive`: this object only; needs `schemaName`.' },
  principalName: { ...NAME, doc: 'Of `auditor`: the login.' },
  applicationName: {
    ...NAME,
    doc: 'Of `application`: its name as log-ons state it; `*` at its end stands for any text.',
  },
  workingHours: {
    ...NAME,
    check: workingHoursProblems,
    doc: 'Of `workingHours`: days, hours and time zone, such as `Mon-Fri 07:00-19:00 Europe/Berlin`. Without a time zone it is UTC.',
  },
  reason: { kind: 'text', charsMax: LIMITS.declarationReasonCharsMax, isRequired: true, doc: 'Why.' },
  validFrom: { kind: 'time', isStored: true, doc: 'From when it holds. Default: now.' },
} as const satisfies ParameterSpecs;

export const UPLOAD_SNAPSHOT = {
  tenantId: TENANT,
  snapshot: {
    kind: 'text',
    charsMax: LIMITS.snapshotCharsMax,
    isRequired: true,
    doc: 'What the question of docs/compliance.md answers: JSON.',
  },
} as const satisfies ParameterSpecs;

export const END_DECLARATION = {
  tenantId: TENANT,
  declarationId: { kind: 'id', isRequired: true },
  validUntil: { kind: 'time', isStored: true, doc: 'Until when it holds. Default: now.' },
} as const satisfies ParameterSpecs;

export const DECLARATIONS_OF = {
  tenantId: TENANT,
  asOf: { kind: 'time', doc: 'Those that hold at this moment. Default: all, also those that ended.' },
} as const satisfies ParameterSpecs;

type Given = ParameterValues<typeof DECLARE>;
type Part =
  | 'databaseName'
  | 'schemaName'
  | 'objectName'
  | 'principalName'
  | 'applicationName'
  | 'workingHours';

/** The parts of each kind; those in `needs` must be given. */
const PARTS: Readonly<
  Record<Exclude<Kind, 'snapshot'>, { readonly needs: readonly string[]; readonly takes: readonly string[] }>
> = {
  sensitive: { needs: ['databaseName'], takes: ['serverInstanceName', 'schemaName', 'objectName'] },
  auditor: { needs: ['principalName'], takes: ['serverInstanceName'] },
  application: { needs: ['applicationName'], takes: ['serverInstanceName'] },
  workingHours: { needs: ['workingHours'], takes: ['serverInstanceName'] },
  excluded: { needs: ['serverInstanceName'], takes: [] },
};
const ALL_PARTS = [...new Set(Object.values(PARTS).flatMap(({ needs, takes }) => [...needs, ...takes]))];

/** What is given for the wrong kind, or lacks. */
export function declarationProblems(given: Given): readonly Problem[] {
  if (given.kind === 'snapshot') return [problem('kind', 'conflict', 'is made by uploadComplianceSnapshot')];
  const { needs, takes } = PARTS[given.kind];
  const isGiven = (name: string) => given[name as Part] !== undefined;
  return [
    ...needs
      .filter((name) => !isGiven(name))
      .map((name) => problem(name, 'missing', `must be given for ${given.kind}`)),
    ...ALL_PARTS.filter((name) => isGiven(name) && !needs.includes(name) && !takes.includes(name)).map(
      (name) => problem(name, 'conflict', `does not go with ${given.kind}`),
    ),
    ...(isGiven('objectName') && !isGiven('schemaName')
      ? [problem('schemaName', 'missing', 'must be given with objectName')]
      : []),
  ];
}

/** What is declared, of checked values. */
export function declaredOf(given: Given): Declared {
  const { kind, databaseName = '', schemaName = null, objectName = null } = given;
  switch (kind) {
    case 'sensitive':
      return { kind, databaseName, schemaName, objectName };
    case 'auditor':
      return { kind, principalName: given.principalName ?? '' };
    case 'application':
      return { kind, applicationName: given.applicationName ?? '' };
    case 'workingHours':
      return { kind, workingHours: given.workingHours ?? '' };
    case 'excluded':
    case 'snapshot':
      return { kind: 'excluded' };
  }
}

const NOTHING = {
  databaseName: null,
  schemaName: null,
  objectName: null,
  principalName: null,
  applicationName: null,
  workingHours: null,
  sha256: null,
};

export const toAnswer = (
  tenantId: number,
  { validFrom, validUntil, createdAt, ...declaration }: Declaration,
): Answer<typeof COMPLIANCE_DECLARATION> => ({
  ...NOTHING,
  ...declaration,
  tenantId: String(tenantId),
  validFrom: validFrom.toISOString(),
  validUntil: validUntil?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});
