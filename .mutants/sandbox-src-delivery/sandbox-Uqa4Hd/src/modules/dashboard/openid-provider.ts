import type { OpenIdConfig } from '../../config';
import { LIMITS } from '../../limits';

const load = () => import('openid-client');
type Configuration = Awaited<ReturnType<Awaited<ReturnType<typeof load>>['discovery']>>;

/** The values that the provider's answer must match. The browser keeps them until then. */
interface OpenIdChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The identity provider: authorization code, with PKCE, state and nonce. */
export class OpenIdProvider {
  #discovered: Promise<Configuration> | null = null;

  /** @param redirectUrl the address to which the provider sends browsers back */
  constructor(
    private readonly config: OpenIdConfig,
    private readonly redirectUrl: string,
  ) {}

  /** @returns the address at which a browser signs in, and the checks for the answer */
  async begin(): Promise<{ readonly url: string; readonly checks: OpenIdChecks }> {
    const client = await load();
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.redirectUrl,
      scope: 'openid profile email',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, checks };
  }

  /**
   * @returns the claims of the person who signed in @param query the query of the return address @throws Error if
   * anything is wrong
   */
  async finish(query: string, checks: OpenIdChecks): Promise<Readonly<Record<string, unknown>>> {
    const client = await load();
    const tokens = await client.authorizationCodeGrant(
      await this.#configuration(),
      new URL(query, this.redirectUrl),
      {
        pkceCodeVerifier: checks.verifier,
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        idTokenExpected: true,
      },
    );
    const claims = tokens.claims();
    if (!claims) throw new Error('the identity provider sent no ID token');
    return claims;
  }

  /** Loaded once, and again after a failure. */
  #configuration(): Promise<Configuration> {
    this.#discovered ??= this.#discover().catch((error) => {
      this.#discovered = null;
      throw error;
    });
    return this.#discovered;
  }

  async #discover(): Promise<Configuration> {
    const client = await load();
    const { issuer, clientId, clientSecret } = this.config;
    const url = new URL(issuer);
    return client.discovery(url, clientId, clientSecret, undefined, {
      timeout: LIMITS.openIdCallMs / 1000,
      execute: [
        // Checks the ID token's signature against the provider's published keys. TLS alone shows only which host
        // answered.
        client.enableNonRepudiationChecks,
        // The configuration permits HTTP only for this host.
        ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
  }
}
