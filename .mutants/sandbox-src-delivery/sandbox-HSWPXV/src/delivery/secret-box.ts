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
import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
const SECRETS_KEY_FILE = 'secrets.key';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;
const VERSION = 1;
const HEAD_BYTES = stryMutAct_9fa48("525") ? 1 + KEY_ID_BYTES - NONCE_BYTES : (stryCov_9fa48("525"), (stryMutAct_9fa48("526") ? 1 - KEY_ID_BYTES : (stryCov_9fa48("526"), 1 + KEY_ID_BYTES)) + NONCE_BYTES);

/** None of this instance's keys opens the secret. */
export class SealedByOtherKey extends Error {
  override readonly name = 'SealedByOtherKey';
}
interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts secrets for the database with AES-256-GCM. Each secret is bound to its owner, so a sealed text that was
 * moved to another row does not open. Sealed form: version (1 byte), key id (4), nonce (12), tag (16), encrypted text.
 */
export class SecretBox {
  /** @param keys the first key seals; every key opens */
  constructor(private readonly keys: readonly [Key, ...Key[]]) {}
  get keyId(): string {
    if (stryMutAct_9fa48("528")) {
      {}
    } else {
      stryCov_9fa48("528");
      return this.keys[0].id;
    }
  }
  seal(text: string, belongsTo: string): Buffer {
    if (stryMutAct_9fa48("529")) {
      {}
    } else {
      stryCov_9fa48("529");
      const [key] = this.keys;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(belongsTo));
      const sealed = Buffer.concat(stryMutAct_9fa48("531") ? [] : (stryCov_9fa48("531"), [cipher.update(text, 'utf8'), cipher.final()]));
      return Buffer.concat(stryMutAct_9fa48("533") ? [] : (stryCov_9fa48("533"), [...(stryMutAct_9fa48("534") ? [] : (stryCov_9fa48("534"), [Buffer.of(VERSION), Buffer.from(key.id, 'hex'), nonce, cipher.getAuthTag(), sealed]))]));
    }
  }

  /** @throws SealedByOtherKey; Error when the text was changed or belongs to something else */
  open(sealed: Buffer, belongsTo: string): string {
    if (stryMutAct_9fa48("536")) {
      {}
    } else {
      stryCov_9fa48("536");
      const keyId = sealed.toString('hex', 1, stryMutAct_9fa48("538") ? 1 - KEY_ID_BYTES : (stryCov_9fa48("538"), 1 + KEY_ID_BYTES));
      const key = this.keys.find(stryMutAct_9fa48("539") ? () => undefined : (stryCov_9fa48("539"), ({
        id
      }) => stryMutAct_9fa48("542") ? id !== keyId : stryMutAct_9fa48("541") ? false : stryMutAct_9fa48("540") ? true : (stryCov_9fa48("540", "541", "542"), id === keyId)));
      if (stryMutAct_9fa48("545") ? false : stryMutAct_9fa48("544") ? true : stryMutAct_9fa48("543") ? key : (stryCov_9fa48("543", "544", "545"), !key)) throw new SealedByOtherKey(`the secrets are sealed by the key ${keyId}, which is not in the key file`);
      const nonce = sealed.subarray(stryMutAct_9fa48("547") ? 1 - KEY_ID_BYTES : (stryCov_9fa48("547"), 1 + KEY_ID_BYTES), HEAD_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(belongsTo)).setAuthTag(sealed.subarray(HEAD_BYTES, stryMutAct_9fa48("549") ? HEAD_BYTES - TAG_BYTES : (stryCov_9fa48("549"), HEAD_BYTES + TAG_BYTES)));
      const open = stryMutAct_9fa48("550") ? [] : (stryCov_9fa48("550"), [decipher.update(sealed.subarray(stryMutAct_9fa48("551") ? HEAD_BYTES - TAG_BYTES : (stryCov_9fa48("551"), HEAD_BYTES + TAG_BYTES))), decipher.final()]);
      return Buffer.concat(open).toString('utf8');
    }
  }

  /** Whether one of the keys sealed the text. */
  opens(sealed: Buffer): boolean {
    if (stryMutAct_9fa48("553")) {
      {}
    } else {
      stryCov_9fa48("553");
      return stryMutAct_9fa48("554") ? this.keys.every(({
        id
      }) => id === sealed.toString('hex', 1, 1 + KEY_ID_BYTES)) : (stryCov_9fa48("554"), this.keys.some(stryMutAct_9fa48("555") ? () => undefined : (stryCov_9fa48("555"), ({
        id
      }) => stryMutAct_9fa48("558") ? id !== sealed.toString('hex', 1, 1 + KEY_ID_BYTES) : stryMutAct_9fa48("557") ? false : stryMutAct_9fa48("556") ? true : (stryCov_9fa48("556", "557", "558"), id === sealed.toString('hex', 1, stryMutAct_9fa48("560") ? 1 - KEY_ID_BYTES : (stryCov_9fa48("560"), 1 + KEY_ID_BYTES))))));
    }
  }

  /** Whether a key other than the first one sealed the text. */
  isOld = stryMutAct_9fa48("561") ? () => undefined : (stryCov_9fa48("561"), (sealed: Buffer): boolean => stryMutAct_9fa48("564") ? sealed.toString('hex', 1, 1 + KEY_ID_BYTES) === this.keyId : stryMutAct_9fa48("563") ? false : stryMutAct_9fa48("562") ? true : (stryCov_9fa48("562", "563", "564"), sealed.toString('hex', 1, stryMutAct_9fa48("566") ? 1 - KEY_ID_BYTES : (stryCov_9fa48("566"), 1 + KEY_ID_BYTES)) !== this.keyId));
}

