import { secretReader } from './secret-input';
import { CommandError } from './service-client';

/** The key of a command that reads events. @param file holds it; not given: AUDIT_ACTIVITY_API_KEY does @throws CommandError */
export async function readerKey(
  file: string | undefined,
  {
    env,
    readInput,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly readInput?: () => Promise<string>;
  },
): Promise<string> {
  const apiKey = file ? (await secretReader(readInput)(file)).trim() : env.AUDIT_ACTIVITY_API_KEY;
  if (apiKey) return apiKey;
  throw new CommandError(
    'No API key: set AUDIT_ACTIVITY_API_KEY or give --api-key-file, with a key that reads the tenant.',
  );
}
