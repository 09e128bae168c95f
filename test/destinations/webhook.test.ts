import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { atTheSameTime } from './support/at-the-same-time';
import { change, createDestination, LOCAL, shown, untilShown } from './support/destinations';
import { itemsOf, type Received } from './support/receiver';

const signedOf = ({ headers }: Received) => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
});

describe.each(ENGINES.slice(0, 1))('a webhook on %s', (engine) => {
  const use = useWorld(engine, LOCAL);
  atTheSameTime((test) => {
    test('gets each event once, in the order of arrival, signed as Standard Webhooks specifies', async (receiver) => {
      const tenant = await use.world.tenant();
      const first = await tenant.audited({ statement: 'SELECT 1' });
      const { tenantId } = tenant;
      const { destinationId, secret } = await createDestination(use.world, { tenantId, url: receiver.url });
      expect(secret).toMatch(/^whsec_/);
      await until(
        () => receiver.requests.length,
        (n) => n > 0,
      );
      const late = anEvent({ eventTime: '2020-01-01T00:00:00.0000000Z', statement: 'SELECT 2' });
      await tenant.ingest([late, anEvent({ statement: 'SELECT 3' })]);
      await untilShown(use.world, destinationId, ({ delivered }) => delivered === 3);

      const items = receiver.requests.flatMap(itemsOf);
      expect(items.map(({ position, statement }) => [position, statement])).toEqual([
        ['0', first.statement],
        ['1', 'SELECT 2'],
        ['2', 'SELECT 3'],
      ]);
      const verifier = new Webhook(secret ?? '');
      for (const request of receiver.requests)
        expect(verifier.verify(request.body, signedOf(request))).toEqual(itemsOf(request));
      const [request] = receiver.requests;
      expect(() => verifier.verify(`${request?.body} `, signedOf(request as Received))).toThrow();
      expect(await shown(use.world, destinationId)).toMatchObject({
        state: 'active',
        lagEvents: 0,
        failures: 0,
      });
    });

    test('can be signed with a key pair, and can carry lines of JSON', async (receiver) => {
      const tenant = await use.world.tenant();
      await tenant.ingest([anEvent(), anEvent()]);
      const settings = { encoding: 'ndjson', signature: 'v1a' };
      const made = await createDestination(use.world, {
        tenantId: tenant.tenantId,
        url: receiver.url,
        settings,
      });
      expect(made.secret).toBeNull();
      expect(made.publicKey).toMatch(/^whpk_/);
      await until(
        () => receiver.requests.length,
        (n) => n > 0,
      );
      const [request] = receiver.requests as [Received];
      expect(request.headers['content-type']).toBe('application/x-ndjson');
      const lines = request.body.toString('utf8').trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).position)).toEqual(['0', '1']);
      const key = createPublicKey({
        format: 'jwk',
        key: {
          kty: 'OKP',
          crv: 'Ed25519',
          x: Buffer.from(made.publicKey?.slice('whpk_'.length) ?? '', 'base64').toString('base64url'),
        },
      });
      const signed = signedOf(request);
      const [version, signature = ''] = signed['webhook-signature'].split(',');
      const text = `${signed['webhook-id']}.${signed['webhook-timestamp']}.${request.body}`;
      expect(version).toBe('v1a');
      expect(verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))).toBe(true);
    });

    test('carries both signatures during a rotation of its secret', async (receiver) => {
      const tenant = await use.world.tenant();
      const { destinationId, secret } = await createDestination(use.world, {
        tenantId: tenant.tenantId,
        url: receiver.url,
      });
      const { rotateDestinationSecret: rotated } = await use.world.operate(
        `mutation { rotateDestinationSecret(destinationId: "${destinationId}") { secret overlapEndsAt } }`,
      );
      await tenant.audited();
      await until(
        () => receiver.requests.length,
        (n) => n > 0,
      );
      const [request] = receiver.requests as [Received];
      for (const known of [secret, rotated.secret])
        expect(new Webhook(known).verify(request.body, signedOf(request))).toHaveLength(1);
      expect(rotated.secret).not.toBe(secret);
    });

    test('uses a new secret at once when it is rotated during retries: the old secret signs no more', async (receiver) => {
      const tenant = await use.world.tenant();
      const { destinationId, secret } = await createDestination(use.world, {
        tenantId: tenant.tenantId,
        url: receiver.url,
      });
      const made: string[] = [];
      receiver.answers = async () => {
        if (made.length > 0) return {};
        const { rotateDestinationSecret: rotated } = await use.world.operate(
          `mutation { rotateDestinationSecret(destinationId: "${destinationId}", overlapMinutes: 0) { secret } }`,
        );
        made.push(rotated.secret);
        return { status: 503 };
      };
      await tenant.audited();
      await untilShown(use.world, destinationId, ({ delivered }) => delivered === 1);
      const [, again] = receiver.requests as [Received, Received];
      expect(new Webhook(made[0] ?? '').verify(again.body, signedOf(again))).toHaveLength(1);
      expect(() => new Webhook(secret ?? '').verify(again.body, signedOf(again))).toThrow();
    });

    test('repeats the same batch under the same id until the receiver accepts it', async (receiver) => {
      const tenant = await use.world.tenant();
      await tenant.ingest([anEvent(), anEvent()]);
      let refusals = 2;
      receiver.answers = () => (refusals-- > 0 ? { status: 503 } : {});
      const { destinationId } = await createDestination(use.world, {
        tenantId: tenant.tenantId,
        url: receiver.url,
      });
      await untilShown(use.world, destinationId, ({ delivered }) => delivered === 2);
      expect(receiver.requests).toHaveLength(3);
      expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
      const one = await shown(use.world, destinationId);
      expect(one).toMatchObject({ failures: 2, state: 'active', lastError: 'HTTP 503' });
    });

    test('loses no event while it is paused, and pauses by itself when the receiver answers 410', async (receiver) => {
      const tenant = await use.world.tenant();
      receiver.answers = () => ({ status: 410 });
      const { destinationId } = await createDestination(use.world, {
        tenantId: tenant.tenantId,
        url: receiver.url,
      });
      await tenant.audited();
      await untilShown(use.world, destinationId, ({ state }) => state === 'paused');
      await tenant.ingest([anEvent(), anEvent()]);
      receiver.answers = () => ({});
      receiver.requests.length = 0;
      await change(use.world, 'resumeDestination', destinationId);
      await untilShown(use.world, destinationId, ({ delivered }) => delivered === 3);
      expect(receiver.requests.flatMap(itemsOf).map(({ position }) => position)).toEqual(['0', '1', '2']);
    });

    test('is replayed from a position under new ids', async (receiver) => {
      const tenant = await use.world.tenant();
      await tenant.ingest([anEvent(), anEvent(), anEvent()]);
      const { destinationId } = await createDestination(use.world, {
        tenantId: tenant.tenantId,
        url: receiver.url,
      });
      await untilShown(use.world, destinationId, ({ delivered }) => delivered === 3);
      await change(use.world, 'replayDestination', destinationId, ', position: "1"');
      await untilShown(use.world, destinationId, ({ delivered }) => delivered === 5);
      const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).toBe(ids.length);
      expect(receiver.requests.flatMap(itemsOf).map(({ position }) => position)).toEqual([
        '0',
        '1',
        '2',
        '1',
        '2',
      ]);
    });

    test('sends a marked test event on request, in any state', async (receiver) => {
      const tenant = await use.world.tenant();
      const { destinationId } = await createDestination(use.world, {
        tenantId: tenant.tenantId,
        url: receiver.url,
      });
      await change(use.world, 'pauseDestination', destinationId);
      const test = () =>
        use.world.operate(
          `mutation { testDestination(destinationId: "${destinationId}") { accepted message } }`,
        );
      expect(await test()).toEqual({ testDestination: { accepted: true, message: null } });
      expect(receiver.requests.flatMap(itemsOf)).toMatchObject([
        { test: true, position: null, tenantId: tenant.tenantId },
      ]);
      const ocsf = { tenantId: tenant.tenantId, url: receiver.url, format: 'ocsf' };
      const other = await createDestination(use.world, ocsf);
      const before = Date.now();
      await change(use.world, 'testDestination', other.destinationId, '', 'accepted');
      const [item] = receiver.requests.flatMap(itemsOf).slice(-1) as unknown as { time: number }[];
      expect(item?.time).toBeGreaterThanOrEqual(before);
      receiver.answers = () => ({ status: 401, body: 'who\nare you?' });
      expect(await test()).toEqual({
        testDestination: { accepted: false, message: 'HTTP 401: who are you?' },
      });
    });

    test('gets only events of its tenant that its filter lets through', async (receiver) => {
      const [one, other] = [await use.world.tenant(), await use.world.tenant()];
      const asked = {
        tenantId: one.tenantId,
        url: receiver.url,
        filter: 'actionId:(IN OR UP) NOT objectName:Log',
      };
      const { destinationId } = await createDestination(use.world, asked);
      await other.ingest([anEvent({ actionId: 'IN' })]);
      await one.ingest([
        ...[
          anEvent(),
          anEvent({ actionId: 'IN', statement: 'INSERT 1' }),
          anEvent({ actionId: 'UP', objectName: 'Log' }),
        ],
        ...[anEvent({ actionId: 'UP', statement: 'UPDATE 1' }), anEvent()],
      ]);
      await untilShown(
        use.world,
        destinationId,
        ({ delivered, lagEvents }) => delivered === 2 && lagEvents === 0,
      );
      const items = receiver.requests.flatMap(itemsOf);
      expect(items.map(({ tenantId, statement, position }) => [tenantId, statement, position])).toEqual([
        [one.tenantId, 'INSERT 1', '1'],
        [one.tenantId, 'UPDATE 1', '3'],
      ]);
    });

    test('is removed together with everything that was stored for it', async (receiver) => {
      const tenant = await use.world.tenant();
      const { destinationId } = await createDestination(use.world, {
        tenantId: tenant.tenantId,
        url: receiver.url,
      });
      await change(use.world, 'removeDestination', destinationId);
      expect(await shown(use.world, destinationId)).toBeUndefined();
      const { body } = await use.world.graphql(
        use.world.operatorKey,
        `mutation { pauseDestination(destinationId: "${destinationId}") { state } }`,
      );
      expect(body.errors[0].extensions.code).toBe('not_found');
    });
  });
});
