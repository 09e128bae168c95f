import { AUDIT_EVENT, AUDIT_EVENT_PAGE, AUDIT_SUMMARY } from '../event/answers';
import { LIST_PARAMETERS, SUMMARY_PARAMETERS } from '../event/parameters';
import { argumentsType, type GivenArguments, objectType } from './object-type';

export const AuditEventType = objectType(AUDIT_EVENT);
export const AuditEventPage = objectType(AUDIT_EVENT_PAGE);
export const AuditSummaryType = objectType(AUDIT_SUMMARY);

export const AuditEventsArgs = argumentsType(LIST_PARAMETERS);
export type AuditEventsArgs = GivenArguments;
export const AuditSummaryArgs = argumentsType(SUMMARY_PARAMETERS);
export type AuditSummaryArgs = GivenArguments;
