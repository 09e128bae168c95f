import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../../installer/build/paths.mjs';
import { run } from '../../../installer/build/tools.mjs';
import { atExit } from './at-exit.mjs';
import { until } from './until.mjs';

/** A real service with its embedded database in a folder that is removed with it. */
export class RealService {
  url;
  #child;
  #env;

  /** @param folder the data folder, which must not exist yet */
  static async start(folder) {
    const service = new RealService();
    const { DATABASE_URL, REDIS_URL, ...env } = process.env;
    service.#env = { ...env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: folder, LOG_LEVEL: 'warn' };
    service.#child = spawn(process.execPath, [join(ROOT, 'scripts/start.mjs')], {
      env: service.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    atExit(() => service.#child.kill('SIGKILL'));
    for await (const line of createInterface({ input: service.#child.stdout })) {
      service.url = /^listening on (\S+)$/.exec(line)?.[1];
      if (service.url) return service;
    }
    throw new Error('the service did not start');
  }

  /** Makes a tenant with an agent key and a key for reading. */
  async tenant(name) {
    const { tenantId } = await this.#operate('tenant', 'create', '--name', name);
    const agent = await this.#operate('agent-key', 'create', '--name', 'agent', '--tenant', tenantId);
    const scope = ['--scope', 'read:audit-activity'];
    const reader = await this.#operate('key', 'create', '--name', 'reader', '--tenant', tenantId, ...scope);
    return { tenantId, agentKey: agent.key, readKey: reader.key };
  }

  /** @returns how many events a key sees */
  async eventCount(readKey) {
    const response = await fetch(`${this.url}/api/v1/public/audit-activity/summary`, {
      headers: { 'X-Api-Key': readKey },
    });
    const { data } = await response.json();
    return data?.totalCount ?? 0;
  }

  /** Resolves when a key sees this many events. */
  async publishes(readKey, count) {
    await until(`${count} events in the service`, async () => {
      const found = await this.eventCount(readKey);
      return found === count || `there are ${found}`;
    });
  }

  async #operate(...args) {
    const script = join(ROOT, 'scripts/audit-activity.mjs');
    return JSON.parse(
      await run(process.execPath, [script, ...args, '--json', '--service', this.url], { env: this.#env }),
    );
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'exit');
    }
    await rm(this.#env.DATA_DIR, { recursive: true, force: true });
  }
}
