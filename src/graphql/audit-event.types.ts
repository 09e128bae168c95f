import { AUDIT_EVENT, AUDIT_EVENT_PAGE, AUDIT_SUMMARY } from '../event/answers';
import { objectType } from './object-type';

export const AuditEventType = objectType(AUDIT_EVENT);
export const AuditEventPage = objectType(AUDIT_EVENT_PAGE);
export const AuditSummaryType = objectType(AUDIT_SUMMARY);
