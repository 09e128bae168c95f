/** What a failure prints on stderr: one line of words; with --json one line of JSON, in the form of the REST API's errors. */
export function errorLine(error: unknown, asJson: boolean): string {
  const message = (error instanceof Error ? error.message : String(error)).trim();
  if (!asJson) return message;
  const { code } = error as { readonly code?: unknown };
  return JSON.stringify({ error: { code: typeof code === 'string' ? code : FAILED, message } });
}

/** Of what the command line itself finds: it has no code of the service. */
const FAILED = 'failed';
