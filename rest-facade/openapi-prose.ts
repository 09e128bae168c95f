/**
 * Prose of the OpenAPI document. Only `tags` and nothing else may stand in these comments: every path, parameter,
 * schema and response is computed in `openapi.ts`.
 *
 * @openapi
 * tags:
 *   - name: Audit activity
 *     description: |
 *       SQL Server audit events captured by an agent on the database host. Read-only. A caller sees only
 *       events of the tenants its API key is authorized for.
 *
 *       **Search.** A word is a run of letters and digits. An event matches when each word of `search` is a word
 *       of any of its text fields, the full statement included. `word*` matches a beginning, `"quoted text"`
 *       must stand as it is within one field. Letter case does not matter.
 *
 *       **Times.** Event times are UTC with seven decimals, as SQL Server records them. In parameters, a time
 *       without an offset is UTC; `startTime` is inclusive, `endTime` exclusive.
 *
 *       **Limits.** Calls are counted per key over a sliding minute. `RateLimit` says how many are left,
 *       `Retry-After` when a refused call will succeed.
 *   - name: Export
 *     description: All events that match, as one stream of lines.
 *   - name: Tail
 *     description: Events in the order of their arrival, each once, for collectors.
 *   - name: Sources
 *     description: What the agents read, how far its events are complete, and what is missing.
 *   - name: Evidence log
 *     description: Signed checkpoints and proofs that show whether stored events are those that were accepted.
 *   - name: Incidents
 *     description: Alerts that share a login, address, host, target login or session.
 *   - name: Alerts
 *     description: Findings that belong together, and the state of the work on them.
 *   - name: Findings
 *     description: Matches of rules, with the events that prove them.
 *   - name: Compliance
 *     description: Controls of frameworks on each server instance, with the events that prove or disprove them.
 *   - name: Reports
 *     description: Frozen and signed reports on the trail, as pages, tables and JSON.
 */
export const PROSE_FILE = __filename;
