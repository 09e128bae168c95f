import type { AgentConfig } from '../config/parse-config';
import type { Environment } from '../source/environment';
import { offText } from '../status/database-activity';
import { checkFiles } from './check-files';
import { type CheckResult, note, ok, problem } from './check-result';
import { checkKey, checkService } from './check-service';
import type { LineOutput } from './line-output';
import { readConfig } from './read-config';

interface CheckOptions {
  readonly configPath: string;
  /** See `dataDirOf`. The key that the agent renewed lies there. */
  readonly dataDir?: string | null;
  /** The timeout of each call to the service. */
  readonly timeoutMs: number;
  readonly out: LineOutput;
  /** For the credentials of object stores. */
  readonly env?: Environment;
  /**
   * Continues as the user that the service runs as, if there is one and this process may.
   * @returns the findings about that
   */
  becomeServiceUser(configPath: string): Promise<CheckResult[]>;
}

const LABEL = { ok: 'OK     ', note: 'NOTE   ', problem: 'PROBLEM' } as const;

/**
 * Checks everything that the agent needs, and changes nothing: the configuration, the audit files, the service, the key.
 * A problem in one of them does not stop the other checks.
 * @returns the exit code: 0 the agent can publish, 1 something prevents that
 */
export async function check(options: CheckOptions): Promise<number> {
  const { configPath, timeoutMs, out } = options;
  let problems = 0;
  const say = async (findings: readonly CheckResult[]) => {
    for (const { kind, text } of findings) {
      if (kind === 'problem') problems++;
      await out.write(`${LABEL[kind]} ${text}`);
    }
  };
  const read = await readConfig(configPath, options.dataDir);
  const { path, warnings } = read;
  await say(read.kind === 'config' ? [ok(`${path}: is valid`)] : read.problems.map(problem));
  await say(warnings.map(note));
  await say(await options.becomeServiceUser(path));
  if (read.kind === 'config') await say(intentions(read.config));
  const { apiKey, baseUrl, databases, tenantId, way } = read.kind === 'config' ? read.config : read.sound;
  for (const database of databases) await say(await checkFiles(database, options.env ?? {}));
  if (read.kind === 'config') {
    await say(read.config.disabled.map(({ name }) => note(`${name}: is disabled, its files are not read`)));
    const off = offText(read.config.wanted.version ?? 0);
    await say(read.config.switchedOff.map(({ name }) => note(`${name}: ${off}`)));
  }
  if (baseUrl !== null) await say(await checkService(baseUrl, way, timeoutMs));
  if (baseUrl !== null && apiKey !== null) {
    await say(await checkKey({ baseUrl, way, apiKey, tenantId }, timeoutMs));
  }
  await out.write(problems === 0 ? 'The agent can publish.' : `Problems to solve: ${problems}.`);
  return problems === 0 ? 0 : 1;
}

function intentions(config: AgentConfig): CheckResult[] {
  const { baseUrl, databases, enabled, pollIntervalMs, tenantId } = config;
  const findings = [
    ok(
      `every ${pollIntervalMs} ms, the files of ${databases.length} database(s) are read and published to ` +
        `${baseUrl} for tenant ${tenantId ?? '(not set)'}`,
    ),
  ];
  if (!enabled) findings.push(note('EventHubPublisher.Enabled is false: nothing is published'));
  if (databases.length === 0) findings.push(problem('no database is enabled'));
  if (tenantId === null) {
    findings.push(
      problem('CentralApi.TenantId is not set: it must be the tenant that the agent key was made for'),
    );
  }
  return findings;
}
