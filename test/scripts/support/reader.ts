import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readDocument } from '../../support/documents';
import { ROOT } from '../../support/imports';
import { until } from '../../support/until';

/** The first words of a block that is not run. The rest of its line tells the reader why. */
const NOT_RUN = '# Not run by a test';

/** Commands that a test of their own runs. */
export const RUN_ELSEWHERE: readonly { readonly command: RegExp; readonly by: string }[] = [
  { command: /^npm run demo/, by: 'test/scripts/demo.test.ts' },
  // This test also compares the shown answers.
  { command: /^curl -H 'X-Api-Key: <API_KEY>' '/, by: 'test/scripts/demo.test.ts' },
  { command: /^npm test/, by: 'scripts/test.mjs' },
  { command: /^(cp -a "\$DATA_DIR|pg_dump|pg_restore|vacuumdb)/, by: 'test/restore/restore.test.ts' },
  { command: /^audit-activity prepare-restore/, by: 'test/restore/restore.test.ts' },
  { command: /^audit-activity finish-restore/, by: 'test/restore/noticed.test.ts' },
];

/** Commands that do not end by themselves, with the output that shows that they are ready. */
const LASTING: readonly { readonly command: RegExp; readonly ready: RegExp }[] = [
  { command: /^([A-Z_]+=\S+ )*npm start/, ready: /^listening on /m },
  { command: /^audit-agent run (?!.*--once)/, ready: /: follows / },
];

/** Commands that fail until an earlier command has made enough progress. */
const SOON = /^audit-agent status/;

/**
 * The commands run from the clone, without the time that npm takes. Variables that a block exports stay for the next ones.
 */
const PRELUDE = `set -euo pipefail
audit-activity() { node "$ROOT/scripts/audit-activity.mjs" "$@"; }
audit-agent() { node "$ROOT/scripts/audit-agent.mjs" "$@"; }
if [ -e .environment ]; then . ./.environment; fi
`;

/** @returns the lines of commands to run, by the blocks of a document */
export function commandsOf(document: string): string[][] {
  const blocks = [...readDocument(document).matchAll(/^( *)```sh\n(.*?)^\1```/gms)];
  return blocks
    .map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
    .filter((block) => !block.startsWith(NOT_RUN))
    .map((block) => block.split('\n').filter((line) => line !== '' && !isRunElsewhere(line)))
    .filter((lines) => lines.length > 0);
}

const isRunElsewhere = (line: string) => RUN_ELSEWHERE.some(({ command }) => command.test(line));

/** A reader who runs what documents say, in a folder that looks like a clone. */
export class Reader {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'documented-'));
  /** The output of the commands that do not end by themselves. */
  log = '';
  private readonly lasting: ChildProcess[] = [];

  /**
   * @param meant what to use in place of texts of the documents, such as addresses
   * @param prepared scripts that set variables which the documents presuppose
   */
  constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly meant: ReadonlyMap<string, string>,
    private readonly prepared: Readonly<Record<string, string>> = {},
  ) {
    for (const name of ['node_modules', 'package.json', 'scripts']) {
      symlinkSync(path.join(ROOT, name), path.join(this.folder, name));
    }
  }

  async follow(document: string): Promise<void> {
    for (const lines of commandsOf(document)) {
      const last = lines.at(-1) ?? '';
      const lasting = LASTING.find(({ command }) => command.test(last));
      const ending = (lasting ? lines.slice(0, -1) : lines).join('\n');
      for (const [name, script] of Object.entries(this.prepared)) {
        if (ending.includes(`$${name}`)) await this.run(script);
      }
      if (SOON.test(ending)) {
        const tried = () =>
          this.run(ending).then(
            () => true,
            () => false,
          );
        await until(tried, (worked) => worked, 60_000);
      } else if (ending !== '') await this.run(ending);
      if (lasting) await this.start(last, lasting.ready);
    }
  }

  /** @returns the stdout of the script */
  async run(script: string): Promise<string> {
    const child = this.spawn(`${script}\nexport -p >.environment`);
    let [out, err] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`ended with ${code}:\n${script}\n${out}\n${err}\n${this.log}`);
    return out;
  }

  private start(command: string, ready: RegExp): Promise<void> {
    const child = this.spawn(command);
    this.lasting.push(child);
    let said = '';
    return new Promise((resolve, reject) => {
      for (const output of [child.stdout, child.stderr]) {
        output?.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          this.log += text;
          if (ready.test(said)) resolve();
        });
      }
      child.once('close', () => reject(new Error(`ended:\n${command}\n${said}`)));
    });
  }

  private spawn(script: string): ChildProcess {
    const text = [...this.meant].reduce((all, [shown, meant]) => all.replaceAll(shown, meant), script);
    const { DATABASE_URL, REDIS_URL, ...inherited } = process.env;
    return spawn('bash', ['-c', PRELUDE + text], {
      cwd: this.folder,
      // A process group of its own, so that it can be ended as a whole.
      detached: true,
      env: { ...inherited, ROOT, HOST: '127.0.0.1', ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async close(): Promise<void> {
    for (const child of this.lasting.reverse()) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const closed = once(child, 'close');
      process.kill(-child.pid, 'SIGTERM');
      await closed;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
