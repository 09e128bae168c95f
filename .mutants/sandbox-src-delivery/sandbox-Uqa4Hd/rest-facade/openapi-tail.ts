import { TAIL_PARAMETERS } from '../src/modules/tail/parameters';
import { TAIL_OPERATION, TAIL_RULE } from '../src/modules/tail/tail-rule';
import { NDJSON, TAIL_HEADERS } from './tail';

/** The OpenAPI description of the tail. */
export const TAIL = {
  operationId: TAIL_OPERATION,
  summary: 'Returns events in the order in which they arrived, each once: for collectors.',
  description: `Begin with \`from\`, and go on with \`meta.nextCursor\` of each answer as \`cursor\`, filters repeated. An
event that arrives late, whatever its time, comes after those that arrived before it, so nothing is missed and nothing
comes twice; between tenants no order is promised. \`meta.caughtUp\` is true at the end of every tenant's log: ask again
later, or with \`wait\`. An answer may be empty without being caught up, where much was passed that does not match or is
gone; go on at once then. Events are there a second or two after their receipt.

A cursor does not expire, and goes on with another key of the same tenants. \`meta.removed\` counts the positions passed
whose event retention removed; an event that was removed and sent again arrives anew. A cursor that was changed, or given
for other filters, is \`invalid_parameter\`; one that names a tenant the key no longer has, \`forbidden\`. A tenant that the
key has gained needs a new cursor.

With \`Accept: ${NDJSON}\` each line is an event, and the rest stands in ${Object.keys(TAIL_HEADERS)
    .map((name) => `\`${name}\``)
    .join(', ')}.`,
  scope: TAIL_RULE.scope,
  query: TAIL_PARAMETERS,
  headers: TAIL_HEADERS,
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/AuditActivityTail' } },
    [NDJSON]: {
      schema: {
        anyOf: ['AuditActivityTailItem', 'OtherFormat'].map((name) => ({
          $ref: `#/components/schemas/${name}`,
        })),
      },
    },
  },
} as const;
