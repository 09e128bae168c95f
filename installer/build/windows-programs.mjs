import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTALLER, PRODUCT } from './paths.mjs';
import { run } from './tools.mjs';

const PREFIX = 'x86_64-w64-mingw32-';
export const COMPILER_PACKAGES = {
  [`${PREFIX}gcc`]: 'gcc-mingw-w64-x86-64',
  [`${PREFIX}windres`]: 'binutils-mingw-w64-x86-64',
  [`${PREFIX}windmc`]: 'binutils-mingw-w64-x86-64',
};
const FLAGS = [
  ...[
    '-O2',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-s',
    '-static',
    '-Wl,--no-insert-timestamp',
    '-DUNICODE',
    '-D_UNICODE',
  ],
  `-DWIDE_SERVICE_NAME=L"${PRODUCT.serviceName}"`,
];

/** Without a fixed base address, the linker derives one from the name of the output folder. */
const DLL_BASE = '-Wl,--image-base,0x180000000';

/**
 * Compiles the service host and the installer's actions.
 * @param work folder for intermediate files
 * @param out folder for the programs
 */
export async function compilePrograms({ version, numbers, work, out }) {
  await run(`${PREFIX}windmc`, ['-U', '-h', work, '-r', work, join(INSTALLER, 'windows/host/messages.mc')]);
  const host = `${PRODUCT.serviceName}.exe`;
  const place = { version, numbers, work, out };
  await Promise.all([
    compile(['-municode', `-I${work}`], 'host', host, ['-ladvapi32'], place),
    compile(['-shared', DLL_BASE], 'actions', 'actions.dll', ['-lmsi', '-ladvapi32'], place),
  ]);
}

async function compile(flags, folder, name, libraries, { version, numbers, work, out }) {
  const source = join(INSTALLER, 'windows', folder);
  const script = join(work, `${folder}.rc`);
  const messages = folder === 'host' ? '#include "messages.rc"\n' : '';
  await writeFile(script, messages + versionResource(version, numbers, name));
  await run(`${PREFIX}windres`, [`-I${work}`, script, '-o', `${script}.o`], { cwd: work });
  const sources = readdirSync(source).filter((file) => /\.(c|def)$/.test(file));
  const files = sources.map((file) => join(source, file));
  await run(`${PREFIX}gcc`, [
    ...FLAGS,
    ...flags,
    '-o',
    join(out, name),
    ...files,
    `${script}.o`,
    ...libraries,
  ]);
}

/** @param numbers the version by which Windows orders */
function versionResource(version, numbers, name) {
  const four = [...numbers.split('.'), 0].join(',');
  const strings = {
    CompanyName: PRODUCT.manufacturer,
    FileDescription: PRODUCT.name,
    FileVersion: numbers,
    OriginalFilename: name,
    ProductName: PRODUCT.name,
    ProductVersion: version,
  };
  const values = Object.entries(strings).map(([key, value]) => `      VALUE "${key}", "${value}"`);
  return `1 VERSIONINFO
FILEVERSION ${four}
PRODUCTVERSION ${four}
FILEOS 0x40004
FILETYPE ${name.endsWith('.dll') ? 2 : 1}
{
  BLOCK "StringFileInfo"
  {
    BLOCK "040904b0"
    {
${values.join('\n')}
    }
  }
  BLOCK "VarFileInfo"
  {
    VALUE "Translation", 0x409, 1200
  }
}
`;
}
