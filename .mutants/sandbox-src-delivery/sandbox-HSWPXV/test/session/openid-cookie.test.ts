import { LIMITS } from '../../src/limits';
import { OpenIdCookie } from '../../src/modules/dashboard/openid-cookie';

const PENDING = { state: 's', nonce: 'n', verifier: 'v', to: '/dashboard' };
const clientSecret = 'secret of the dashboard';

describe('the cookie of a sign-in by OpenID Connect', () => {
  it('is bound to this host and to HTTPS', () => {
    const { name, options } = new OpenIdCookie({ publicUrl: 'https://audit.example', clientSecret });
    expect([name, options]).toEqual([
      '__Host-audit_activity_openid',
      { httpOnly: true, sameSite: 'lax', secure: true, path: '/' },
    ]);
  });

  it('can be opened for ten minutes, by every instance with the same secret and no other', () => {
    const clock = { now: 1_000_000 };
    const instance = (secret: string) =>
      new OpenIdCookie({ publicUrl: 'https://audit.example', clientSecret: secret }, () => clock.now);
    const sealed = instance(clientSecret).seal(PENDING);
    expect(instance(clientSecret).open(sealed)).toEqual(PENDING);
    expect(instance('another').open(sealed)).toBeNull();
    for (const broken of ['', '.', 'x', sealed.slice(1), `${sealed}AA`, sealed.split('.')[0] ?? ''])
      expect(instance(clientSecret).open(broken)).toBeNull();
    clock.now += LIMITS.openIdSignInMs - 1;
    expect(instance(clientSecret).open(sealed)).toEqual(PENDING);
    clock.now += 1;
    expect(instance(clientSecret).open(sealed)).toBeNull();
  });
});
