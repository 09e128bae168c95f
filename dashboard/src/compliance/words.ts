import type { AuditGroupState, ComplianceDeclarationKind, ControlStatus } from '../../generated/operations';

/** The words of each status, the worst first. Its colour is only an aid. */
export const STATUSES: Record<ControlStatus, { readonly label: string; readonly color: string }> = {
  fail: { label: 'Fails', color: 'red' },
  unknown: { label: 'Unknown', color: 'orange' },
  pass: { label: 'Passes', color: 'green' },
  not_applicable: { label: 'Not applicable', color: 'gray' },
};
export const STATUS_NAMES = Object.keys(STATUSES) as ControlStatus[];

export const GROUP_STATES: Record<AuditGroupState, string> = {
  configured: 'Configured',
  observed: 'Observed',
  contradicted: 'Not recorded',
  silent: 'Nothing known',
};

export const KINDS: Record<ComplianceDeclarationKind, string> = {
  sensitive: 'Sensitive data',
  auditor: 'Allowed auditor',
  application: 'Allowed application',
  workingHours: 'Working hours',
  excluded: 'Not assessed',
  snapshot: 'Snapshot of specifications',
};
