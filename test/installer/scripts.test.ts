import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/imports';

const INSTALLER = path.join(ROOT, 'installer');
/** Programs that the scripts of a package run, each of which tells how it was called and does nothing. */
const PROGRAMS = ['useradd', 'usermod', 'userdel', 'chown', 'chmod', 'install', 'systemctl', 'setpriv', 'rm'];

let folder: string;
let root: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'installer-scripts-'));
  root = path.join(folder, 'root');
  await mkdir(path.join(folder, 'bin'));
  for (const name of PROGRAMS) await program(name, `echo ${name} "$@" >>"${folder}/calls"`);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(name: string, text: string): Promise<void> {
  const file = path.join(folder, 'bin', name);
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
}

/** Runs a script whose system lies in a folder. @returns the calls of programs, with the paths of that system */
async function callsOf(
  script: string,
  args: readonly string[],
  has: { readonly known?: readonly string[]; readonly files?: readonly string[] } = {},
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  await rm(root, { recursive: true, force: true });
  for (const file of has.files ?? []) {
    const [name = '', content = ''] = file.split('=>');
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  await program('getent', `case " ${(has.known ?? []).join(' ')} " in *" $1:$2 "*) exit 0 ;; esac; exit 2`);
  await program('id', `echo 0`);
  const calls = path.join(folder, 'calls');
  await writeFile(calls, '');
  const text = (await readFile(path.join(INSTALLER, script), 'utf8')).replaceAll(
    /(?<![\w/])\/(?=(?:etc|var|run|usr)\/(?!sbin\/nologin))/g,
    `${root}/`,
  );
  const file = path.join(folder, 'script');
  await writeFile(file, text);
  const PATH = `${path.join(folder, 'bin')}:${process.env.PATH}`;
  const output = await new Promise<string>((done, fail) =>
    execFile('sh', [file, ...args], { env: { PATH, ...env } }, (error, stdout) =>
      error ? fail(error) : done(stdout),
    ),
  );
  const told = (await readFile(calls, 'utf8')) + output;
  return told
    .trim()
    .replaceAll(root, '')
    .split('\n')
    .filter((line) => line !== '');
}

const SYSTEMD = '/run/systemd/system/x';

describe.each([
  ['the agent', 'linux', 'audit-agent', 'config.json'],
  ['the service', 'service', 'audit-activity', 'environment'],
])('the package of %s', (_, of, name, settings) => {
  const config = `/etc/${name}/${settings}`;
  const data = `install -d -o ${name} -g ${name} -m 0700 /var/lib/${name}`;
  const restart = ['systemctl daemon-reload', `systemctl try-restart ${name}.service`];

  it('makes its user, then its folder, and lets that user alone read new settings', async () => {
    expect(await callsOf(`${of}/postinst`, ['configure', ''], { files: [config, SYSTEMD] })).toEqual([
      `useradd --system --user-group --home-dir /var/lib/${name} --no-create-home --shell /usr/sbin/nologin ${name}`,
      data,
      `chown root:${name} ${config}`,
      `chmod 0640 ${config}`,
      ...restart,
    ]);
  });

  it('keeps at an upgrade the user and the mode that an administrator has set, and starts a running one anew', async () => {
    const has = { known: [`passwd:${name}`], files: [config, SYSTEMD] };
    expect(await callsOf(`${of}/postinst`, ['configure', '0.1.0'], has)).toEqual([data, ...restart]);
  });

  it('is installed where settings or systemd are not there, and does nothing after a failed upgrade', async () => {
    const has = { known: [`passwd:${name}`] };
    expect(await callsOf(`${of}/postinst`, ['configure', ''], has)).toEqual([data]);
    expect(await callsOf(`${of}/postinst`, ['abort-upgrade', ''], { files: [config, SYSTEMD] })).toEqual([]);
  });

  it('stops when it is removed, and goes on running while it is upgraded', async () => {
    expect(await callsOf(`${of}/prerm`, ['remove'], { files: [SYSTEMD] })).toEqual([
      `systemctl disable --now ${name}.service`,
    ]);
    expect(await callsOf(`${of}/prerm`, ['upgrade', '9'], { files: [SYSTEMD] })).toEqual([]);
    expect(await callsOf(`${of}/prerm`, ['remove'])).toEqual([]);
  });

  it('takes its data, settings and user away when it is purged, and nothing when it is removed', async () => {
    const has = { known: [`passwd:${name}`], files: [SYSTEMD] };
    expect(await callsOf(`${of}/postrm`, ['purge'], has)).toEqual([
      `rm -rf /var/lib/${name} /etc/${name}`,
      `userdel ${name}`,
      'systemctl daemon-reload',
    ]);
    expect(await callsOf(`${of}/postrm`, ['remove'], has)).toEqual(['systemctl daemon-reload']);
    expect(await callsOf(`${of}/postrm`, ['purge'])).toEqual([`rm -rf /var/lib/${name} /etc/${name}`]);
  });

  it('has a unit that starts what the package holds, as its user, with the folder that its scripts make', async () => {
    const unit = await readFile(path.join(INSTALLER, of, `${name}.service`), 'utf8');
    const [, start = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
    const [node, authorities, main, ...args] = start.split(' ');
    expect([node, authorities, path.dirname(main ?? '')]).toEqual([
      `/usr/lib/${name}/node`,
      '--use-system-ca',
      `/usr/lib/${name}`,
    ]);
    const ofAgent = ['run', '--config', config, '--data-dir', `/var/lib/${name}`];
    expect(args).toEqual(name === 'audit-agent' ? ofAgent : []);
    if (name !== 'audit-agent') {
      expect(unit).toContain(`\nEnvironment=DATA_DIR=/var/lib/${name}\nEnvironmentFile=-${config}\n`);
    }
    expect(unit).toContain('\nWants=network-online.target\nAfter=network-online.target');
    expect(unit).toContain('\nWantedBy=multi-user.target\n');
  });
});

it('both units have the same bounds, but for what the agent reads and the user names that the service does not need', async () => {
  const boundsOf = async (file: string) => {
    const text = await readFile(path.join(INSTALLER, file), 'utf8');
    const from = text.slice(text.indexOf('\nCapabilityBoundingSet='), text.indexOf('\n[Install]'));
    return from.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  };
  const [agent, service] = [
    await boundsOf('linux/audit-agent.service'),
    await boundsOf('service/audit-activity.service'),
  ];
  expect(agent.filter((line) => !service.includes(line))).toEqual(['ProtectHome=read-only']);
  expect(service.filter((line) => !agent.includes(line))).toEqual(['ProtectHome=yes', 'PrivateUsers=yes']);
  for (const line of ['CapabilityBoundingSet=', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'UMask=0077'])
    expect(agent).toContain(line);
});

describe('the agent of the package', () => {
  it('joins the group that may read audit files, where SQL Server is', async () => {
    const has = { known: ['passwd:audit-agent', 'group:mssql'] };
    expect(await callsOf('linux/postinst', ['configure', '0.1.0'], has)).toContain(
      'usermod --append --groups mssql audit-agent',
    );
  });

  it('runs its own Node.js with the authorities of the system, and checks as the user of the service', async () => {
    const run = async (...args: string[]) => {
      const text = await readFile(path.join(INSTALLER, 'linux/audit-agent'), 'utf8');
      expect(text.startsWith('#!/bin/sh\n')).toBe(true);
      await program('node-of-agent', 'echo node "$@"');
      const file = path.join(folder, 'agent');
      await writeFile(
        file,
        text.replace('/usr/lib/audit-agent/node', path.join(folder, 'bin/node-of-agent')),
      );
      return new Promise<string>((done, fail) =>
        execFile('sh', [file, ...args], (error, stdout) => (error ? fail(error) : done(stdout.trim()))),
      );
    };
    const agent = 'node --use-system-ca /usr/lib/audit-agent/agent.js';
    expect(await run('status', '--json')).toBe(`${agent} status --json`);
    expect(await run('check', '--config', 'a b')).toBe(
      `${agent} check --user audit-agent --data-dir /var/lib/audit-agent --config a b`,
    );
    expect(await run()).toBe(agent);
  });
});

describe('the commands of the package of the service', () => {
  const settings = '/etc/audit-activity/environment';
  const command = '/usr/lib/audit-activity/bin/audit-activity';
  const run = async (content: string | null, env: Readonly<Record<string, string>> = {}) => {
    const files = content === null ? [] : [`${settings}=>${content}`];
    return callsOf('service/audit-activity', ['tenant', 'list'], { files }, env);
  };

  it('run as the user of the service when root gives them, with the settings of the service', async () => {
    const as =
      'setpriv --reuid audit-activity --regid audit-activity --init-groups /usr/lib/audit-activity/node';
    expect(await run('HOST=a\n')).toEqual([`${as} --env-file=${settings} ${command} tenant list`]);
    expect(await run(null)).toEqual([`${as} ${command} tenant list`]);
  });

  it.each([
    ['is the folder of the package', null, {}, '/var/lib/audit-activity'],
    ['is that folder beside other settings', '#DATA_DIR=/a\nDATA_DIR=\n', {}, '/var/lib/audit-activity'],
    ['is what the settings say', 'A=1\nDATA_DIR=/srv/a\n', {}, ''],
    ['is what the environment says', null, { DATA_DIR: '/srv/b' }, '/srv/b'],
  ])('have a data folder that %s', async (_, content, env, wanted) => {
    await program('setpriv', 'echo "$DATA_DIR"');
    expect((await run(content, env)).join('')).toBe(wanted);
  });
});

describe('the health check of the image', () => {
  const check = (port: number) =>
    new Promise<number | string | null | undefined>((done) => {
      execFile(
        process.execPath,
        [path.join(INSTALLER, 'service/healthcheck.js')],
        { env: { PORT: String(port) } },
        (error) => done(error === null ? 0 : error.code),
      );
    });

  it('ends with 0 while the service takes requests, and else with 1', async () => {
    let status = 200;
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    expect(await check(port)).toBe(0);
    status = 503;
    expect(await check(port)).toBe(1);
    await new Promise((done) => server.close(done));
    expect(await check(port)).toBe(1);
    expect(asked).toEqual(['/readyz', '/readyz']);
  });
});

describe('the start of a release', () => {
  const START = 'exec env MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=77 node --max-old-space-size=111 main.js';
  /** What the service of a release is started with. */
  const started = async (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) => {
    const release = path.join(folder, 'release');
    await mkdir(path.join(release, 'dist/src'), { recursive: true });
    await copyFile(path.join(INSTALLER, 'service/main.js'), path.join(release, 'main.js'));
    await writeFile(
      path.join(release, 'package.json'),
      JSON.stringify({ version: '1.2.3', scripts: { start: START } }),
    );
    const tells = `const { execArgv, argv, env } = process;
      console.log(JSON.stringify({
        heap: execArgv.filter((one) => /heap|old.space/.test(one)), given: argv.slice(2), options: env.NODE_OPTIONS,
        arenas: env.MALLOC_ARENA_MAX, trim: env.MALLOC_TRIM_THRESHOLD_ }));`;
    await writeFile(path.join(release, 'dist/src/main.js'), tells);
    const { NODE_OPTIONS: _, MALLOC_ARENA_MAX: __, MALLOC_TRIM_THRESHOLD_: ___, ...others } = process.env;
    const [node = [], own = []] = [
      args.filter((one) => one.startsWith('--')),
      args.filter((one) => !one.startsWith('--')),
    ];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...node, path.join(release, 'main.js'), ...own],
      { env: { ...others, ...env } },
    );
    return JSON.parse(stdout);
  };

  it('bounds memory as the start of a checkout does, and passes on what it is given', async () => {
    expect(await started(['--no-warnings', 'a', 'b'])).toEqual({
      ...{ heap: ['--max-old-space-size=111'], given: ['a', 'b'], arenas: '2', trim: '77' },
    });
  });

  it('leaves each bound to the environment that sets another one', async () => {
    expect(await started([], { MALLOC_ARENA_MAX: '9' })).toEqual({
      ...{ heap: ['--max-old-space-size=111'], given: [], arenas: '9', trim: '77' },
    });
    for (const name of ['max-old-space-size', 'max_old_space_size']) {
      const options = `--${name}=222`;
      expect(await started([], { NODE_OPTIONS: options })).toMatchObject({ heap: [], options });
      expect(await started([options])).toMatchObject({ heap: [options] });
    }
  });
});
