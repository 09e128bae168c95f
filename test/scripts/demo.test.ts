import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port';
import { ROOT } from '../support/imports';

jest.setTimeout(180_000);

/** A running `npm run demo`, with its own folder for temporary files. */
class Demo {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'demo-test-'));
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  private errors = '';

  constructor(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [path.join(ROOT, 'scripts/demo.mjs'), ...args], {
      env: { ...process.env, TMPDIR: this.folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
  }

  /** Reads lines until one matches. @returns the match's first group */
  async until(pattern: RegExp): Promise<string> {
    if (!this.child.stdout) throw new Error('no output');
    for await (const line of createInterface({ input: this.child.stdout })) {
      this.lines.push(line);
      const found = pattern.exec(line);
      if (found) return found[1] ?? '';
    }
    throw new Error(`the demo ended: ${this.errors}`);
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  async close(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('npm run demo', () => {
  let demo: Demo;
  afterEach(() => demo.close());

  it('leaves no process and no folder behind when its reader disappears', async () => {
    demo = new Demo(['--exit']);
    const url = await demo.until(/listening on (\S+)/);
    demo.child.stdout?.destroy();
    expect(await demo.ended()).toBe(0);
    expect(readdirSync(demo.folder)).toEqual([]);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });

  it('serves on PORT whatever other settings there are, with events of the last day and of the sample files', async () => {
    const port = String(await freePort());
    demo = new Demo([], {
      PORT: port,
      DATABASE_URL: 'postgres://nowhere',
      CHECKPOINT_KEY_FILE: '/nowhere',
      AUDIT_ACTIVITY_OPERATOR_KEY: 'of another service',
    });
    await demo.until(/Stop them with Ctrl-C/);
    const key = /(aak_\w+) {2}to explore/.exec(demo.lines.join('\n'))?.[1] ?? '';
    const url = `http://127.0.0.1:${port}`;
    const day = await call(
      url,
      key,
      `/summary?startTime=${new Date(Date.now() - 24 * 3600_000).toISOString()}`,
    );
    expect(day.data.totalCount).toBeGreaterThan(500);
    expect(Date.now() - Date.parse(String(day.data.latestEventTime))).toBeLessThan(15 * 60_000);

    // The documents show these calls with their answers.
    for (const { call: rest, answer } of shownCalls()) {
      const { meta, ...body } = await call(url, key, rest);
      const { meta: shownMeta, ...shown } = answer;
      expect(body).toEqual(shown);
      expect({ ...meta, timestamp: '' }).toEqual({ ...shownMeta, timestamp: '' });
    }
    demo.child.kill('SIGINT');
    expect(await demo.ended()).toBe(0);
    expect(readdirSync(demo.folder)).toEqual([]);
  });
});

const API = '/api/v1/public/audit-activity';
type Answer = { readonly data: Record<string, unknown>; readonly meta: object };

async function call(url: string, key: string, rest: string): Promise<Answer> {
  const response = await fetch(url + API + rest, { headers: { 'X-Api-Key': key } });
  return (await response.json()) as Answer;
}

/** @returns the calls of README.md and docs/api.md that are shown with their answer */
function shownCalls(): { call: string; answer: Answer }[] {
  const text = ['README.md', 'docs/api.md'].map((name) => readFileSync(path.join(ROOT, name), 'utf8'));
  const pattern = /^curl [^\n]*\/audit-activity([^'\n]*)'\n```\n```json\n(\{.*?\n\})\n```/gms;
  const found = [...text.join('\n').matchAll(pattern)];
  expect(found.length).toBeGreaterThanOrEqual(4);
  return found.map(([, rest = '', answer = '']) => ({ call: rest, answer: JSON.parse(answer) as Answer }));
}
