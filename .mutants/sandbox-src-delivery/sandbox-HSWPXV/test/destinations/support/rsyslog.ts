import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../support/free-port';
import { until } from '../../support/until';

const PACKAGES = ['rsyslog', 'rsyslog-gnutls', 'rsyslog-relp'];
const PROGRAM = '/usr/sbin/rsyslogd';
const isThere = () =>
  existsSync(PROGRAM) &&
  spawnSync('sh', ['-c', 'ls /usr/lib/*/rsyslog/imrelp.so /usr/lib/*/rsyslog/lmnsd_gtls.so']).status === 0;

/** Installs rsyslog on Debian as root, as the test runner does with PostgreSQL. @returns whether rsyslog is there */
function install(): boolean {
  if (isThere()) return true;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  spawnSync('apt-get', [...options, 'update'], { env });
  spawnSync('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...PACKAGES], { env });
  return isThere();
}

const found = install();
if (!found) process.stderr.write(`skipped without rsyslog: apt-get install ${PACKAGES.join(' ')}\n`);
export const describeWithRsyslog = found ? describe : describe.skip;

/** A real rsyslog that takes syslog over TLS, RELP over TLS and plain RELP, and writes the messages to a file. */
export class Rsyslog {
  private constructor(
    readonly folder: string,
    readonly ports: { readonly tls: number; readonly relpTls: number; readonly relp: number },
    readonly certificate: string,
    /** The key of the certificate. Clients show the same certificate. */
    readonly key: string,
    private process: ChildProcess,
  ) {}

  static async open(): Promise<Rsyslog> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-rsyslog-'));
    const ports = { tls: await freePort(), relpTls: await freePort(), relp: await freePort() };
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'],
        ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    );
    await writeFile(path.join(folder, 'rsyslog.conf'), configuration(folder, ports, cert, key));
    const rsyslog = new Rsyslog(
      folder,
      ports,
      await readFile(cert, 'utf8'),
      await readFile(key, 'utf8'),
      start(folder),
    );
    await rsyslog.untilOpen();
    return rsyslog;
  }

  /** The messages in the order of their arrival. */
  async messages(): Promise<readonly string[]> {
    const text = await readFile(path.join(this.folder, 'messages'), 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  async untilOpen(): Promise<void> {
    for (const port of Object.values(this.ports))
      await until(
        () => isOpen(port),
        (open) => open,
      );
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = new Promise((done) => this.process.once('exit', done));
    this.process.kill('SIGTERM');
    await ended;
  }

  async startAgain(): Promise<void> {
    this.process = start(this.folder);
    await this.untilOpen();
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const start = (folder: string) =>
  spawn(PROGRAM, ['-n', '-f', path.join(folder, 'rsyslog.conf'), '-i', path.join(folder, 'pid')], {
    stdio: 'ignore',
  });

const configuration = (folder: string, ports: Rsyslog['ports'], cert: string, key: string) => `
global(workDirectory="${folder}" maxMessageSize="1m" DefaultNetstreamDriverCAFile="${cert}"
  DefaultNetstreamDriverCertFile="${cert}" DefaultNetstreamDriverKeyFile="${key}")
module(load="imtcp" StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="anon")
module(load="imrelp" tls.tlslib="openssl")
template(name="raw" type="string" string="%rawmsg%\\n")
ruleset(name="all") { action(type="omfile" file="${folder}/messages" template="raw") }
input(type="imtcp" port="${ports.tls}" ruleset="all")
input(type="imrelp" port="${ports.relp}" ruleset="all" maxDataSize="1m")
input(type="imrelp" port="${ports.relpTls}" ruleset="all" maxDataSize="1m" tls="on" tls.caCert="${cert}"
  tls.myCert="${cert}" tls.myPrivKey="${key}" tls.authMode="name" tls.permittedPeer="127.0.0.1")
`;

const isOpen = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
