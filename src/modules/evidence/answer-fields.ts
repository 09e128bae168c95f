import type { ParameterSpecs, QuerySpecs } from '../../event/parameter-specs';
import type { Shape, ShapeFields } from '../../event/shape';
import { LIMITS } from '../../limits';

const tenantId = { kind: 'text', doc: 'Tenant of the log.' } as const;
const CHECKPOINT =
  'Signed note: origin, entries, root hash in Base64, number and time, an empty line, the signature (Ed25519), and signatures of witnesses.';

export const AUDIT_LOG = {
  name: 'AuditLog',
  doc: "State of a tenant's evidence log.",
  fields: {
    tenantId,
    size: { kind: 'count', doc: 'Entries of the log: one for each event accepted.' },
    waitingEvents: { kind: 'count', doc: 'Events accepted that are not in the log yet.' },
    oldestWaitingAt: { kind: 'time', nullable: true, doc: 'When the oldest of them was accepted.' },
    refusedEvents: {
      kind: 'count',
      doc: 'Events that will not enter the log, because somebody changed their waiting hashes in the database.',
    },
    backfilling: {
      kind: 'boolean',
      doc: 'Whether the log is still taking in events from before it existed.',
    },
    problem: {
      kind: 'text',
      nullable: true,
      doc: 'Why this instance does not append to the log. Null: it does.',
    },
    publicKey: { kind: 'text', doc: 'Key of this service, by which its checkpoints are verified.' },
    checkpoint: { kind: 'text', nullable: true, doc: `The newest checkpoint. ${CHECKPOINT}` },
  },
} as const satisfies Shape;

export const TIME_STAMP = {
  name: 'AuditLogTimeStamp',
  doc: 'What a time-stamp authority said of a checkpoint.',
  fields: {
    number: { kind: 'count', doc: 'Number of the checkpoint.' },
    token: {
      kind: 'text',
      doc: "Base64: a time-stamp token (RFC 3161) over the SHA-256 of the checkpoint, up to the log's own signature.",
    },
  },
} as const satisfies Shape;

export const CHECKPOINTS = {
  name: 'AuditLogCheckpoints',
  doc: 'Signed checkpoints of the evidence log.',
  fields: {
    tenantId,
    checkpoints: { kind: 'text', isList: true, doc: `In the order they were signed. ${CHECKPOINT}` },
    timeStamps: {
      kind: 'object',
      isList: true,
      of: TIME_STAMP,
      doc: 'Of those of them that a time-stamp authority stamped.',
    },
  },
} as const satisfies Shape;

export const ENTRIES = {
  name: 'AuditLogEntries',
  doc: 'Entries of the evidence log.',
  fields: {
    tenantId,
    start: {
      kind: 'count',
      doc: 'Index of the first entry, from 0. It is above `start` if entries are gone from the database.',
    },
    count: { kind: 'count', doc: 'Entries in this answer; 0 beyond the end.' },
    recordIds: { kind: 'text', doc: 'Base64: 16 bytes for each entry, its record id.' },
    leafHashes: { kind: 'text', doc: 'Base64: 32 bytes for each entry, its leaf hash.' },
  },
} as const satisfies Shape;

export const CONSISTENCY = {
  name: 'AuditLogConsistency',
  doc: 'Proof that a log begins with all entries of an older one.',
  fields: {
    tenantId,
    from: { kind: 'count', doc: 'Entries of the older log.' },
    to: { kind: 'count', doc: 'Entries of the newer log.' },
    hashes: { kind: 'text', isList: true, doc: 'The consistency proof of RFC 9162, each hash in Base64.' },
  },
} as const satisfies Shape;

export const REMOVAL = {
  name: 'AuditLogRemoval',
  doc: 'What retention removed.',
  fields: {
    from: { kind: 'time', doc: 'Start of the whole hours around the events removed.' },
    to: { kind: 'time', doc: 'End of those hours.' },
    before: { kind: 'time', doc: 'Only events before this time were removed.' },
    events: { kind: 'count', doc: 'Events removed.' },
    lastRunAt: { kind: 'time', doc: 'When the last of the runs began.' },
  },
} as const satisfies Shape;

