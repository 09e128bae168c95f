import { LIMITS } from '../src/limits';
import { PACKAGE_OPERATION, PACKAGE_RULE } from '../src/modules/evidence/package/package-rule';
import { PACKAGE_PARAMETERS } from '../src/modules/evidence/package/parameters';

/** The OpenAPI description of evidence packages. */
export const PACKAGE = {
  operationId: PACKAGE_OPERATION,
  tag: 'Evidence log',
  summary: 'Returns an evidence package: all events that match, with what proves them, as a zip file.',
  description: `The package has the events as the export has them, their proofs, the signed checkpoint, the public key,
what is missing from the sources that may concern the question, who asked for what and when, and a page that verifies
all of it without a network. docs/evidence.md describes the files.

The answer is a stream. Where the newest events are not signed yet, it waits for their checkpoint, up to
${LIMITS.packageWaitMs / 1000} seconds. What fails after the first byte breaks the connection. A package has at most
${LIMITS.packageEventsMax} events. A key has one export or package at a time, over all instances: another is
\`rate_limited\`. Where the tenant masks its statements, a key that sees them masked is \`forbidden\`: masked events cannot
be proven.`,
  scope: PACKAGE_RULE.scope,
  query: PACKAGE_PARAMETERS,
  content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
} as const;
