import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PRODUCT } from '../../../installer/build/paths.mjs';
import { until } from '../support/until.mjs';

export const LOG = 'C:\\t\\install.log';
export const DATA = `C:\\ProgramData\\${PRODUCT.name}`;
export const PROGRAMS = `C:\\Program Files\\${PRODUCT.name}`;

/** What the scenarios use: a Windows, the packages, a service and its tenant. */
export class WindowsWorld {
  /** @param hasExitCodes whether scripts return their exit code */
  constructor(wine, service, tenant, packages, hasExitCodes) {
    Object.assign(this, { wine, service, tenant, packages, hasExitCodes });
  }

  /** Copies the packages and their script to `C:\t\<name>`. */
  async addPackages() {
    for (const [name, path] of Object.entries(this.packages)) {
      await mkdir(this.wine.path(`C:\\t\\${name}`));
      for (const file of await readdir(dirname(path))) {
        await copyFile(join(dirname(path), file), this.wine.path(`C:\\t\\${name}\\${file}`));
      }
    }
  }

  msi(name) {
    return `C:\\t\\${name}\\${basename(this.packages[name])}`;
  }

  /** The properties of installation method A. Changes replace the usual ones or are added to them. */
  properties(changes = {}) {
    const all = {
      APIURL: this.service.url,
      APIKEY: this.tenant.agentKey,
      AUDITPATH: 'C:\\Audit Files\\*.sqlaudit',
      DBNAME: 'Payroll',
      TENANTID: this.tenant.tenantId,
      ...changes,
    };
    return Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}="${value}"`)
      .join(' ');
  }

  async install(name, properties = '') {
    await rm(this.wine.path(LOG), { force: true });
    return (await this.wine.batch(`msiexec /i ${this.msi(name)} /qn /l*v ${LOG} ${properties}`)).code;
  }

  /** Installs with `install-agent.cmd` in place of msiexec. */
  async installByScript(name, properties) {
    await rm(this.wine.path(LOG), { force: true });
    return (await this.wine.batch(`call C:\\t\\${name}\\install-agent.cmd /l*v ${LOG} ${properties}`)).code;
  }

  async uninstall(name, properties = '') {
    return (await this.wine.batch(`msiexec /x ${this.msi(name)} /qn /l*v ${LOG} ${properties}`)).code;
  }

  /** @returns RUNNING, STOPPED and so on, or null if there is no such service */
  async serviceState() {
    const { output } = await this.wine.batch(`sc query ${PRODUCT.serviceName}`);
    return /STATE\s*:\s*\d+\s+(\w+)/.exec(output)?.[1] ?? null;
  }

  /** @returns the text of the installation's log, in whichever encoding this Windows writes */
  async log() {
    const bytes = await readFile(this.wine.path(LOG));
    return bytes.toString(bytes[1] === 0 || bytes[0] === 0xff ? 'utf16le' : 'utf8');
  }

  exists(windowsPath) {
    return existsSync(this.wine.path(windowsPath));
  }

  read(windowsPath) {
    return readFile(this.wine.path(windowsPath), 'utf8');
  }

  write(windowsPath, text) {
    return writeFile(this.wine.path(windowsPath), text);
  }

  async config() {
    return JSON.parse(await this.read(`${DATA}\\config.json`));
  }

  /** @returns the paths of the agent's bookmark files */
  async checkpoints() {
    const folder = this.wine.path(`${DATA}\\agent-data\\checkpoints`);
    return (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'));
  }

  agentLog() {
    return this.read(`${DATA}\\logs\\agent.log`);
  }

  /** Resolves when the agent's log has this many matches of a pattern. */
  async says(pattern, count) {
    await until(`${count} times ${pattern} in the agent's log`, async () => {
      const found = (await this.agentLog()).match(pattern) ?? [];
      return found.length >= count || `${found.length} times`;
    });
  }

  async addAuditFile(path, folder = 'C:\\Audit Files') {
    await mkdir(this.wine.path(folder), { recursive: true });
    await copyFile(path, this.wine.path(`${folder}\\${basename(path)}`));
  }

  publishes(count) {
    return this.service.publishes(this.tenant.readKey, count);
  }

  async runs() {
    await until('the service Running', async () => {
      const state = await this.serviceState();
      return state === 'RUNNING' || `it is ${state}`;
    });
  }

  /** Collects what may explain a failure: the ends of all logs. */
  async evidence() {
    const paths = [LOG, `${DATA}\\logs\\service.log`, `${DATA}\\logs\\agent.log`];
    const texts = await Promise.all(
      paths
        .filter((path) => this.exists(path))
        .map(async (path) => {
          const lines = (path === LOG ? await this.log() : await this.read(path)).split('\n');
          return `--- ${path}\n${lines
            .filter((line) => !line.startsWith('Property('))
            .slice(-60)
            .join('\n')}`;
        }),
    );
    return texts.join('\n');
  }

  close() {
    return this.wine.close();
  }
}
