function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/**
 * Signatures of Standard Webhooks 1.0.0 (https://www.standardwebhooks.com): `v1` by a shared secret, `v1a` by a key
 * pair.
 */
export const SIGNATURES = ['v1', 'v1a'] as const;
export type SignatureVersion = (typeof SIGNATURES)[number];
const SECRET_PREFIX = 'whsec_';
const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
/** The specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
/** The bytes that stand before an Ed25519 key's 32 bytes in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519_BYTES = 32;

/** A new secret: `whsec_` (v1) or `whsk_` (v1a). */
export function newSigningSecret(version: SignatureVersion): string {
  if (stryMutAct_9fa48("637")) {
    {}
  } else {
    stryCov_9fa48("637");
    if (stryMutAct_9fa48("640") ? version !== 'v1' : stryMutAct_9fa48("639") ? false : stryMutAct_9fa48("638") ? true : (stryCov_9fa48("638", "639", "640"), version === 'v1')) return stryMutAct_9fa48("642") ? SECRET_PREFIX - randomBytes(SECRET_BYTES).toString('base64') : (stryCov_9fa48("642"), SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64'));
    const {
      privateKey
    } = generateKeyPairSync('ed25519');
    const der = privateKey.export(stryMutAct_9fa48("645") ? {} : (stryCov_9fa48("645"), {
      type: 'pkcs8',
      format: 'der'
    }));
    return stryMutAct_9fa48("648") ? PRIVATE_PREFIX - der.subarray(-ED25519_BYTES).toString('base64') : (stryCov_9fa48("648"), PRIVATE_PREFIX + der.subarray(stryMutAct_9fa48("649") ? +ED25519_BYTES : (stryCov_9fa48("649"), -ED25519_BYTES)).toString('base64'));
  }
}

/** The public key `whpk_…` by which receivers verify signatures of a `whsk_` secret; null: the secret is shared. */
export function publicKeyOf(secret: string): string | null {
  if (stryMutAct_9fa48("651")) {
    {}
  } else {
    stryCov_9fa48("651");
    if (stryMutAct_9fa48("654") ? false : stryMutAct_9fa48("653") ? true : stryMutAct_9fa48("652") ? secret.startsWith(PRIVATE_PREFIX) : (stryCov_9fa48("652", "653", "654"), !(stryMutAct_9fa48("655") ? secret.endsWith(PRIVATE_PREFIX) : (stryCov_9fa48("655"), secret.startsWith(PRIVATE_PREFIX))))) return null;
    const {
      x = ''
    } = createPublicKey(privateKeyOf(secret)).export(stryMutAct_9fa48("657") ? {} : (stryCov_9fa48("657"), {
      format: 'jwk'
    }));
    return stryMutAct_9fa48("659") ? PUBLIC_PREFIX - Buffer.from(x, 'base64url').toString('base64') : (stryCov_9fa48("659"), PUBLIC_PREFIX + Buffer.from(x, 'base64url').toString('base64'));
  }
}
const privateKeys = new Map<string, KeyObject>();
const PRIVATE_KEYS_MAX = 1_000;
function privateKeyOf(secret: string): KeyObject {
  if (stryMutAct_9fa48("662")) {
    {}
  } else {
    stryCov_9fa48("662");
    const known = privateKeys.get(secret);
    if (stryMutAct_9fa48("664") ? false : stryMutAct_9fa48("663") ? true : (stryCov_9fa48("663", "664"), known)) return known;
    if (stryMutAct_9fa48("668") ? privateKeys.size < PRIVATE_KEYS_MAX : stryMutAct_9fa48("667") ? privateKeys.size > PRIVATE_KEYS_MAX : stryMutAct_9fa48("666") ? false : stryMutAct_9fa48("665") ? true : (stryCov_9fa48("665", "666", "667", "668"), privateKeys.size >= PRIVATE_KEYS_MAX)) privateKeys.clear();
    const raw = Buffer.from(stryMutAct_9fa48("669") ? secret : (stryCov_9fa48("669"), secret.slice(PRIVATE_PREFIX.length)), 'base64');
    const key = createPrivateKey(stryMutAct_9fa48("671") ? {} : (stryCov_9fa48("671"), {
      key: Buffer.concat(stryMutAct_9fa48("672") ? [] : (stryCov_9fa48("672"), [PKCS8_HEAD, raw])),
      format: 'der',
      type: 'pkcs8'
    }));
    privateKeys.set(secret, key);
    return key;
  }
}

/**
 * The three headers of a message.
 * @param secrets each one signs; during a rotation these are the new secret and the one before it
 */
export function signedHeaders(id: string, at: Date, body: Buffer, secrets: readonly string[]): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  if (stryMutAct_9fa48("675")) {
    {}
  } else {
    stryCov_9fa48("675");
    const timestamp = String(Math.floor(stryMutAct_9fa48("676") ? at.getTime() * 1000 : (stryCov_9fa48("676"), at.getTime() / 1000)));
    const head = Buffer.from(`${id}.${timestamp}.`);
    return stryMutAct_9fa48("678") ? {} : (stryCov_9fa48("678"), {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': secrets.map(stryMutAct_9fa48("679") ? () => undefined : (stryCov_9fa48("679"), secret => signatureBy(secret, head, body))).join(' ')
    });
  }
}
function signatureBy(secret: string, head: Buffer, body: Buffer): string {
  if (stryMutAct_9fa48("681")) {
    {}
  } else {
    stryCov_9fa48("681");
    if (stryMutAct_9fa48("684") ? secret.endsWith(PRIVATE_PREFIX) : stryMutAct_9fa48("683") ? false : stryMutAct_9fa48("682") ? true : (stryCov_9fa48("682", "683", "684"), secret.startsWith(PRIVATE_PREFIX))) {
      if (stryMutAct_9fa48("685")) {
        {}
      } else {
        stryCov_9fa48("685");
        const signature = sign(null, Buffer.concat(stryMutAct_9fa48("686") ? [] : (stryCov_9fa48("686"), [head, body])), privateKeyOf(secret));
        return `v1a,${signature.toString('base64')}`;
      }
    }
    const key = Buffer.from(stryMutAct_9fa48("689") ? secret : (stryCov_9fa48("689"), secret.slice(SECRET_PREFIX.length)), 'base64');
    return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
  }
}