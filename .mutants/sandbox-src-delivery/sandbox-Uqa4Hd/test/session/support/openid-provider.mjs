/**
 * An identity provider for tests. `node openid-provider.mjs REDIRECT_URI` prints its address.
 * `/interaction/UID?as=NAME` signs in that person, `?as=` cancels, and without `as` the page has links to choose from.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const { privateKey: OTHER_KEY } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const [, , redirectUri] = process.argv;
const PEOPLE = {
  ada: { preferred_username: 'ada', role: ['analyst', 'dba'], tenants: ['1', '999'] },
  grace: { role: 'operator', email: 'grace@example.com' },
  nobody: { role: 'guest', tenants: ['1'] },
  homeless: { role: 'analyst' },
  /** A person whose ID token has another key's signature. */
  forged: { role: 'operator' },
};

/** The links for a browser: who signs in. */
const CHOICE = Object.keys(PEOPLE)
  .map((name) => `<p><a href="?as=${name}">${name}</a></p>`)
  .join('');

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [
    { client_id: 'dashboard', client_secret: 'secret of the dashboard', redirect_uris: [redirectUri] },
  ],
  claims: { openid: ['sub', 'role', 'tenants', 'preferred_username', 'email'], profile: [], email: [] },
  conformIdTokenClaims: false,
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  pkce: { required: () => true },
  findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ sub, ...PEOPLE[sub] }) }),
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    });
    grant.addOIDCScope('openid profile email');
    await grant.save();
    return grant;
  },
});
const answer = provider.callback();
server.on('request', (request, response) => {
  const url = new URL(request.url, issuer);
  if (url.pathname === '/token') forge(response);
  if (!url.pathname.startsWith('/interaction/')) return answer(request, response);
  const accountId = url.searchParams.get('as');
  if (accountId === null) return response.setHeader('Content-Type', 'text/html').end(CHOICE);
  const result = accountId ? { login: { accountId } } : { error: 'access_denied' };
  provider.interactionFinished(request, response, result);
});

/**
 * Acts as an attacker between the provider and the service, or in a part of the provider: signs the ID token of
 * `forged` with another key.
 */
function forge(response) {
  const end = response.end.bind(response);
  response.end = (text, ...rest) => {
    const answered = JSON.parse(String(text));
    const [head, claims] = (answered.id_token ?? '').split('.');
    if (!claims || JSON.parse(Buffer.from(claims, 'base64url')).sub !== 'forged') return end(text, ...rest);
    const other = sign('sha256', Buffer.from(`${head}.${claims}`), OTHER_KEY).toString('base64url');
    const body = JSON.stringify({ ...answered, id_token: `${head}.${claims}.${other}` });
    response.setHeader('Content-Length', Buffer.byteLength(body));
    return end(body, ...rest);
  };
}

process.stdout.write(`${issuer}\n`);
