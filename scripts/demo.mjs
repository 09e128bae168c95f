#!/usr/bin/env node
// A tour of the whole product on one machine: service, two tenants, agents, and the three public calls.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { writeLastDay } from './lib/demo-day.mjs';
import { setup } from './setup.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SAMPLES = path.join(ROOT, 'test', 'fixtures', 'sqlaudit');
/** What the key of each tenant may read. */
const SCOPES = ['audit-activity', 'alerts', 'findings', 'compliance', 'reports'];
/** The tenants. Each has sample files of 2025 and a generated file of the last day, for recent events in the dashboard. */
const TENANTS = [
  {
    name: 'Contoso',
    database: 'Payroll',
    server: 'SQLPROD01\\PAYROLL',
    samples: path.join(SAMPLES, 'schema-2022', '*.sqlaudit'),
  },
  {
    name: 'Fabrikam',
    database: 'Logins',
    server: 'SQLDEV',
    samples: path.join(SAMPLES, 'schema-2017', '*.sqlaudit'),
  },
];
const API = '/api/v1/public/audit-activity';
const serves = !process.argv.includes('--exit');

let step = 0;
const say = (text = '') => process.stdout.write(`${text}\n`);
const announce = (text) => say(`\n[${++step}] ${text}`);

/** The reader of the output is gone (`| head`), or a signal asks for the end. */
const ended = new Promise((resolve) => {
  // The listeners stay: npm passes on a signal that this process has had already, and every further line fails once more.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve);
  for (const output of [process.stdout, process.stderr]) output.on('error', resolve);
});

const running = new Set();
let stopping = false;
let environment;

async function main() {
  await setup({ without: serves ? [] : ['dashboard'] });
  environment = await environmentOfChildren();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-demo-'));
  try {
    const touring = tour(folder);
    await Promise.race([touring, ended]);
    if (serves) await ended;
  } finally {
    stopping = true;
    // The service ends last, since agents and commands talk to it.
    for (const child of [...running].reverse()) await stop(child);
    await rm(folder, { recursive: true, force: true });
  }
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** The caller's environment without the settings of a real service, except the port. */
async function environmentOfChildren() {
  const { ENVIRONMENT } = createRequire(import.meta.url)('../dist/src/config.js');
  const others = Object.entries(process.env).filter(
    ([name]) => !Object.hasOwn(ENVIRONMENT.shape, name) && !name.startsWith('AUDIT_ACTIVITY_'),
  );
  const { PORT } = process.env;
  // A setting that is empty is not set.
  return { ...Object.fromEntries(others), PORT: PORT || '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
}

/** Starts the service on the embedded database and waits for its line on stdout. */
async function serve(folder) {
  announce('Starting the service on the embedded database, in a throw-away folder');
  const child = run('src/main.js', [], folder, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
    if (url) {
      say(`    ${line}`);
      return url;
    }
  }
  throw new Error('the service did not start');
}

async function tour(folder) {
  const url = await serve(folder);
  const keys = [];
  const configs = [];
  for (const tenant of TENANTS) {
    const { name } = tenant;
    announce(`Creating the tenant ${name}, a key that may read it, and a key for its agent`);
    const { tenantId } = await operate(url, folder, 'tenant', 'create', '--name', name);
    const named = (text) => ['create', '--name', `${name} ${text}`, '--tenant', tenantId];
    const scopes = SCOPES.flatMap((scope) => ['--scope', `read:${scope}`]);
    const { key } = await operate(url, folder, 'key', ...named('SIEM'), ...scopes);
    const agent = await operate(url, folder, 'agent-key', ...named('agent'));
    keys.push({ name, key });

    announce(`Running the agent of ${name} on sample files and on a generated file of the last day`);
    const { database, server } = tenant;
    const work = path.join(folder, `${name}-writer`);
    const today = path.join(folder, name);
    await writeLastDay({ root: ROOT, work, folder: today, audit: `${database}_Audit`, server });
    const databases = { [database]: path.join(today, '*.sqlaudit'), [`${database} 2025`]: tenant.samples };
    const config = path.join(folder, `${name}.json`);
    await writeFile(config, JSON.stringify(agentConfig(url, agent.key, tenantId, databases), null, 2));
    configs.push(config);
    for (const files of Object.values(databases)) say(`    ${path.relative(process.cwd(), files)}`);
    await finish(runAgent(config, folder, '--once'));
  }
  const [first, second] = keys;
  announce(`${first.name}: the newest events, three a page`);
  const list = await call(url, first.key, '?pageSize=3');
  announce(`${first.name}: one event in full`);
  await call(url, first.key, `/${list.data[0].recordId}`);
  announce(`${first.name}: counts`);
  const summary = await call(url, first.key, '/summary');
  announce(`${second.name}: counts. Each key sees only its own tenant`);
  const other = await call(url, second.key, '/summary');
  announce(`${second.name} asks for the event of ${first.name}`);
  await call(url, second.key, `/${list.data[0].recordId}`, 404);
  say(
    `\nSeen: ${summary.data.totalCount} events of ${first.name}, ${other.data.totalCount} of ${second.name}.`,
  );
  if (!serves) return;

  for (const config of configs) runAgent(config, folder);
  say(`\nThe API describes itself at ${url}/swagger (in a browser: a page to try the calls).`);
  const operatorKey = (await readFile(path.join(folder, 'data', 'operator.key'), 'utf8')).trim();
  say(`\nThe dashboard is at ${url}/dashboard. Sign in with the key`);
  for (const { name, key } of keys) say(`    ${key}  to explore the events of ${name}`);
  say(`    ${operatorKey}  to see sources, tenants, keys and the access log, as an operator`);
  say(
    'Something to find there: three hours ago somebody guessed a password. Whose, from where, and what came of it?',
  );
  say('\nThe service and the agents keep running. Stop them with Ctrl-C.');
}

const agentConfig = (url, key, tenantId, databases) => ({
  CentralApi: { BaseUrl: url, ApiKey: key, TenantId: tenantId },
  EventHubPublisher: {
    Enabled: true,
    Databases: Object.entries(databases).map(([Name, AuditFilePath]) => ({
      Name,
      Enabled: true,
      AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath } },
    })),
  },
});

