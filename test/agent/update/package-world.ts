import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../support/cli';
import type { TestTenant, World } from '../../support/world';
import { AgentWorld, databaseEntry, FILES_2022 } from '../support/agent-world';

const ROOT = join(__dirname, '../../..');
/** Shorter than that of agents, and long enough for an agent that starts on a busy machine. */
const TRIAL_SECONDS = 20;

/** Bundles of the agent, as a release builds them. */
export class Bundles {
  readonly folder = mkdtempSync(join(tmpdir(), 'agent-bundles-'));
  readonly own = this.build('0.3.0', 100);
  readonly newer = this.build('0.3.0', 101);

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The agent of the sources under another version. */
  build(version: string, build: number): string {
    const file = join(this.folder, `agent-${version}-${build}.js`);
    const url = JSON.stringify(`file://${join(ROOT, 'installer/build/bundle.mjs')}`);
    const script = `import(${url}).then((m) => m.bundleAgent(${JSON.stringify(file)}, ${JSON.stringify({ version, build })}))`;
    execFileSync(process.execPath, ['--input-type=module', '-e', script]);
    return file;
  }

  /** The newer agent with code before its own. */
  spoiled(name: string, code: string): string {
    const [header = '', ...lines] = readFileSync(this.newer, 'utf8').split('\n');
    const file = join(this.folder, name);
    writeFileSync(file, [header, code, ...lines].join('\n'));
    return file;
  }
}

const keys = generateKeyPairSync('ed25519');
export const PUBLIC_KEY = keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** A host with an installed agent, which runs as a process, before a real service. */
export class PackageWorld {
  /** What the service answers in place of its own answer; null: its own. */
  fault: ((body: string) => number | null) | null = null;
  /** What agents say on stderr. */
  log = '';
  private child: ReturnType<typeof spawn> | null = null;
  private isOver = true;
  private ended: Promise<number | null> = Promise.resolve(null);
  private groupId = '';

  private constructor(
    readonly world: World,
    readonly tenant: TestTenant,
    readonly agent: AgentWorld,
    private readonly bundles: Bundles,
    private readonly proxy: Server,
  ) {}

  static async open(world: World, bundles: Bundles): Promise<PackageWorld> {
    const tenant = await world.tenant();
    const agent = await AgentWorld.create();
    let opened: PackageWorld | null = null;
    const proxy = createServer(async (asked, answer) => {
      const parts: Buffer[] = [];
      for await (const part of asked) parts.push(part as Buffer);
      const body = Buffer.concat(parts);
      const status = opened?.fault?.(body.toString()) ?? null;
      if (status !== null) return void answer.writeHead(status).end();
      const { method, url = '', headers } = asked;
      const sent = request(new URL(url, world.service.url), { method, headers }, (got) => {
        answer.writeHead(got.statusCode ?? 0, got.headers);
        got.pipe(answer);
      });
      sent.on('error', () => answer.destroy());
      sent.end(body);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    opened = new PackageWorld(world, tenant, agent, bundles, proxy);
    await opened.makeGroup();
    opened.configure();
    agent.copy(FILES_2022.slice(0, 1));
    return opened;
  }

  configure(updates: object = { PublicKey: PUBLIC_KEY, TrialSeconds: TRIAL_SECONDS }): void {
    const content = {
      CentralApi: {
        BaseUrl: `http://127.0.0.1:${(this.proxy.address() as AddressInfo).port}`,
        ApiKey: this.tenant.agentKey,
        TenantId: this.tenant.tenantId,
      },
      EventHubPublisher: { PollIntervalMs: 20, Databases: [databaseEntry('Payroll', 'audit/*.sqlaudit')] },
      Updates: updates,
    };
    writeFileSync(this.agent.configPath, JSON.stringify(content));
  }

  /** Starts the installed agent, as a service does. */
  start(own = this.bundles.own): void {
    const args = [own, 'run', '--config', this.agent.configPath];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.log += text;
    });
    this.child = child;
    this.isOver = false;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code) => {
        this.isOver = true;
        resolve(code);
      });
    });
  }

  /** Whether the process is there that was started last. */
  isRunning(): boolean {
    return !this.isOver;
  }

  /** @returns the exit code */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    this.child?.kill(signal);
    return this.ended;
  }

  /** Offers a file to the group of the host, signed. */
  async offer(file: string, ...options: string[]): Promise<{ packageId: string; sha256: string }> {
    const pem = join(this.agent.folder, 'key.pem');
    writeFileSync(pem, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const older = options.includes('--allow-older') ? ['--allow-older'] : [];
    const signed = await runCli(['agent-package', 'sign', '--key', pem, '--file', file, ...older]);
    const signature = join(this.agent.folder, 'signature');
    writeFileSync(signature, `${signed.lines[0]}\n`);
    return this.offerSigned(file, signature, ...options);
  }

  async offerSigned(
    file: string,
    signature: string,
    ...options: string[]
  ): Promise<{ packageId: string; sha256: string }> {
    return this.command(
      ...['offer', '--group', this.groupId, '--file', file, '--signature', signature, ...options],
    );
  }

  /** `agent-package …` as an operator calls it. */
  async command(...args: string[]) {
    const env = {
      AUDIT_ACTIVITY_URL: this.world.service.url,
      AUDIT_ACTIVITY_OPERATOR_KEY: this.world.operatorKey,
    };
    const { lines, error } = await runCli(['agent-package', ...args, '--json'], env);
    if (error !== null) throw new Error(error);
    return JSON.parse(lines[0] ?? 'null');
  }

  /** What the service shows of the host. */
  async source(): Promise<{
    readonly agentVersion: string;
    readonly wantedPackage: string | null;
    readonly packageState: string | null;
    readonly packageReason: string | null;
    readonly publishedCount: number;
    readonly problem: string | null;
    readonly gapCount: number;
  } | null> {
    const { auditSources } = await this.world.operate(
      `query($t: String) { auditSources(tenantId: $t) { agentVersion wantedPackage packageState packageReason
        publishedCount problem gapCount } }`,
      { t: this.tenant.tenantId },
    );
    return auditSources[0] ?? null;
  }

  /** How many events the service has, each once. */
  async stored(): Promise<number> {
    const { body } = await this.tenant.get('/audit-activity', { pageSize: '1' });
    return body.meta.totalCount;
  }

  /** Files of packages in the data folder. */
  fileOf(sha256: string): string {
    return join(this.agent.dataDir, 'updates', `${sha256}.js`);
  }

  state() {
    const file = join(this.agent.dataDir, 'updates/state.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  }

  async close(): Promise<void> {
    // An agent whose launcher was killed ends after it.
    await this.stop();
    await this.agent.close();
    this.proxy.closeAllConnections();
    this.proxy.close();
  }

  private async makeGroup(): Promise<void> {
    const { createAgentGroup } = await this.world.operate(
      'mutation($t: String!) { createAgentGroup(tenantId: $t, name: "All", hosts: ["*"]) { groupId } }',
      { t: this.tenant.tenantId },
    );
    this.groupId = createAgentGroup.groupId;
    mkdirSync(this.agent.folder, { recursive: true });
  }
}
