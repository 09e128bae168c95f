import { createHmac, createPublicKey, verify } from 'node:crypto';
import { newSigningSecret, publicKeyOf, signedHeaders } from '../../src/delivery/standard-webhooks';

const BODY = Buffer.from('[1]');

describe('the headers of a webhook', () => {
  it('state the second that has begun: a receiver refuses a time that lies ahead', () => {
    const stated = [1_000, 1_499, 1_500, 1_999].map(
      (ms) => signedHeaders('i', new Date(ms), BODY, [])['webhook-timestamp'],
    );
    expect(stated).toEqual(['1', '1', '1', '1']);
  });

  it('have a signature by each secret, in their order, over id, time and body', () => {
    const secrets = [newSigningSecret('v1'), newSigningSecret('v1')];
    const { 'webhook-signature': signatures } = signedHeaders('i', new Date(2_000), BODY, secrets);
    const wanted = secrets.map(
      (secret) =>
        `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
          .update('i.2.[1]')
          .digest('base64')}`,
    );
    expect(signatures).toBe(wanted.join(' '));
  });

  it('are signed by the key pair of each destination, however many there are', () => {
    const pairs = [newSigningSecret('v1a'), newSigningSecret('v1a')];
    for (const secret of [...pairs, ...pairs]) {
      const signed = signedHeaders('i', new Date(2_000), BODY, [secret])['webhook-signature'];
      const x = Buffer.from((publicKeyOf(secret) ?? '').slice('whpk_'.length), 'base64').toString(
        'base64url',
      );
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      const signature = Buffer.from(signed.slice('v1a,'.length), 'base64');
      expect(verify(null, Buffer.from('i.2.[1]'), key, signature)).toBe(true);
    }
  });
});
