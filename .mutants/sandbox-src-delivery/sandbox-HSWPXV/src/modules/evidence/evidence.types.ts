import type { Answer } from '../../event/shape';
import { argumentsType, type GivenArguments, objectType } from '../../graphql/object-type';
import {
  AUDIT_LOG,
  AUDIT_LOG_PARAMETERS,
  CHECKPOINTS,
  CHECKPOINTS_PARAMETERS,
  CONSISTENCY,
  CONSISTENCY_PARAMETERS,
  ENTRIES,
  ENTRIES_PARAMETERS,
  PROOF,
  REMOVALS,
} from './answer-fields';

export const AuditLogType = objectType(AUDIT_LOG);
export type AuditLogType = Answer<typeof AUDIT_LOG>;
export const CheckpointsType = objectType(CHECKPOINTS);
export const EntriesType = objectType(ENTRIES);
export const ConsistencyType = objectType(CONSISTENCY);
export const RemovalsType = objectType(REMOVALS);
export const ProofType = objectType(PROOF);

export const AuditLogArgs = argumentsType(AUDIT_LOG_PARAMETERS);
export const CheckpointsArgs = argumentsType(CHECKPOINTS_PARAMETERS);
export const EntriesArgs = argumentsType(ENTRIES_PARAMETERS);
export const ConsistencyArgs = argumentsType(CONSISTENCY_PARAMETERS);
export type AuditLogArgs = GivenArguments;
export type CheckpointsArgs = GivenArguments;
export type EntriesArgs = GivenArguments;
export type ConsistencyArgs = GivenArguments;