/** Publishes the present records with `--once`, else follows the files. */
function runAgent(config, folder, ...flags) {
  const state = ['--data-dir', config.replace(/\.json$/, '-agent')];
  const log = flags.length > 0 ? [] : ['--log-file', config.replace(/\.json$/, '.log')];
  const stdio = ['ignore', 'inherit', 'inherit'];
  return run('agent/main.js', ['run', '--config', config, ...flags, ...state, ...log], folder, { stdio });
}

/** Makes a public call, and prints the curl command for it and the answer. */
async function call(url, key, rest, expected = 200) {
  say(`    curl -H 'X-Api-Key: ${key}' '${url}${API}${rest}'\n`);
  const response = await fetch(url + API + rest, { headers: { 'X-Api-Key': key } });
  const body = await response.json();
  say(JSON.stringify(body, null, 2));
  if (response.status !== expected) throw new Error(`expected ${expected}, got ${response.status}`);
  return body;
}

/** Runs a command of the operators' command line, and returns its JSON. */
async function operate(url, folder, ...args) {
  say(`    audit-activity ${args.map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg)).join(' ')} --json`);
  const child = run('src/cli/main.js', [...args, '--json', '--service', url], folder, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await finish(child);
  say(`    ${text.trim()}`);
  return JSON.parse(text);
}

function run(script, args, folder, options) {
  if (stopping) throw new Error('the demo ends');
  const child = spawn(process.execPath, [path.join(ROOT, 'dist', script), ...args], {
    // Ctrl-C in a terminal would reach the whole process group, but the demo stops its children in its own order.
    detached: true,
    env: { ...environment, DATA_DIR: path.join(folder, 'data') },
    ...options,
  });
  running.add(child);
  return child;
}

async function finish(child) {
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${code}`);
}

main().catch((error) => {
  process.stderr.write(`\nThe demo failed: ${error.message}\n`);
  process.exitCode = 1;
});