export const REMOVALS = {
  name: 'AuditLogRemovals',
  doc: 'What retention removed of a tenant, what operators erased, and which files hold its weeks.',
  fields: {
    tenantId,
    removals: { kind: 'object', isList: true, of: REMOVAL, doc: 'By day, oldest first.' },
    erasures: {
      kind: 'text',
      isList: true,
      doc: 'The entries of erasures in the log, oldest first: JSON of "erasure", its id, the tenant, the time, who, the reason, how many events, and the erased entries as ranges of indexes.',
    },
    fileEntries: {
      kind: 'text',
      isList: true,
      doc: 'The entries of files in the log: JSON of "file", its id, the tenant, the time, and the values of the file as in `files`.',
    },
    files: {
      kind: 'text',
      isList: true,
      doc: 'The files that hold weeks now: JSON of the beginning of the week, the version of its layout, SHA-256, bytes, events, and the first and the last record id.',
    },
  },
} as const satisfies Shape;

export const PROOF = {
  name: 'AuditEventProof',
  doc: 'Proof that an event is in the evidence log.',
  fields: {
    index: { kind: 'count', doc: 'Index of the event in the log, from 0.' },
    leafHash: { kind: 'text', doc: 'Base64.' },
    path: { kind: 'text', isList: true, doc: 'The inclusion proof of RFC 9162, each hash in Base64.' },
    checkpoint: { kind: 'text', doc: `The checkpoint whose root hash the path gives. ${CHECKPOINT}` },
  },
} as const satisfies Shape;

/** The proof of an event in the log. */
export const PROOF_OF_EVENT = {
  proof: {
    kind: 'object',
    nullable: true,
    of: PROOF,
    doc: 'Proof that the event is in the evidence log. Null: no checkpoint covers the event yet, which takes up to a minute.',
  },
} as const satisfies ShapeFields;

const TENANT_ID_CHARS = 10;
const INDEX_MAX = 2_147_483_647; // GraphQL's Int
const TENANT = {
  tenantId: {
    kind: 'text',
    charsMax: TENANT_ID_CHARS,
    doc: 'Tenant of the log. Optional for a key of one tenant.',
  },
} as const satisfies QuerySpecs;

export const AUDIT_LOG_PARAMETERS = TENANT;
export const AUDIT_LOGS_PARAMETERS = {
  tenantIds: { kind: 'texts', doc: 'Null: of every tenant.' },
} as const satisfies ParameterSpecs;
export const LOG_CHECK_PARAMETERS = {
  tenantId: { kind: 'reference', isRequired: true },
  start: { kind: 'integer', min: 0, isRequired: true, default: 0 },
} as const satisfies ParameterSpecs;
export const CHECKPOINTS_PARAMETERS = {
  ...TENANT,
  after: {
    kind: 'integer',
    min: 0,
    max: INDEX_MAX,
    default: 0,
    doc: `Begins after the checkpoint of this number. An answer has at most ${LIMITS.evidenceCheckpointsMax}, and ${LIMITS.timeStampsMax} time stamps.`,
  },
} as const satisfies QuerySpecs;
export const ENTRIES_PARAMETERS = {
  ...TENANT,
  start: {
    kind: 'integer',
    min: 0,
    max: INDEX_MAX,
    default: 0,
    doc: `Index of the first entry. An answer has at most ${LIMITS.evidenceEntriesMax}.`,
  },
} as const satisfies QuerySpecs;
export const CONSISTENCY_PARAMETERS = {
  ...TENANT,
  from: {
    kind: 'integer',
    min: 1,
    max: INDEX_MAX,
    default: 1,
    doc: 'Entries of the older log, as its checkpoint says.',
  },
  to: {
    kind: 'integer',
    min: 1,
    max: INDEX_MAX,
    default: 1,
    doc: 'Entries of the newer log, as its checkpoint says.',
  },
} as const satisfies QuerySpecs;
