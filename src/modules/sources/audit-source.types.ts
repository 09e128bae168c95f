import type { Answer } from '../../event/shape';
import { objectType } from '../../graphql/object-type';
import { AUDIT_GAP, AUDIT_SOURCE } from './answers';

export const AuditGapType = objectType(AUDIT_GAP);
export type AuditGapType = Answer<typeof AUDIT_GAP>;
export const AuditSourceType = objectType(AUDIT_SOURCE);
export type AuditSourceType = Answer<typeof AUDIT_SOURCE>;
