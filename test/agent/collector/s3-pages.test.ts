import { systemClock } from '../../../agent/clock';
import { Secret } from '../../../agent/config/secret';
import type { StoredObject } from '../../../agent/source/objects/object-store';
import { S3Store } from '../../../agent/source/s3/s3-store';
import { BucketWorld, fileOf, keyOf } from './support/bucket-world';
import { REGION } from './support/s3-stand-in';

/** The pages of one listing. */
const PAGES = 100;

describe('a listing of a bucket', () => {
  let world: BucketWorld;
  beforeEach(async () => {
    world = await BucketWorld.create();
  });
  afterEach(() => world.close());

  it('that has too many pages goes on the next time, and says only of one from beginning to end that it is whole', async () => {
    const { AccessKeyId, SecretAccessKey } = world.store.login;
    const keys = Array.from({ length: PAGES + 50 }, (_, i) => keyOf(i * 1_000));
    const bytes = fileOf(0, 1);
    for (const key of keys) await world.store.put(key, bytes);
    const store = new S3Store({
      clock: systemClock,
      stop: new AbortController().signal,
      ...{ timeoutMs: 60_000, metadataTimeoutMs: 1_000, retryMs: 1, env: {} },
      config: {
        ...{ type: 'S3', bucket: 'audit-trail', prefix: 'rds/', region: REGION, endpoint: world.store.url },
        ...{
          accessKeyId: AccessKeyId,
          secretAccessKey: new Secret(SecretAccessKey),
          sessionToken: null,
          profile: null,
        },
        ...{ roleArn: null, externalId: null, listIntervalMs: 20 },
      },
    } as never);
    const listed = async () => {
      const found: string[] = [];
      const take = ({ key }: StoredObject) => found.push(key) > 0;
      return { ...(await store.list({ from: () => null, take })), found };
    };
    world.store.pageSize = 1;
    expect(await listed()).toEqual({ isBegin: true, isEnd: false, found: keys.slice(0, PAGES) });
    expect(await listed()).toEqual({ isBegin: false, isEnd: true, found: keys.slice(PAGES) });
    world.store.pageSize = 2;
    expect(await listed()).toEqual({ isBegin: true, isEnd: true, found: keys });
    expect(await listed()).toEqual({ isBegin: true, isEnd: true, found: keys });
  });
});
