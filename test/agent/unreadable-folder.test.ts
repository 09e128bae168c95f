import fs from 'node:fs';
import { join } from 'node:path';
import { LocalFolder, parseAuditGlob } from '../../agent/source/local-folder';
import { AgentWorld, databaseEntry, FILES_2022 } from './support/agent-world';

/** Makes the listing of folders fail as for a user without permission, since a test may run as root. */
function forbid(...folders: readonly string[]): void {
  const { readdir } = fs;
  const refusing = (path: string, options: object, done: (error: Error | null, entries: never[]) => void) => {
    if (!folders.includes(path.replace(/\/$/, ''))) return Reflect.apply(readdir, fs, [path, options, done]);
    done(Object.assign(new Error(`EACCES: permission denied, scandir '${path}'`), { code: 'EACCES' }), []);
  };
  jest.spyOn(fs, 'readdir').mockImplementation(refusing as typeof readdir);
}

describe('a folder that cannot be listed', () => {
  let world: AgentWorld;
  let below: string;
  beforeEach(async () => {
    world = await AgentWorld.create();
    below = join(world.auditFolder, 'below');
    fs.mkdirSync(below);
    for (const path of FILES_2022) fs.copyFileSync(path, join(below, path.slice(path.lastIndexOf('/') + 1)));
    world.configure({}, { Databases: [databaseEntry('Payroll', 'audit/**/*.sqlaudit')] });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await world.close();
  });

  it('is never mistaken for an empty one', async () => {
    const listing = () => new LocalFolder(parseAuditGlob('audit/**/*.sqlaudit', world.folder)).list();
    forbid(world.auditFolder);
    expect(await listing()).toMatchObject({ kind: 'unreadable', folder: world.auditFolder });
    jest.restoreAllMocks();
    forbid(below);
    expect(await listing()).toEqual({
      ...{ kind: 'listed', files: [] },
      skipped: [{ folder: below, reason: expect.stringContaining('EACCES') }],
    });
  });

  it('leaves no gap for the files in it, and they are followed again when it can be listed', async () => {
    fs.renameSync(join(below, name(1)), join(world.folder, name(1)));
    expect(await world.once()).toBe(0);
    forbid(below);
    expect(await world.once()).toBe(1);
    expect(world.log).toMatch(/below: cannot be listed: EACCES/);
    jest.restoreAllMocks();
    fs.renameSync(join(world.folder, name(1)), join(below, name(1)));
    expect(await world.once()).toBe(0);
    expect(world.service.events).toHaveLength(150);
    expect(world.service.reports.flatMap(({ gaps }) => gaps)).toEqual([]);
  });
  const name = (index: number) => FILES_2022[index]?.replace(/.*\//, '') ?? '';
});
