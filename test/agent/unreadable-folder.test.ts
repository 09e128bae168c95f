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

/** Makes links fail to resolve, as they do for a user who may not enter the folder that they lead to. */
function forbidLinks(...links: readonly string[]): void {
  const { realpath } = fs;
  const refusing = (path: string, done: (error: Error | null, resolved: string) => void) => {
    if (!links.includes(path.replace(/\/$/, ''))) return Reflect.apply(realpath, fs, [path, done]);
    done(Object.assign(new Error(`EACCES: permission denied, lstat '${path}'`), { code: 'EACCES' }), '');
  };
  jest.spyOn(fs, 'realpath').mockImplementation(refusing as typeof realpath);
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
      kind: 'listed',
      files: [],
      skipped: [{ folder: below, reason: expect.stringContaining('EACCES') }],
    });
  });

  it('is none where a link leads to nothing any more: it holds nothing', async () => {
    const link = join(world.auditFolder, 'gone');
    fs.symlinkSync(join(world.folder, 'elsewhere'), link);
    const listing = await new LocalFolder(parseAuditGlob('audit/**/*.sqlaudit', world.folder)).list();
    expect(listing).toMatchObject({ kind: 'listed', skipped: [] });
    expect('files' in listing && listing.files.length).toBe(FILES_2022.length);
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

  it('keeps no file waiting that lies in another folder, although its name begins as that of this one', async () => {
    const other = join(world.auditFolder, 'below and beside');
    fs.renameSync(below, other);
    fs.mkdirSync(below);
    fs.renameSync(join(other, name(1)), join(world.folder, name(1)));
    expect(await world.once()).toBe(0);
    const before = world.service.events.length;
    forbid(below);
    fs.renameSync(join(world.folder, name(1)), join(other, name(1)));
    await world.once();
    expect(before).toBeGreaterThan(0);
    expect([before < 150, world.service.events.length]).toEqual([true, 150]);
  });

  it('makes no gap of the files in it if it is a link that the agent may not follow', async () => {
    fs.renameSync(below, join(world.folder, 'elsewhere'));
    fs.symlinkSync(join(world.folder, 'elsewhere'), below);
    expect(await world.once()).toBe(0);
    forbidLinks(below);
    const listing = await new LocalFolder(parseAuditGlob('audit/**/*.sqlaudit', world.folder)).list();
    expect(listing).toMatchObject({
      skipped: [{ folder: below, reason: expect.stringContaining('EACCES') }],
    });
    expect(await world.once()).toBe(1);
    expect(world.log).toMatch(/below: cannot be listed: EACCES/);
    expect(world.service.reports.flatMap(({ gaps }) => gaps)).toEqual([]);
  });

  it('makes no gap of a file behind such a link', async () => {
    const link = join(world.auditFolder, name(0));
    fs.renameSync(below, join(world.folder, 'elsewhere'));
    fs.symlinkSync(join(world.folder, 'elsewhere', name(0)), link);
    expect(await world.once()).toBe(0);
    forbidLinks(link);
    const listing = await new LocalFolder(parseAuditGlob('audit/*.sqlaudit', world.folder)).list();
    expect(listing).toMatchObject({
      kind: 'listed',
      files: [],
      skipped: [{ folder: link, reason: expect.stringContaining('EACCES') }],
    });
    expect(await world.once()).toBe(1);
    expect(world.service.reports.flatMap(({ gaps }) => gaps)).toEqual([]);
  });
  const name = (index: number) => FILES_2022[index]?.replace(/.*\//, '') ?? '';
});
