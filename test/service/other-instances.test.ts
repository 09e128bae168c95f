import pino from 'pino';
import { loadConfig } from '../../src/config';
import type { OwnerDoor } from '../../src/database/clients';
import { LIMITS } from '../../src/limits';
import { settingsOf } from '../../src/modules/instances/module';
import { OtherInstances, type Settings } from '../../src/modules/instances/other-instances';
import { newWitnessKeyPem, WitnessKey } from '../../src/store/log/evidence/cosignature';

const DIFFER_MS = LIMITS.instanceSettingsDifferMs;

/** Instances that hear what each of them says, as the database lets them. */
class Bus {
  readonly instances: OtherInstances[] = [];
  readonly told: { settings?: object; msg: string }[] = [];
  nowMs = 3_000;

  join(own: Settings): OtherInstances {
    const notify = async (_statement: string, said: string) => {
      for (const one of this.instances) one.hear(said);
      return [];
    };
    const owner = { models: { $queryRawUnsafe: notify } } as unknown as OwnerDoor;
    const log = pino({}, { write: (line: string) => void this.told.push(JSON.parse(line)) });
    const joined = new OtherInstances(
      owner,
      async () => own,
      log,
      () => this.nowMs,
    );
    this.instances.push(joined);
    return joined;
  }

  async say(): Promise<void> {
    for (const one of this.instances) await one.say();
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.say();
  }
}

describe('instances on one database', () => {
  it('say nothing while they are set alike, or one of them does without a setting', async () => {
    const bus = new Bus();
    const first = bus.join({ ACCESS_LOG_DAYS: 30, ARCHIVE_AFTER_DAYS: 7, 'rules of 1': 'a' });
    bus.join({ ACCESS_LOG_DAYS: 30, ARCHIVE_AFTER_DAYS: null, 'rules of 2': 'b' });
    await bus.say();
    await bus.pass(DIFFER_MS);
    expect([first.healthy, bus.told]).toEqual([true, []]);
  });

  it('name what differs for a while, until it does no more, and tell each once', async () => {
    const bus = new Bus();
    const first = bus.join({ ACCESS_LOG_DAYS: 30, PUBLIC_URL: 'https://a' });
    const second = bus.join({ ACCESS_LOG_DAYS: 1, PUBLIC_URL: 'https://a' });
    await bus.say();
    await bus.pass(DIFFER_MS - 1);
    expect([first.differing, second.differing]).toEqual([[], []]);
    await bus.pass(1);
    await bus.pass(1);
    expect([first.differing, second.healthy]).toEqual([['ACCESS_LOG_DAYS'], false]);
    expect(bus.told.map(({ settings }) => settings)).toEqual([
      { ACCESS_LOG_DAYS: [30, 1] },
      { ACCESS_LOG_DAYS: [1, 30] },
    ]);
    await second.leave();
    bus.instances.pop();
    await first.say();
    expect([first.healthy, bus.told.at(-1)?.msg]).toEqual([
      true,
      'the other instances on this database are set as this one is',
    ]);
  });

  it('keep for as long as the one that keeps longest, which a newcomer learns at once', async () => {
    const bus = new Bus();
    const first = bus.join({ ACCESS_LOG_DAYS: 30 });
    await first.say();
    const second = bus.join({ ACCESS_LOG_DAYS: 1 });
    await second.say();
    await new Promise((resolve) => setImmediate(resolve));
    expect([first, second].map((one) => one.largest('ACCESS_LOG_DAYS', 1))).toEqual([1, 30]);
    bus.nowMs += LIMITS.instanceGoneMs + 1;
    expect(second.largest('ACCESS_LOG_DAYS', 1)).toBe(1);
  });

  it('know at once what one of them has otherwise, and until it is gone', async () => {
    const bus = new Bus();
    const first = bus.join({ ARCHIVE_URL: 'not set', REPORT_DAYS: 5, ARCHIVE_AFTER_DAYS: 7 });
    await first.say();
    expect(first.isOtherwise('ARCHIVE_URL')).toBe(false);
    const second = bus.join({ ARCHIVE_URL: 'file:///b', REPORT_DAYS: 5, ARCHIVE_AFTER_DAYS: null });
    await second.say();
    await new Promise((resolve) => setImmediate(resolve));
    const names = ['ARCHIVE_URL', 'REPORT_DAYS', 'ARCHIVE_AFTER_DAYS', 'OTHER'];
    for (const one of [first, second])
      expect(names.map((name) => one.isOtherwise(name))).toEqual([true, false, false, false]);
    bus.nowMs += LIMITS.instanceGoneMs + 1;
    expect(first.isOtherwise('ARCHIVE_URL')).toBe(false);
  });

  it('take no notice of what no instance says', async () => {
    const bus = new Bus();
    const only = bus.join({ ACCESS_LOG_DAYS: 30 });
    for (const said of ['', '{', 'null', '{"id":7,"settings":{}}', '{"id":"a"}', '{"id":"a","settings":3}'])
      only.hear(said);
    for (let i = 0; i < 2 * LIMITS.instancesHeardMax; i++)
      only.hear(JSON.stringify({ id: String(i), settings: { ACCESS_LOG_DAYS: i } }));
    expect(only.largest('ACCESS_LOG_DAYS', 30)).toBe(LIMITS.instancesHeardMax - 1);
  });
});

