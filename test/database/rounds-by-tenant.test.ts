import type { OwnerDoor } from '../../src/database/clients';
import { TenantRounds } from '../../src/database/distribute/tenant-rounds';
import { FullDisk } from '../../src/store/archive/full-disk';

/** An owner's door of a database that is distributed or not, with these tenants. */
const doorOf = (isDistributed: boolean, tenants: readonly number[]) =>
  ({
    isDistributed,
    models: {
      $queryRaw: async ([text]: TemplateStringsArray) =>
        text?.includes('api_key') ? tenants.map((id) => ({ id })) : [],
    },
  }) as unknown as OwnerDoor;

const away = () => Promise.reject(new Error('connection to the remote node failed'));
/** Answers for tenants, and fails for all at once and for one whose node is away. */
const questionOf =
  (broken: number, asked: string[] = []) =>
  async (of: (column: string) => string) => {
    const condition = of('t');
    asked.push(condition);
    const [, tenant] = /^t = (\d+)$/.exec(condition) ?? [];
    return tenant === undefined || Number(tenant) === broken ? away() : [Number(tenant)];
  };

describe('a question about all tenants of a cluster', () => {
  it('is asked of each tenant when a node is away, and the tenants of other nodes are served', async () => {
    const rounds = new TenantRounds(doorOf(true, [3, 4, 5]));
    expect(await rounds.ask(questionOf(3))).toEqual([4, 5]);
    expect(() => rounds.end()).toThrow('remote node');
    // The failure was told. The next round begins without it.
    expect(() => rounds.end()).not.toThrow();
  });

  it('of those that are in use is asked of the node of each tenant alone when a node is away', async () => {
    const asked: string[] = [];
    await new TenantRounds(doorOf(true, [3])).ask(questionOf(4, asked), 'in use');
    expect(asked).toEqual([
      't NOT IN (SELECT x.tenant_id FROM tenant x WHERE x.disabled_at IS NOT NULL)',
      't = 3 AND NOT EXISTS (SELECT x.tenant_id FROM tenant x WHERE x.disabled_at IS NOT NULL AND x.tenant_id = 3)',
    ]);
  });

  it('is not asked of a tenant again for a while whose node may be away', async () => {
    const rounds = new TenantRounds(doorOf(true, [3, 4]));
    await rounds.ask(questionOf(4));
    const asked: string[] = [];
    expect(await rounds.ask(questionOf(4, asked))).toEqual([3]);
    expect(asked.filter((condition) => condition.startsWith('t = '))).toEqual(['t = 3']);
  });

  it('goes on soon for a tenant whose work found no room on the disk of this machine, which is no node', async () => {
    let nowMs = 0;
    const rounds = new TenantRounds(doorOf(true, [3]), undefined, () => nowMs);
    const failing = (error: Error) => async () => {
      nowMs += 40;
      throw error;
    };
    const work = async () => 'done';
    const quota = Object.assign(new Error('write'), { code: 'EDQUOT' });
    const full = [
      new FullDisk('less is free'),
      new Error('IO Error: No space left on device'),
      new Error('outer', { cause: quota }),
    ];
    for (const error of full) {
      expect(await rounds.attempt(3, failing(error))).toBeNull();
      nowMs += 39;
      expect(await rounds.attempt(3, work)).toBeNull();
      nowMs += 1;
      expect(await rounds.attempt(3, work)).toBe('done');
    }
    expect(await rounds.attempt(3, failing(new Error('connection lost')))).toBeNull();
    nowMs += 14_999;
    expect(await rounds.attempt(3, work)).toBeNull();
    nowMs += 1;
    expect(await rounds.attempt(3, work)).toBe('done');
  });

  it('is asked once while every node answers', async () => {
    const rounds = new TenantRounds(doorOf(true, [3, 4]));
    const asked: string[] = [];
    const question = async (of: (column: string) => string) => {
      asked.push(of('t'));
      return [3, 4];
    };
    expect(await rounds.ask(question)).toEqual([3, 4]);
    expect(asked).toHaveLength(1);
  });

  it('fails as a whole where the database is not distributed', async () => {
    const rounds = new TenantRounds(doorOf(false, [3, 4]));
    await expect(rounds.ask(questionOf(3))).rejects.toThrow('remote node');
  });

  it('goes on without the tenants of a node that has no room, and of one that is away', async () => {
    const rounds = new TenantRounds(doorOf(true, [3, 4, 5]));
    const work = (tenantId: number) => async () => {
      if (tenantId === 3) throw Object.assign(new Error('no space left'), { code: '53100' });
      if (tenantId === 4) return away();
      return tenantId;
    };
    const done = [];
    for (const tenantId of [3, 4, 5]) done.push(await rounds.attempt(tenantId, work(tenantId)));
    expect(done).toEqual([null, null, 5]);
    expect(() => rounds.end()).toThrow('no space left');
  });

  it('ends for all tenants where the one database has no room, and where it fails for the caller', async () => {
    const full = () => Promise.reject(Object.assign(new Error('no space left'), { code: '53100' }));
    await expect(new TenantRounds(doorOf(false, [3])).attempt(3, full)).rejects.toThrow('no space left');
    const rounds = new TenantRounds(doorOf(true, [3]), () => true);
    await expect(rounds.attempt(3, away)).rejects.toThrow('remote node');
    // Nobody rests after a failure of the caller.
    expect(await rounds.attempt(3, async () => 'done')).toBe('done');
  });
});
