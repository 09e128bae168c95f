import { awsHeaders } from '../../src/delivery/aws-signature';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { useWorld } from '../support/use-world';
import { change, createDestination, LOCAL, untilShown } from './support/destinations';
import { Receiver } from './support/receiver';
import { BUCKET, LOGIN, ObjectStore } from './support/s3';

describe('an object store', () => {
  const use = useWorld(ANY_ENGINE, LOCAL);
  let store: ObjectStore;
  beforeAll(async () => {
    store = await ObjectStore.open();
  });
  afterAll(() => store.close());

  const asked = (tenantId: string, secrets: object = LOGIN) => ({
    tenantId,
    type: 's3',
    url: store.url,
    secrets,
    settings: { bucket: BUCKET, prefix: "it's/(a)=/" },
  });
  const linesOf = async (tenantId: string) =>
    [...(await store.objects())].filter(([name]) => name.includes(`tenant-${tenantId}/`));

  it('gets objects named by tenant, epoch and positions, and the same objects when events are sent again', async () => {
    const tenant = await use.world.tenant();
    await tenant.ingest([anEvent(), anEvent(), anEvent()]);
    const { destinationId } = await createDestination(use.world, asked(tenant.tenantId));
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 3);
    await change(use.world, 'replayDestination', destinationId, ', from: "beginning"');
    await untilShown(use.world, destinationId, ({ delivered }) => delivered === 6);
    const [[name, lines] = ['', []], ...others] = await linesOf(tenant.tenantId);
    expect(name).toMatch(
      /tenant-\d+\/[0-9a-f]{16}\/000000000000000-000000000000002-[0-9a-f]{8}\.ndjson\.gz$/,
    );
    expect(lines.map(({ position }) => position)).toEqual(['0', '1', '2']);
    expect(others).toEqual([]);
  });

  it('gets the same object again after an error, and has no event set aside', async () => {
    const receiver = await Receiver.open();
    const codes = ['RequestTimeout', 'ExpiredToken'];
    receiver.answers = () => {
      const code = codes.shift();
      return code === undefined ? {} : { status: 400, body: `<Error><Code>${code}</Code></Error>` };
    };
    const tenant = await use.world.tenant();
    await tenant.ingest([anEvent(), anEvent()]);
    const asking = { ...asked(tenant.tenantId), url: receiver.url };
    const { destinationId } = await createDestination(use.world, asking);
    const one = await untilShown(use.world, destinationId, ({ delivered }) => delivered === 2);
    expect(one).toMatchObject({
      setAside: 0,
      failures: 2,
      lastError: expect.stringContaining('ExpiredToken'),
    });
    expect(new Set(receiver.requests.map(({ path }) => path)).size).toBe(1);
    await receiver.close();
  });

  it('has its refusal of the login shown to operators', async () => {
    const tenant = await use.world.tenant();
    await tenant.audited();
    const wrong = { accessKeyId: 'nobody', secretAccessKey: 'wrong' };
    const { destinationId } = await createDestination(use.world, asked(tenant.tenantId, wrong));
    const one = await untilShown(use.world, destinationId, ({ attempts }) => attempts > 0);
    expect(one.lastError).toContain('HTTP 403');
  });
});

/** Requests and signatures from Amazon's documentation of Signature Version 4 for S3. */
const EXAMPLES = [
  ['?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ['?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
] as const;

it.each(EXAMPLES)('the signature of a request equals the published example: %s', (query, signature) => {
  const signer = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    region: 'us-east-1',
    service: 's3',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const url = new URL(`https://examplebucket.s3.amazonaws.com/${query}`);
  const request = { method: 'GET', body: Buffer.alloc(0), url };
  const { Authorization } = awsHeaders(signer, request, new Date('2013-05-24T00:00:00Z'));
  expect(Authorization).toContain(`Signature=${signature}`);
});
