import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder, parseAuditGlob } from '../../agent/source/local-folder';

describe('the path of audit files', () => {
  it.each([
    ['C:\\SQL Audit (x86)\\*.sqlaudit', 'win32', 'C:/SQL Audit (x86)', '*.sqlaudit'],
    ['C:\\*.sqlaudit', 'win32', 'C:/', '*.sqlaudit'],
    ['\\\\server\\share\\a\\**\\*.sqlaudit', 'win32', '//server/share/a', '**/*.sqlaudit'],
    ['/var/opt/*/x_*.sqlaudit', 'linux', '/var/opt', '*/x_*.sqlaudit'],
    ['/*.sqlaudit', 'linux', '/', '*.sqlaudit'],
    ['audit/{a,b}.sqlaudit', 'linux', '/etc/agent/audit', '{a,b}.sqlaudit'],
    ['*.sqlaudit', 'linux', '/etc/agent', '*.sqlaudit'],
    ['/var/a.sqlaudit', 'linux', '/var/a.sqlaudit', null],
  ] as const)('%s is a folder and a pattern', (path, platform, folder, pattern) => {
    const glob = parseAuditGlob(path, '/etc/agent', platform);
    expect(glob).toEqual({ folder, pattern });
  });

  it('lists the files in the order in which they were begun', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'audit (glob)-'));
    const name = (audit: string, created: string) =>
      `${audit}_0A0A0A0A-0000-4000-8000-00000000000A_0_${created}.sqlaudit`;
    const names = [
      name('B', '134000000000000000'),
      name('A', '134000000000010000'),
      name('Z', '133999999999990000'),
    ];
    for (const each of [...names, 'other (1).txt']) writeFileSync(join(folder, each), '');
    const listed = async (path: string) => {
      const listing = await new LocalFolder(parseAuditGlob(path, folder)).list();
      return listing.kind === 'listed' ? listing.files.map((file) => file.name) : listing;
    };
    expect(await listed('*.sqlaudit')).toEqual([names[2], names[0], names[1]]);
    expect(await listed(folder)).toEqual([names[2], names[0], names[1]]);
    expect(await listed('*(1).txt')).toEqual(['other (1).txt']);
    expect(await listed(`${folder}/${names[0]}`)).toEqual([names[0]]);
    expect(await listed('absent/*')).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringContaining('ENOENT'),
    });
    rmSync(folder, { recursive: true });
  });
});