/**
 * Loads the keys of a file: one key a line, in base64. Lines that begin with # are notes. The file in the data folder
 * is made (mode 0600) at the first start. A file that several instances share must exist.
 * @throws Error that names the file
 */
export async function loadSecretBox(dataDir: string, sharedFile: string | null): Promise<SecretBox> {
  if (stryMutAct_9fa48("567")) {
    {}
  } else {
    stryCov_9fa48("567");
    const file = stryMutAct_9fa48("568") ? sharedFile && path.join(dataDir, SECRETS_KEY_FILE) : (stryCov_9fa48("568"), sharedFile ?? path.join(dataDir, SECRETS_KEY_FILE));
    if (stryMutAct_9fa48("571") ? sharedFile !== null : stryMutAct_9fa48("570") ? false : stryMutAct_9fa48("569") ? true : (stryCov_9fa48("569", "570", "571"), sharedFile === null)) await createUnlessThere(file);
    const refuse = (reason = ''): never => {
      if (stryMutAct_9fa48("573")) {
        {}
      } else {
        stryCov_9fa48("573");
        throw new Error(`${file} does not hold keys for secrets (${KEY_BYTES} bytes in base64, one a line)${stryMutAct_9fa48("577") ? reason || `: ${reason}` : stryMutAct_9fa48("576") ? false : stryMutAct_9fa48("575") ? true : (stryCov_9fa48("575", "576", "577"), reason && `: ${reason}`)}`);
      }
    };
    const text = await readFile(file, 'utf8').catch(stryMutAct_9fa48("580") ? () => undefined : (stryCov_9fa48("580"), (error: Error) => refuse(error.message)));
    const lines = text.split('\n').map(stryMutAct_9fa48("582") ? () => undefined : (stryCov_9fa48("582"), line => stryMutAct_9fa48("583") ? line : (stryCov_9fa48("583"), line.trim())));
    const keys = stryMutAct_9fa48("584") ? lines.map(line => Buffer.from(line, 'base64')) : (stryCov_9fa48("584"), lines.filter(stryMutAct_9fa48("585") ? () => undefined : (stryCov_9fa48("585"), line => stryMutAct_9fa48("588") ? line !== '' || !line.startsWith('#') : stryMutAct_9fa48("587") ? false : stryMutAct_9fa48("586") ? true : (stryCov_9fa48("586", "587", "588"), (stryMutAct_9fa48("590") ? line === '' : stryMutAct_9fa48("589") ? true : (stryCov_9fa48("589", "590"), line !== '')) && (stryMutAct_9fa48("592") ? line.startsWith('#') : (stryCov_9fa48("592"), !(stryMutAct_9fa48("593") ? line.endsWith('#') : (stryCov_9fa48("593"), line.startsWith('#')))))))).map(stryMutAct_9fa48("595") ? () => undefined : (stryCov_9fa48("595"), line => Buffer.from(line, 'base64'))));
    const [first, ...others] = keys.map(stryMutAct_9fa48("597") ? () => undefined : (stryCov_9fa48("597"), bytes => stryMutAct_9fa48("598") ? {} : (stryCov_9fa48("598"), {
      id: idOf(bytes),
      bytes
    })));
    if (stryMutAct_9fa48("601") ? !first && keys.some(key => key.length !== KEY_BYTES) : stryMutAct_9fa48("600") ? false : stryMutAct_9fa48("599") ? true : (stryCov_9fa48("599", "600", "601"), (stryMutAct_9fa48("602") ? first : (stryCov_9fa48("602"), !first)) || (stryMutAct_9fa48("603") ? keys.every(key => key.length !== KEY_BYTES) : (stryCov_9fa48("603"), keys.some(stryMutAct_9fa48("604") ? () => undefined : (stryCov_9fa48("604"), key => stryMutAct_9fa48("607") ? key.length === KEY_BYTES : stryMutAct_9fa48("606") ? false : stryMutAct_9fa48("605") ? true : (stryCov_9fa48("605", "606", "607"), key.length !== KEY_BYTES))))))) return refuse();
    return new SecretBox(stryMutAct_9fa48("608") ? [] : (stryCov_9fa48("608"), [first, ...others]));
  }
}
const idOf = stryMutAct_9fa48("609") ? () => undefined : (stryCov_9fa48("609"), (() => {
  const idOf = (key: Buffer) => stryMutAct_9fa48("610") ? createHash('sha256').update('audit-activity secrets key').update(key).digest('hex') : (stryCov_9fa48("610"), createHash('sha256').update('audit-activity secrets key').update(key).digest('hex').slice(0, stryMutAct_9fa48("614") ? KEY_ID_BYTES / 2 : (stryCov_9fa48("614"), KEY_ID_BYTES * 2)));
  return idOf;
})());
async function createUnlessThere(file: string): Promise<void> {
  if (stryMutAct_9fa48("615")) {
    {}
  } else {
    stryCov_9fa48("615");
    await mkdir(path.dirname(file), stryMutAct_9fa48("616") ? {} : (stryCov_9fa48("616"), {
      recursive: stryMutAct_9fa48("617") ? false : (stryCov_9fa48("617"), true)
    }));
    const draft = `${file}.${randomUUID()}`;
    try {
      if (stryMutAct_9fa48("619")) {
        {}
      } else {
        stryCov_9fa48("619");
        await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, stryMutAct_9fa48("622") ? {} : (stryCov_9fa48("622"), {
          mode: 0o600,
          flag: 'wx'
        }));
        // Instances that share a folder may start at once. The first to link wins, and no other instance reads half a file.
        await link(draft, file);
      }
    } catch (error) {
      if (stryMutAct_9fa48("624")) {
        {}
      } else {
        stryCov_9fa48("624");
        if (stryMutAct_9fa48("627") ? (error as NodeJS.ErrnoException).code === 'EEXIST' : stryMutAct_9fa48("626") ? false : stryMutAct_9fa48("625") ? true : (stryCov_9fa48("625", "626", "627"), (error as NodeJS.ErrnoException).code !== 'EEXIST')) throw error;
      }
    } finally {
      if (stryMutAct_9fa48("629")) {
        {}
      } else {
        stryCov_9fa48("629");
        await rm(draft, stryMutAct_9fa48("630") ? {} : (stryCov_9fa48("630"), {
          force: stryMutAct_9fa48("631") ? false : (stryCov_9fa48("631"), true)
        }));
      }
    }
  }
}