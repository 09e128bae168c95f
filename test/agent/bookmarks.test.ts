import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bookmarks } from '../../agent/bookmarks/bookmarks';
import { systemClock } from '../../agent/clock';
import { LineLog } from '../../agent/log';
import { AgentWorld, FILES_2022 } from './support/agent-world';

describe('bookmarks', () => {
  let world: AgentWorld;
  let folder: string;
  beforeEach(async () => {
    world = await AgentWorld.create();
    folder = join(world.dataDir, 'checkpoints/7');
  });
  afterEach(() => world.close());

  it.each([
    '',
    '{"version":1,"dat',
    '{"version":2}',
    '{"version":1,"database":"X","files":{"g":{"blockOffset":-1}}}',
  ])('that are damaged on disk are set aside, and everything is read again: %j', async (damaged) => {
    world.copy(FILES_2022);
    await world.once();
    const path = join(folder, 'Payroll.json');
    writeFileSync(path, damaged);
    expect(await world.once()).toBe(0);
    expect(world.summary[1]).toBe('Payroll: 0 published (150 duplicates, 0 rejected) from 2 files');
    expect(world.log).toContain('is damaged: kept as');
    const [aside = ''] = readdirSync(folder).filter((name) => name.includes('.damaged-'));
    expect(readFileSync(join(folder, aside), 'utf8')).toBe(damaged);
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(300);
  });

  it('of a newer version with the same format are read, without what this version does not know', async () => {
    world.copy(FILES_2022);
    await world.once();
    const path = join(folder, 'Payroll.json');
    const { files, ...saved } = JSON.parse(readFileSync(path, 'utf8'));
    const newer = Object.entries(files).map(([guid, one]) => [guid, { ...(one as object), later: { x: 1 } }]);
    writeFileSync(path, JSON.stringify({ ...saved, files: Object.fromEntries(newer), later: true }));
    expect(await world.once()).toBe(0);
    expect(world.summary[1]).toBe('Payroll: 0 published (0 duplicates, 0 rejected) from 2 files');
    expect(world.service.sentCount).toBe(150);
  });

  it('do not move before the service has acknowledged', async () => {
    world.copy(FILES_2022);
    world.configure({}, { BatchMaxEvents: 40 });
    let requests = 0;
    world.service.fault = (_, response) => {
      if (++requests <= 2) return false;
      response.destroy();
      return true;
    };
    expect(await world.once()).toBe(1);
    expect(world.service.requests).toHaveLength(2);
    expect(world.service.stored.size).toBeLessThan(150);
    world.service.fault = () => false;
    expect(await world.once()).toBe(0);
    // The third connection may break before the answer to the second request arrives. Its 35 events are then sent again.
    expect([150, 185]).toContain(world.service.sentCount);
    expect(world.service.stored.size).toBe(150);
  });

  it('show only what is on disk, and a file that is found again keeps its bookmark', async () => {
    const path = join(folder, 'X.json');
    const load = () =>
      Bookmarks.load(path, { database: 'X', log: new LineLog(() => {}), clock: systemClock });
    const at = (blockOffset: number) => ({ file: 'f', blockOffset, index: 0 });
    const bookmarks = await load();
    const saving = bookmarks.save({ bookmarks: new Map([['known', at(1024)]]), present: new Set() });
    const noting = bookmarks.noteFound(
      new Map([
        ['known', at(512)],
        ['found', at(512)],
      ]),
    );
    expect([...bookmarks.all()]).toEqual([]);
    await Promise.all([saving, noting]);
    for (const one of [bookmarks, await load()]) {
      expect([one.of('known'), one.of('found')]).toMatchObject([at(1024), at(512)]);
    }
  });

  it('do not show a change that could not be written', async () => {
    const bookmarks = await Bookmarks.load(join(world.folder, 'a folder', 'X.json'), {
      database: 'X',
      log: new LineLog(() => {}),
      clock: systemClock,
    });
    writeFileSync(join(world.folder, 'a folder'), 'where the folder should be');
    const change = new Map([['x', { file: 'f', blockOffset: 512, index: 0 }]]);
    await expect(bookmarks.save({ bookmarks: change, present: new Set() })).rejects.toThrow('EEXIST');
    expect(bookmarks.of('x')).toBeNull();
  });

  it('are kept for each database and tenant', async () => {
    world.copy(FILES_2022);
    await world.once();
    world.configure({ TenantId: '8' });
    world.service.tenants.add('8');
    await world.once();
    expect(world.service.sentCount).toBe(300);
  });

  it('are dropped for files that have been gone for three months, and for no file that is there', async () => {
    const path = join(world.folder, 'checkpoint.json');
    let nowMs = Date.parse('2026-01-01T12:00:00Z');
    const clock = { ...systemClock, now: () => nowMs };
    const load = () => Bookmarks.load(path, { database: 'X', log: new LineLog(() => {}), clock });
    const entry = { file: 'x', blockOffset: 512, index: 0 };
    const saved = new Map(['gone', 'there'].map((guid) => [guid, entry]));
    await (await load()).save({ bookmarks: saved, present: new Set(['gone', 'there']) });
    nowMs += 90 * 24 * 3600_000;
    await (await load()).save({ bookmarks: new Map(), present: new Set(['there']) });
    expect((await load()).of('gone')).not.toBeNull();
    nowMs += 24 * 3600_000;
    await (await load()).save({ bookmarks: new Map([['new', entry]]), present: new Set(['there', 'new']) });
    const bookmarks = await load();
    expect(['gone', 'there', 'new'].map((guid) => bookmarks.of(guid) !== null)).toEqual([false, true, true]);
  });

  it('stay when a new file is found, however long ago the others were last seen', async () => {
    const path = join(world.folder, 'checkpoint.json');
    let nowMs = Date.parse('2026-01-01T12:00:00Z');
    const clock = { ...systemClock, now: () => nowMs };
    const load = () => Bookmarks.load(path, { database: 'X', log: new LineLog(() => {}), clock });
    const entry = { file: 'x', blockOffset: 512, index: 0 };
    const bookmarks = await load();
    await bookmarks.save({ bookmarks: new Map([['quiet', entry]]), present: new Set(['quiet']) });
    nowMs += 100 * 24 * 3600_000;
    await bookmarks.noteFound(new Map([['new', entry]]));
    for (const one of [bookmarks, await load()])
      expect(['quiet', 'new'].map((guid) => one.of(guid) !== null)).toEqual([true, true]);
  });
});
