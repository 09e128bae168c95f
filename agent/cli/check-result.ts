/** What one check found. `note`: worth knowing, but the agent can publish. */
export interface CheckResult {
  readonly kind: 'ok' | 'note' | 'problem';
  readonly text: string;
}
export const ok = (text: string): CheckResult => ({ kind: 'ok', text });
export const note = (text: string): CheckResult => ({ kind: 'note', text });
export const problem = (text: string): CheckResult => ({ kind: 'problem', text });
