import type { Answer } from '../../event/shape';
import { objectType } from '../../graphql/object-type';
import { AUDIT_LOG, CHECKPOINTS, CONSISTENCY, ENTRIES, PROOF, REMOVALS } from './answer-fields';

export const AuditLogType = objectType(AUDIT_LOG);
export type AuditLogType = Answer<typeof AUDIT_LOG>;
export const CheckpointsType = objectType(CHECKPOINTS);
export const EntriesType = objectType(ENTRIES);
export const ConsistencyType = objectType(CONSISTENCY);
export const RemovalsType = objectType(REMOVALS);
export const ProofType = objectType(PROOF);
