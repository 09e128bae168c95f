import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInPath, run } from '../../../installer/build/tools.mjs';
import { findDebian, Shell, SUITE } from '../support/debian-system.mjs';

/** The Node.js for Wine 8, which cannot run newer versions. */
const OLD_NODE_VERSION = '22.23.3';
const environment = (inside) => ({
  HOME: join(inside, 'home'),
  WINEPREFIX: join(inside, 'prefix'),
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree,mshtml=;winemenubuilder.exe=d;winedbg.exe=d',
});

/**
 * The best Wine for the tests: version 10 in a Debian system of its own, else the installed one.
 * @returns `{ root, nodeVersion, hasExitCodes, title }`, or `{ reason }` if there is none; without `hasExitCodes` the
 * shell loses the exit codes of scripts
 */
export async function findWine() {
  const { root, reason } = await findDebian();
  if (root) return { root, hasExitCodes: true, title: `Wine of Debian ${SUITE}` };
  if (!isInPath('wine')) return { reason: `${reason}, and there is no wine in PATH` };
  const version = (await run('wine', ['--version'])).trim();
  const instead = `with Node.js ${OLD_NODE_VERSION} in place of the shipped one and without install-agent.cmd`;
  const title = `${version} ${instead} (${reason})`;
  return { root: null, nodeVersion: OLD_NODE_VERSION, hasExitCodes: false, title };
}

/** A Windows of its own, in Wine. */
export class WineSystem {
  #shell;

  static async start({ root }) {
    const system = new WineSystem();
    system.#shell = await Shell.start(root, environment);
    await mkdir(join(system.#shell.work, 'home'));
    // Wine 8 reports Windows 7 unless told otherwise.
    await system.#shell.run('wine wineboot -i && wine winecfg -v win10 && wineserver -w');
    await mkdir(system.path('C:\\t'));
    // Wine's Windows runs as long as a program runs in it. Without one, each command would be a reboot.
    await system.#shell.run(
      '(tail --pid=$SHELL_PID -f /dev/null 2>/dev/null | wine cmd /k >/dev/null 2>&1 &)',
    );
    return system;
  }

  /** Runs the lines of a batch file. @returns Windows' exit code (Linux would keep only 8 bits of it) and the output */
  async batch(...lines) {
    await rm(this.path('C:\\t\\code.txt'), { force: true });
    const text = ['@echo off', ...lines, 'echo %ERRORLEVEL%>C:\\t\\code.txt', ''].join('\r\n');
    await writeFile(this.path('C:\\t\\run.bat'), text);
    const { output } = await this.#shell.run('exec wine cmd /c "C:\\t\\run.bat"');
    const code = await readFile(this.path('C:\\t\\code.txt'), 'utf8').catch(() => 'none');
    return { code: Number.parseInt(code, 10), output };
  }

  /** The path on the host of a file on Windows' drive C. */
  path(windowsPath) {
    const parts = windowsPath.replace(/^C:\\/i, '').replaceAll('\\', '/');
    return join(this.#shell.work, 'prefix/drive_c', parts);
  }

  async close() {
    await this.#shell.run('wineserver -k');
    await this.#shell.close();
  }
}
