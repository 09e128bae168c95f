import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

  /** The commits of the releases that are packed here. */
  static packed(): string[] {
    return readdirSync(PACKED).flatMap((name) => /^release-(\w+)\.tar\.gz$/.exec(name)?.[1] ?? []);
  }

  /** @throws Error naming the packages that the release needs and that `package.json` does not have */
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

/** Declared, and not merely found: a folder of packages that npm has not cleaned may still hold one that is gone. */
function missingPackages(folder: string): string[] {
  const declared = [ROOT, path.join(ROOT, 'agent')].map(packagesOf);
  return Object.keys(packagesOf(folder).dependencies).filter((name) =>
    declared.every(({ dependencies, devDependencies }) => !(name in { ...dependencies, ...devDependencies })),
  );
}

interface Packages {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function packagesOf(folder: string): Packages {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}
