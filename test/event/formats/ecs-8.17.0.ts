/** The allowed values of ECS 8.17.0, copied from its published reference. */
export const KINDS = [
  ...['alert', 'asset', 'enrichment', 'event', 'metric', 'state', 'pipeline_error', 'signal'],
];
export const CATEGORIES = [
  ...['api', 'authentication', 'configuration', 'database', 'driver', 'email', 'file', 'host', 'iam'],
  ...['intrusion_detection', 'library', 'malware', 'network', 'package', 'process', 'registry', 'session'],
  ...['threat', 'vulnerability', 'web'],
];
/** The types that each category in use allows. */
export const TYPES_OF: Readonly<Record<string, readonly string[]>> = {
  authentication: ['start', 'end', 'info'],
  configuration: ['access', 'change', 'creation', 'deletion', 'info'],
  database: ['access', 'change', 'info', 'error'],
  iam: ['admin', 'change', 'creation', 'deletion', 'group', 'info', 'user'],
  process: ['access', 'change', 'end', 'info', 'start'],
  session: ['start', 'end', 'info'],
};
export const TYPES = [
  ...['access', 'admin', 'allowed', 'change', 'connection', 'creation', 'deletion', 'denied', 'end', 'error'],
  ...['group', 'indicator', 'info', 'installation', 'protocol', 'start', 'user'],
];
export const OUTCOMES = ['success', 'failure', 'unknown'];
/** `@timestamp` and `ecs.version` are required of every document. */
export const REQUIRED = ['@timestamp', 'ecs'];
export const FIELD_SETS = [
  ...REQUIRED,
  ...['event', 'organization', 'host', 'user', 'group', 'source', 'related'],
  // Custom fields stand under a top-level name that ECS does not use.
  'sqlserver',
];
