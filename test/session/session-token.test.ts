import { cookieNameOf, type SessionRequest, sessionTokenOf } from '../../src/caller/session/session-token';

const PAGE = {
  'X-Dashboard': '1',
  Cookie: 'theme=dark; audit_activity_session=token; other=x',
  'Sec-Fetch-Site': 'same-origin',
  Origin: 'https://audit.example.com:8443',
};

const requestOf = (headers: Readonly<Record<string, string | undefined>>, more = {}): SessionRequest => ({
  header: (name) => ({ ...PAGE, ...headers })[name],
  ...{ isSecure: false, host: 'audit.example.com:8443', ...more },
});
const tokenOf = (...of: Parameters<typeof requestOf>) => {
  try {
    return sessionTokenOf(requestOf(...of));
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the token of a session', () => {
  it.each<[string, Readonly<Record<string, string | undefined>>, string | undefined]>([
    ['any place among the cookies', {}, 'token'],
    ['the first place', { Cookie: 'audit_activity_session=token;x=y' }, 'token'],
    ['a cookie of its name, and no other', { Cookie: 'my_audit_activity_session=a; x=token' }, undefined],
    ['the first of several', { Cookie: 'audit_activity_session=a; audit_activity_session=b' }, 'a'],
    ['no empty cookie', { Cookie: 'audit_activity_session=; x=y' }, undefined],
    ['no cookie at all', { Cookie: undefined }, undefined],
    ['a page without the header', { 'X-Dashboard': undefined }, 'forbidden'],
    ['a page of a site beside', { 'Sec-Fetch-Site': 'same-site' }, 'forbidden'],
    ['a page of another site', { 'Sec-Fetch-Site': 'cross-site' }, 'forbidden'],
    ['what a person typed', { 'Sec-Fetch-Site': 'none' }, 'forbidden'],
    ['an old browser of this origin', { 'Sec-Fetch-Site': undefined }, 'token'],
    ['an old browser of no origin', { 'Sec-Fetch-Site': undefined, Origin: undefined }, 'token'],
    [
      'an old browser of another origin',
      { 'Sec-Fetch-Site': undefined, Origin: 'https://evil.example' },
      'forbidden',
    ],
    ['another port', { 'Sec-Fetch-Site': undefined, Origin: 'https://audit.example.com' }, 'forbidden'],
    ['an origin that is none', { 'Sec-Fetch-Site': undefined, Origin: 'null' }, 'forbidden'],
  ])('is taken, or not, from %s', (_, headers, found) => {
    expect(tokenOf(headers)).toBe(found);
  });

  it('is compared with the host in any letter case', () => {
    expect(tokenOf({}, { host: 'Audit.Example.com:8443' })).toBe('token');
    expect(tokenOf({}, { host: undefined })).toBe('forbidden');
  });

  it('has another cookie over HTTPS, which other hosts cannot set', () => {
    expect(cookieNameOf({ isSecure: true })).toBe('__Host-audit_activity_session');
    expect(tokenOf({}, { isSecure: true })).toBeUndefined();
    expect(tokenOf({ Cookie: 'a=b; __Host-audit_activity_session=t' }, { isSecure: true })).toBe('t');
  });
});
