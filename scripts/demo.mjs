#!/usr/bin/env node
// A tour of the whole product on one machine: service, two tenants, agent, and the three public calls.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setup } from './setup.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SAMPLES = path.join(ROOT, 'test', 'fixtures', 'sqlaudit');
const TENANTS = [
  { name: 'Contoso', database: 'Payroll', files: path.join(SAMPLES, 'schema-2022', '*.sqlaudit') },
  { name: 'Fabrikam', database: 'Logins', files: path.join(SAMPLES, 'schema-2017', '*.sqlaudit') },
];
const API = '/api/v1/public/audit-activity';

let step = 0;
const say = (text = '') => process.stdout.write(`${text}\n`);
const announce = (text) => say(`\n[${++step}] ${text}`);

async function main() {
  await setup();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-demo-'));
  const running = [];
  const stop = async () => {
    for (const child of running) {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  const interrupted = new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  try {
    const served = serve(folder, running);
    const url = await Promise.race([served, interrupted.then(() => null)]);
    if (url) await tour(url, folder);
    if (url && !process.argv.includes('--exit')) {
      say('\nThe service keeps running. Stop it with Ctrl-C.');
      await interrupted;
    }
  } finally {
    await stop();
  }
}

/** Starts the service on the embedded database and waits for its line on stdout. */
async function serve(folder, running) {
  announce('Starting the service on the embedded database, in a throw-away folder');
  const child = run('start.mjs', [], folder, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
    if (url) {
      say(`    ${line}`);
      return url;
    }
  }
  throw new Error('the service did not start');
}

async function tour(url, folder) {
  const keys = [];
  for (const { name, database, files } of TENANTS) {
    announce(`Creating the tenant ${name}, a key that may read it, and a key for its agent`);
    const { tenantId } = await operate(url, folder, 'tenant', 'create', '--name', name);
    const scope = ['--scope', 'read:audit-activity'];
    const { key } = await operate(
      url,
      folder,
      'key',
      'create',
      '--name',
      `${name} SIEM`,
      '--tenant',
      tenantId,
      ...scope,
    );
    const agent = await operate(
      url,
      folder,
      'agent-key',
      'create',
      '--name',
      `${name} agent`,
      '--tenant',
      tenantId,
    );
    keys.push({ name, key });

    announce(`Running the agent of ${name} on ${path.relative(process.cwd(), files)}`);
    const config = path.join(folder, `${name}.json`);
    await writeFile(config, JSON.stringify(agentConfig(url, agent.key, tenantId, database, files), null, 2));
    await finish(
      run(
        'audit-agent.mjs',
        ['run', '--config', config, '--once', '--data-dir', path.join(folder, `${name}-agent`)],
        folder,
        {
          stdio: ['ignore', 'inherit', 'inherit'],
        },
      ),
    );
  }
  const [first, second] = keys;
  announce(`${first.name}: the newest events, three a page`);
  const list = await call(url, first.key, '?pageSize=3');
  announce(`${first.name}: one event in full`);
  await call(url, first.key, `/${list.data[0].recordId}`);
  announce(`${first.name}: counts`);
  const summary = await call(url, first.key, '/summary');
  announce(`${second.name}: counts. Each key sees its own tenant only`);
  const other = await call(url, second.key, '/summary');
  announce(`${second.name} asks for the event of ${first.name}`);
  await call(url, second.key, `/${list.data[0].recordId}`, 404);
  say(
    `\nSeen: ${summary.data.totalCount} events of ${first.name}, ${other.data.totalCount} of ${second.name}.`,
  );
  say(`The API describes itself at ${url}/swagger (in a browser: a page to try the calls).`);
  const operatorKey = (await readFile(path.join(folder, 'data', 'operator.key'), 'utf8')).trim();
  say(`\nThe dashboard is at ${url}/dashboard. Sign in with the key`);
  for (const { name, key } of keys) say(`    ${key}  to explore the events of ${name}`);
  say(`    ${operatorKey}  to see sources, tenants, keys and the access log, as an operator`);
}

const agentConfig = (url, key, tenantId, database, files) => ({
  CentralApi: { BaseUrl: url, ApiKey: key, TenantId: tenantId },
  EventHubPublisher: {
    Enabled: true,
    Databases: [
      {
        Name: database,
        Enabled: true,
        AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath: files } },
      },
    ],
  },
});

/** Makes a public call, printed as the curl line to repeat it and the answer it got. */
async function call(url, key, rest, expected = 200) {
  say(`    curl -H 'X-Api-Key: ${key}' '${url}${API}${rest}'\n`);
  const response = await fetch(url + API + rest, { headers: { 'X-Api-Key': key } });
  const body = await response.json();
  say(JSON.stringify(body, null, 2));
  if (response.status !== expected) throw new Error(`expected ${expected}, got ${response.status}`);
  return body;
}

/** A command of the operators' command line, as JSON. */
async function operate(url, folder, ...args) {
  say(`    npx audit-activity ${args.map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg)).join(' ')} --json`);
  const child = run('audit-activity.mjs', [...args, '--json', '--url', url], folder, {
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
  const { DATABASE_URL, REDIS_URL, ...env } = process.env;
  return spawn(process.execPath, [path.join(ROOT, 'scripts', script), ...args], {
    // A terminal's Ctrl-C reaches the whole group: children are stopped by the demo, in its order.
    detached: true,
    env: { ...env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'warn' },
    ...options,
  });
}

async function finish(child) {
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${code}`);
}

main().catch((error) => {
  process.stderr.write(`\nThe demo failed: ${error.message}\n`);
  process.exitCode = 1;
});
