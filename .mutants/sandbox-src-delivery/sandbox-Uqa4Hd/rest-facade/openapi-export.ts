import { EXPORT_OPERATION, EXPORT_RULE } from '../src/modules/export/export-rule';
import { EXPORT_FORMATS } from '../src/modules/export/formats';
import { EXPORT_PARAMETERS } from '../src/modules/export/parameters';
import { TOTAL_HEADER } from './export';

const EXPORT_SCHEMA = 'AuditActivityExportLine';

/** The OpenAPI description of the export. */
export const EXPORT = {
  operationId: EXPORT_OPERATION,
  summary: 'Returns all events that match, in full, oldest first, as a stream of any length.',
  description: `One event a line: with \`ndjson\` a JSON object, with \`csv\` (RFC 4180) a row under a line of names, texts
in quotation marks, absent values empty and without. \`ndjson\` states every text exactly; in \`csv\` half a surrogate pair
becomes U+FFFD, and a value that begins with \`=\`, \`+\`, \`-\` or \`@\` stands as it is, since evidence is not altered:
import such a file as text where a program would take it for a formula.

An answer that ends has all events that were stored when it began; those stored meanwhile may be in it or not. What fails
after the first byte breaks the connection (no last chunk), never ends the answer; so does the end of the key or the
session. HTTP/1.0 has no such sign and is refused: in nginx, set \`proxy_http_version 1.1;\`. To check a file by itself,
add \`end=1\`: its last line then says how many events stand before it, \`{"end":{"count":N}}\`, in \`csv\` \`#end,N\`; a
file without that line is not whole. \`cursor\`, the record id of the last
whole line, goes on from there; repeat the other parameters. \`${TOTAL_HEADER}\` counts all that match, those before the
cursor too.

A call counts once for the rate limit, however long it takes. A key has one export at a time, over all instances:
another is \`rate_limited\`.`,
  scope: EXPORT_RULE.scope,
  query: EXPORT_PARAMETERS,
  header: {
    name: TOTAL_HEADER,
    description: 'Events that match. Absent where counting them would take too long.',
  },
  content: Object.fromEntries(
    Object.entries(EXPORT_FORMATS).map(([format, { mediaType }]) => [
      mediaType,
      {
        schema:
          format === 'ndjson'
            ? {
                anyOf: [EXPORT_SCHEMA, 'OtherFormat'].map((name) => ({
                  $ref: `#/components/schemas/${name}`,
                })),
              }
            : { type: 'string' },
      },
    ]),
  ),
} as const;
