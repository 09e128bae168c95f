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
 */
export const PROSE_FILE = __filename;
