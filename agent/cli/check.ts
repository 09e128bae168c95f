import type { AgentConfig } from '../config/parse-config';
import { checkFiles } from './check-files';
import { checkKey, checkService } from './check-service';
import type { LineOutput } from './line-output';
import { readConfig } from './read-config';

export interface CheckOptions {
  readonly configPath: string;
  /** For each call to the service. */
  readonly timeoutMs: number;
  readonly out: LineOutput;
}

/** What one check found. `note`: worth knowing, and no obstacle. */
export interface Finding {
  readonly kind: 'ok' | 'note' | 'problem';
  readonly text: string;
}
export const ok = (text: string): Finding => ({ kind: 'ok', text });
export const note = (text: string): Finding => ({ kind: 'note', text });
export const problem = (text: string): Finding => ({ kind: 'problem', text });

const LABEL = { ok: 'OK     ', note: 'NOTE   ', problem: 'PROBLEM' } as const;

/**
 * Tries everything the agent needs, and changes nothing: the configuration, the audit files, the service, the key.
 * @returns the exit code: 0 the agent would publish, 1 something keeps it from that
 */
export async function check({ configPath, timeoutMs, out }: CheckOptions): Promise<number> {
  let problems = 0;
  const say = async (findings: readonly Finding[]) => {
    for (const { kind, text } of findings) {
      if (kind === 'problem') problems++;
      await out.write(`${LABEL[kind]} ${text}`);
    }
  };
  const read = await readConfig(configPath);
  if (read.kind === 'invalid') {
    await say(read.problems.map(problem));
  } else {
    const { config, disabled, path, warnings } = read;
    await say([ok(`${path}: is valid`), ...warnings.map(note), ...intentions(config)]);
    for (const database of config.databases) await say(await checkFiles(database));
    await say(disabled.map((name) => note(`${name}: is disabled, its files are not read`)));
    await say(await checkService(config, timeoutMs));
    await say(await checkKey(config, timeoutMs));
  }
  await out.write(problems === 0 ? 'The agent can publish.' : `${problems} to be mended.`);
  return problems === 0 ? 0 : 1;
}

function intentions(config: AgentConfig): Finding[] {
  const { baseUrl, databases, enabled, pollIntervalMs, tenantId } = config;
  const findings = [
    ok(
      `every ${pollIntervalMs} ms the files of ${databases.length} database(s) are looked at, and published to ` +
        `${baseUrl} for tenant ${tenantId ?? '(not set)'}`,
    ),
  ];
  if (!enabled) findings.push(note('EventHubPublisher.Enabled is false: nothing is published'));
  if (databases.length === 0) findings.push(problem('no database is enabled'));
  return findings;
}
