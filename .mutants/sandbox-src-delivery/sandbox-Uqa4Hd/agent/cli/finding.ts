/** What one check found. `note`: worth knowing, but the agent can publish. */
export interface Finding {
  readonly kind: 'ok' | 'note' | 'problem';
  readonly text: string;
}
export const ok = (text: string): Finding => ({ kind: 'ok', text });
export const note = (text: string): Finding => ({ kind: 'note', text });
export const problem = (text: string): Finding => ({ kind: 'problem', text });