describe('the settings that instances tell each other', () => {
  const placeOf = (url?: string) =>
    settingsOf(loadConfig(url === undefined ? {} : { ARCHIVE_URL: url })).ARCHIVE_URL;

  it('have the place of files, so that no week is sealed into another place unnoticed, and no login', () => {
    expect(placeOf()).toBe('not set');
    expect(placeOf('file:///mnt/weeks')).toBe('file:///mnt/weeks');
    const [one, other] = ['ID:SECRET@b/p?region=eu', 'ID2:NEWER@b/p?region=eu'].map((at) =>
      placeOf(`s3://${at}`),
    );
    expect([one, other]).toEqual(['s3://b/p/', 's3://b/p/']);
    expect(placeOf('s3://ID:SECRET@b/q?region=eu')).not.toBe(one);
  });

  it('have whether it is a drill, what makes an operator of a person, and who vouches for checkpoints', () => {
    const set = (name: string, ...texts: readonly (string | undefined)[]) =>
      texts.map((text) => {
        const openId = { OIDC_ISSUER: 'https://id', OIDC_CLIENT_ID: 'c', OIDC_CLIENT_SECRET: 's' };
        const rest = { ...openId, PUBLIC_URL: 'https://a' };
        return settingsOf(loadConfig({ ...rest, ...(text === undefined ? {} : { [name]: text }) }))[name];
      });
    expect(set('DRILL', undefined, '0', '1')).toEqual([0, 0, 1]);
    expect(set('OIDC_CLIENT_ID', 'd', 'e')).toEqual(['d', 'e']);
    expect(set('OIDC_ROLE_CLAIM', undefined, 'groups')).toEqual(['role', 'groups']);
    expect(set('OIDC_TENANTS_CLAIM', undefined, 'customers')).toEqual(['tenants', 'customers']);
    const url = 'https://tsa.example/stamp';
    const named = set('TIMESTAMP_URL', undefined, url, 'https://ID:SECRET@tsa.example/stamp?key=SECRET');
    expect(named).toEqual([null, url, url]);
    const witnesses = ['one', 'other'].map((name) => new WitnessKey(name, newWitnessKeyPem()).verifierKey);
    const [one, other] = witnesses.map((key) => `${key} https://w.example`);
    const ids = witnesses.map((key) => key.split('+')[1]);
    expect(set('EVIDENCE_WITNESSES', undefined, one, `${one},${other}`, `${other},${one}`)).toEqual([
      null,
      ids[0],
      ids.toSorted().join(', '),
      ids.toSorted().join(', '),
    ]);
  });
});
