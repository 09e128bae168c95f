import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { globSync } from 'tinyglobby';
import type { AgentTimes } from '../../../agent/times';

const ROOT = join(__dirname, '../../..');
const SOURCES = ['agent/**/*.ts', 'src/delivery/aws-signature.ts', 'src/event/*.ts', 'src/*.ts'];
const DATA = ['agent/*.json', 'package.json'];

export interface Ended {
  /** The exit code; null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface AgentProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Runs the agent's commands as processes. */
export class AgentProgram {
  /** @param main the file to run */
  constructor(readonly main: string) {}

  start(args: readonly string[]): AgentProcess {
    const child = spawn(process.execPath, [this.main, ...args]);
    const ended = new Promise<Ended>((resolve, reject) => {
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
    return { child, ended };
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(args).ended;
  }
}

/** The agent, compiled from the current sources. */
export class CompiledAgent extends AgentProgram {
  private readonly folder: string;

  /** @param times in place of the agent's own waiting times */
  constructor(times: Partial<AgentTimes> = {}) {
    // The folder is below node_modules, so that Node finds the packages from there.
    const cache = join(ROOT, 'node_modules/.cache');
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, 'agent-test-'));
    super(join(folder, 'main.js'));
    this.folder = folder;
    for (const source of globSync(SOURCES, { cwd: ROOT })) {
      const { code } = transformFileSync(join(ROOT, source), {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
      });
      const target = join(folder, source.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, code);
    }
    for (const file of globSync(DATA, { cwd: ROOT })) copyFileSync(join(ROOT, file), join(folder, file));
    const given = `Object.assign(require('./agent/times').AGENT_TIMES, ${JSON.stringify(times)});`;
    writeFileSync(this.main, `${given}\nrequire('./agent/main');\n`);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
