import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { AgentProgram } from '../agent/support/compiled-agent';
import { ChildService } from './child-service';

const ROOT = path.resolve(__dirname, '../..');
const PACKED = path.join(ROOT, 'test/fixtures/releases');

/** An earlier release in compiled form, see `test/fixtures/releases/README.md`. */
export class Release {
  readonly agent: AgentProgram;

  private constructor(private readonly folder: string) {
    this.agent = new AgentProgram(path.join(folder, 'dist/agent/main.js'));
  }

  /** @throws Error naming the packages that the release needs and that are no longer installed */
  static unpack(commit: string): Release {
    // The folder is within the repository, so that Node finds the packages from there.
    const setup = path.join(ROOT, '.setup');
    mkdirSync(setup, { recursive: true });
    const folder = mkdtempSync(path.join(setup, 'release-'));
    execFileSync('tar', ['-xzf', path.join(PACKED, `release-${commit}.tar.gz`), '-C', folder]);
    const missing = missingPackages(folder);
    if (missing.length > 0) throw new Error(`release ${commit} needs ${missing.join(', ')}`);
    return new Release(folder);
  }

  startService(env: Readonly<Record<string, string>>): Promise<ChildService> {
    return ChildService.of(path.join(this.folder, 'dist/src/main.js'), env);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function missingPackages(folder: string): string[] {
  const file = path.join(folder, 'package.json');
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> };
  const folders = createRequire(file).resolve.paths('any') ?? [];
  return Object.keys(dependencies).filter((name) => !folders.some((at) => existsSync(path.join(at, name))));
}
