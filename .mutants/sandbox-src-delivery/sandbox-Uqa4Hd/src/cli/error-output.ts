/**
 * The line that a failure prints on stderr: words, or with --json one line of JSON in the form of the REST API's
 * errors.
 */
export function errorLine(error: unknown, asJson: boolean): string {
  const message = (error instanceof Error ? error.message : String(error)).trim();
  if (!asJson) return message;
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string') return JSON.stringify({ error: { code: FAILED, message } });
  const words = message.startsWith(`${code}: `) ? message.slice(`${code}: `.length) : message;
  return JSON.stringify({ error: { code, message: words } });
}

/** The code of an error that the command line itself finds. The service has no code for it. */
const FAILED = 'failed';
