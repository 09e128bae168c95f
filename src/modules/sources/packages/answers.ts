import {
  isPackageVersion,
  PACKAGE_CHARS_MAX,
  PACKAGE_STATES,
  partsOf,
  SHA256,
  SIGNATURE,
  WINDOW,
} from '../../../event/agent-package';
import type { InputShape, ParameterSpecs } from '../../../event/parameter-specs';
import type { Choices, Shape, ShapeFields } from '../../../event/shape';
import { LIMITS } from '../../../limits';
import { type Problem, problem } from '../../../problem';

const STATE = {
  name: 'AgentPackageState',
  doc: 'How far an agent has come with a package.',
  values: PACKAGE_STATES,
} as const satisfies Choices;

const SIGNED =
  'Ed25519 in Base64, over version, build, size, SHA-256 and allowsOlder. Agents check it by the key of their file.';
const WINDOW_DOC =
  'When agents may begin to run it, by the local time of each host, as 02:00-04:00. Null: at once.';

/** What an agent needs to know of a package. */
const OFFER = {
  packageId: { kind: 'id' },
  version: { kind: 'text' },
  build: { kind: 'integer', doc: 'Orders builds of one version.' },
  size: { kind: 'integer', doc: 'In bytes.' },
  sha256: { kind: 'text', doc: 'Of the file, in hexadecimal digits.' },
  signature: { kind: 'text', doc: SIGNED },
  window: { kind: 'text', nullable: true, doc: WINDOW_DOC },
  allowsOlder: { kind: 'boolean', doc: 'Whether agents that run a newer version take it, too.' },
} as const satisfies ShapeFields;

/** What the answer to a report offers. */
export const OFFERED_PACKAGE = {
  package: {
    kind: 'object',
    nullable: true,
    of: { name: 'OfferedAgentPackage', doc: 'A package that an agent is to run.', fields: OFFER },
    doc: "The package that is offered to the agent's group. Null: none.",
  },
} as const satisfies ShapeFields;

export const AGENT_PACKAGE = {
  name: 'AgentPackage',
  doc: 'The program of agents in one file, and the group of hosts to which it is offered.',
  fields: {
    tenantId: { kind: 'text' },
    groupId: { kind: 'id' },
    ...OFFER,
    offeredAt: {
      kind: 'time',
      nullable: true,
      doc: 'Null: its file is not whole, and it is not offered yet.',
    },
    hosts: { kind: 'count', doc: 'Hosts of the group that have reported.' },
    installed: { kind: 'count', doc: 'Those that run it.' },
    takenBack: { kind: 'count', doc: 'Those on which it did not work, so that the version before runs.' },
    refused: { kind: 'count', doc: 'Those that do not take it.' },
  },
} as const satisfies Shape;

export const AGENT_PACKAGE_PART = {
  name: 'AgentPackagePart',
  doc: 'A part of the file of a package.',
  fields: { bytes: { kind: 'text', doc: 'In Base64.' } },
} as const satisfies Shape;

/** What a source shows of the package of its agent. */
export const SOURCE_PACKAGE = {
  wantedPackage: {
    kind: 'text',
    nullable: true,
    doc: 'Version of the package that is offered to its agent. Null: none is.',
  },
  packageState: {
    kind: 'choice',
    choices: STATE,
    nullable: true,
    doc: 'How far its agent has come with it, at its last report. Null: none is offered.',
  },
  packageReason: { kind: 'text', nullable: true, doc: 'Why it is in that state, as the agent says.' },
} as const satisfies ShapeFields;

const matching =
  (form: RegExp, says: string) =>
  (text: string, field: string): Problem[] =>
    form.test(text) ? [] : [problem(field, 'malformed', says)];

/** As an agent reports it. */
export const PACKAGE_REPORT = {
  name: 'AgentPackageReport',
  doc: 'How far the agent has come with a package.',
  fields: {
    sha256: { kind: 'text', isRequired: true, check: matching(SHA256, 'must be 64 hexadecimal digits') },
    version: { kind: 'text', charsMax: PACKAGE_CHARS_MAX.version, isRequired: true },
    state: { kind: 'enum', choices: STATE, isRequired: true },
    reason: { kind: 'text', charsMax: PACKAGE_CHARS_MAX.reason, isEmptyAllowed: true },
  },
} as const satisfies InputShape;

const PACKAGE = { kind: 'reference', isRequired: true } as const;
const PART = {
  kind: 'integer',
  min: 0,
  max: partsOf(LIMITS.agentPackageBytesMax) - 1,
  isRequired: true,
} as const;

export const AGENT_PACKAGES = {
  tenantId: { kind: 'reference', doc: 'Null: of every tenant.' },
} as const satisfies ParameterSpecs;

export const OFFER_AGENT_PACKAGE = {
  groupId: { kind: 'reference', isRequired: true },
  version: {
    kind: 'text',
    isRequired: true,
    charsMax: PACKAGE_CHARS_MAX.version,
    check: (text: string, field: string) =>
      isPackageVersion(text) ? [] : [problem(field, 'malformed', 'must be a version such as 1.2.3')],
  },
  build: { kind: 'integer', min: 0, isRequired: true, doc: OFFER.build.doc },
  fileSize: { kind: 'integer', min: 1, max: LIMITS.agentPackageBytesMax, isRequired: true, doc: 'In bytes.' },
  sha256: { kind: 'text', isRequired: true, check: matching(SHA256, 'must be 64 hexadecimal digits') },
  signature: {
    kind: 'text',
    isRequired: true,
    check: matching(SIGNATURE, 'must be 64 bytes in Base64'),
    doc: SIGNED,
  },
  window: {
    kind: 'text',
    check: matching(WINDOW, 'must be two times of a day, as 02:00-04:00'),
    doc: WINDOW_DOC,
  },
  allowsOlder: { kind: 'boolean', default: false, doc: OFFER.allowsOlder.doc },
} as const satisfies ParameterSpecs;

export const ADD_AGENT_PACKAGE_PART = {
  packageId: PACKAGE,
  part: { ...PART, doc: `From 0; each but the last has ${LIMITS.agentPackagePartBytes} bytes.` },
  bytes: {
    kind: 'text',
    charsMax: Math.ceil(LIMITS.agentPackagePartBytes / 3) * 4,
    isRequired: true,
    check: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'must be Base64'),
    doc: 'In Base64.',
  },
} as const satisfies ParameterSpecs;

export const AGENT_PACKAGE_PART_PARAMETERS = {
  packageId: PACKAGE,
  part: { ...PART, doc: 'From 0.' },
} as const satisfies ParameterSpecs;

export const WITHDRAW_AGENT_PACKAGE = { packageId: PACKAGE } as const satisfies ParameterSpecs;
