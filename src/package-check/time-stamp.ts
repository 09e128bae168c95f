import { isSame, utf8 } from './bytes';
import { type Der, expected, itemsOf, numbered, objectId, readDer, TAG } from './der';
import { splitNote } from './note';

/** The hashes that tokens use. The first one is only for the name of a certificate. */
export type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512';

interface Signature {
  readonly scheme: 'rsa-pkcs1' | 'rsa-pss' | 'ecdsa';
  readonly hash: HashName;
  /** Bytes of the salt of `rsa-pss`. */
  readonly saltBytes: number;
  readonly bytes: Uint8Array;
}

/** What the check of a token computes with. */
export interface StampCrypto {
  readonly hash: (name: HashName, bytes: Uint8Array) => Uint8Array;
  /** @param publicKey as a certificate has it (SPKI) @returns null: this place cannot check it */
  readonly verify: (
    signature: Signature,
    message: Uint8Array,
    publicKey: Uint8Array,
  ) => Promise<boolean | null>;
}

/** A token of a time-stamp authority (RFC 3161). */
export interface TimeStamp {
  /** When the authority signed, by its clock; ISO 8601, UTC. */
  readonly time: string;
  readonly imprint: { readonly algorithm: string; readonly bytes: Uint8Array };
  /** As the integer stands in the token; null: there is none. */
  readonly nonce: Uint8Array | null;
  /** The certificate of the signer, and all of the token: DER. */
  readonly signer: Uint8Array;
  readonly certificates: readonly Uint8Array[];
}

/** What was found of a token without asking whom to trust. */
export interface StampCheck {
  /** Null: it cannot be read. */
  readonly stamp: TimeStamp | null;
  /** In words; null: nothing is wrong. */
  readonly problem: string | null;
  /** Whether its own signature was checked, which not every browser can. */
  readonly isSignatureChecked: boolean;
}

/** What an authority stamps of a checkpoint: its text and the log's signature, without those of witnesses. */
export function stampedBytes(note: string): Uint8Array {
  const { body, lines } = splitNote(note);
  return utf8(`${body}\n${lines[0] ?? ''}\n`);
}

export const SHA256 = '2.16.840.1.101.3.4.2.1';
const HASHES: Readonly<Record<string, HashName>> = {
  '1.3.14.3.2.26': 'sha1',
  [SHA256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const STAMP_CONTENT = '1.2.840.113549.1.9.16.1.4';
const ATTRIBUTES = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
} as const;
const RSA = '1.2.840.113549.1.1.1';
const RSA_PSS = '1.2.840.113549.1.1.10';
const SIGNATURES: Readonly<Record<string, Pick<Signature, 'scheme' | 'hash'>>> = {
  '1.2.840.113549.1.1.11': { scheme: 'rsa-pkcs1', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { scheme: 'rsa-pkcs1', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { scheme: 'rsa-pkcs1', hash: 'sha512' },
  '1.2.840.10045.4.3.2': { scheme: 'ecdsa', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { scheme: 'ecdsa', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { scheme: 'ecdsa', hash: 'sha512' },
};
const PSS_SALT_BYTES = 20;

/** Checks that a token is of these bytes, and that the certificate in it signed it. */
export async function checkStamp(
  token: Uint8Array,
  stamped: Uint8Array,
  crypto: StampCrypto,
): Promise<StampCheck> {
  const bad = (problem: string, stamp: TimeStamp | null = null): StampCheck => ({
    stamp,
    problem,
    isSignatureChecked: false,
  });
  let read: ReturnType<typeof readToken>;
  try {
    read = readToken(token, crypto);
  } catch (error) {
    return bad(`it is no time stamp: ${(error as Error).message}`);
  }
  const { stamp, content, attributes, signature, isOfSigner, digest, publicKey } = read;
  if (stamp.imprint.algorithm !== SHA256) return bad('its imprint is no SHA-256', stamp);
  if (!isSame(stamp.imprint.bytes, crypto.hash('sha256', stamped)))
    return bad('it is of something else: its imprint is not the hash of the checkpoint', stamp);
  if (!isSame(digest, content)) return bad('its content is not what the authority signed', stamp);
  if (!isOfSigner) return bad('it names another certificate than the one that signed it', stamp);
  const isSigned = await crypto.verify(signature, attributes, publicKey).catch(() => false);
  if (isSigned === false) return bad('its signature does not fit', stamp);
  return { stamp, problem: null, isSignatureChecked: isSigned === true };
}

/** @throws Error */
function readToken(token: Uint8Array, crypto: StampCrypto) {
  const [type, wrapped] = itemsOf(expected(readDer(token), TAG.sequence, 'content'));
  if (objectId(type) !== SIGNED_DATA) throw new Error('it is no signed data');
  const [data] = itemsOf(expected(wrapped, numbered(0), 'signed data'));
  const [, , encapsulated, ...rest] = itemsOf(expected(data, TAG.sequence, 'signed data'));
  const [contentType, octets] = itemsOf(expected(encapsulated, TAG.sequence, 'content'));
  if (objectId(contentType) !== STAMP_CONTENT) throw new Error('what it signs is no time stamp');
  const [content] = itemsOf(expected(octets, numbered(0), 'content'));
  const info = expected(content, TAG.octets, 'content').content;
  const certificates = itemsOf(expected(rest[0], numbered(0), 'certificates')).filter(
    ({ tag }) => tag === TAG.sequence,
  );
  const signers = itemsOf(expected(rest.at(-1), TAG.set, 'signer'));
  if (signers.length !== 1) throw new Error('it has not one signer');
  const [, id, digestAlgorithm, attributes, algorithm, signature] = itemsOf(signers[0] as Der);
  const signer = certificates.find((one) => isNamed(one, expected(id, TAG.sequence, 'signer')));
  if (!signer) throw new Error('it has not the certificate of its signer');
  const hash = hashOf(digestAlgorithm);
  const signed = attributesOf(expected(attributes, numbered(0), 'signed attributes'));
  if (objectId(signed.get(ATTRIBUTES.contentType)) !== STAMP_CONTENT)
    throw new Error('its signed attributes are of other content');
  return {
    stamp: { ...stampOf(info), signer: signer.bytes, certificates: certificates.map(({ bytes }) => bytes) },
    content: crypto.hash(hash, info),
    digest: expected(signed.get(ATTRIBUTES.messageDigest), TAG.octets, 'digest').content,
    // They are signed as a set, and stand in the token under a number.
    attributes: asSet(attributes as Der),
    signature: signatureOf(algorithm, hash, expected(signature, TAG.octets, 'signature').content),
    publicKey: publicKeyOf(signer.bytes),
    isOfSigner: namesCertificate(signed, signer.bytes, crypto),
  };
}

function asSet({ bytes }: Der): Uint8Array {
  const set = Uint8Array.from(bytes);
  set[0] = TAG.set;
  return set;
}

function stampOf(info: Uint8Array): Pick<TimeStamp, 'time' | 'imprint' | 'nonce'> {
  const [, , imprint, , time, ...rest] = itemsOf(expected(readDer(info), TAG.sequence, 'content'));
  const [algorithm, bytes] = itemsOf(expected(imprint, TAG.sequence, 'imprint'));
  const nonce = rest.find(({ tag }) => tag === TAG.integer);
  return {
    time: timeOf(expected(time, TAG.generalizedTime, 'time').content),
    imprint: {
      algorithm: objectId(itemsOf(expected(algorithm, TAG.sequence, 'algorithm'))[0]),
      bytes: expected(bytes, TAG.octets, 'imprint').content,
    },
    nonce: nonce?.content ?? null,
  };
}

const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/;

function timeOf(octets: Uint8Array): string {
  const [, year, month, day, hour, minute, second, fraction = ''] =
    TIME.exec(String.fromCharCode(...octets.subarray(0, 32))) ?? [];
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z`;
  if (Number.isNaN(Date.parse(text))) throw new Error('its time is none');
  return text;
}

function attributesOf(set: Der): Map<string, Der> {
  const found = new Map<string, Der>();
  for (const attribute of itemsOf(set)) {
    const [type, values] = itemsOf(attribute);
    const name = objectId(type);
    const all = itemsOf(expected(values, TAG.set, 'value of an attribute'));
    if (found.has(name) || all.length !== 1) throw new Error('it has an attribute twice');
    found.set(name, all[0] as Der);
  }
  return found;
}

function hashOf(algorithm: Der | undefined): HashName {
  const id = objectId(itemsOf(expected(algorithm, TAG.sequence, 'algorithm'))[0]);
  const name = HASHES[id];
  if (!name || name === 'sha1') throw new Error(`it uses the algorithm ${id}, which is not accepted`);
  return name;
}

function signatureOf(algorithm: Der | undefined, hash: HashName, bytes: Uint8Array): Signature {
  const [type, parameters] = itemsOf(expected(algorithm, TAG.sequence, 'algorithm'));
  const id = objectId(type);
  if (id === RSA) return { scheme: 'rsa-pkcs1', hash, saltBytes: 0, bytes };
  const known = SIGNATURES[id];
  if (known) return { ...known, saltBytes: 0, bytes };
  if (id !== RSA_PSS || !parameters)
    throw new Error(`it is signed by the algorithm ${id}, which is not known here`);
  const given = new Map(itemsOf(parameters).map((one) => [one.tag, itemsOf(one)[0]]));
  const salt = given.get(numbered(2))?.content;
  const saltBytes = salt ? salt.reduce((sum, byte) => sum * 256 + byte, 0) : PSS_SALT_BYTES;
  return { scheme: 'rsa-pss', hash: hashOf(given.get(numbered(0))), saltBytes, bytes };
}

/** The signed attribute that names the signer's certificate by its hash, so that nobody puts another one in its place. */
function namesCertificate(
  attributes: ReadonlyMap<string, Der>,
  certificate: Uint8Array,
  crypto: StampCrypto,
): boolean {
  const newer = attributes.get(ATTRIBUTES.signingCertificateV2);
  const older = attributes.get(ATTRIBUTES.signingCertificate);
  const list = newer ?? older;
  if (!list) throw new Error('it does not name the certificate of its signer');
  const [ids] = itemsOf(list);
  const [first] = itemsOf(expected(ids, TAG.sequence, 'name of a certificate'));
  const items = itemsOf(expected(first, TAG.sequence, 'name of a certificate'));
  const isGiven = newer !== undefined && items[0]?.tag === TAG.sequence;
  const hash = isGiven ? hashOf(items[0]) : newer ? 'sha256' : 'sha1';
  const named = expected(items[isGiven ? 1 : 0], TAG.octets, 'hash of a certificate').content;
  return isSame(named, crypto.hash(hash, certificate));
}

/** The items of a certificate from the serial number on, whether it states its version or not. */
function certificateItems(certificate: Der): Der[] {
  const [signed] = itemsOf(certificate);
  const items = itemsOf(expected(signed, TAG.sequence, 'certificate'));
  return items[0]?.tag === numbered(0) ? items.slice(1) : items;
}

/** @param id issuer and serial number */
function isNamed(certificate: Der, id: Der): boolean {
  const [serial, , issuer] = certificateItems(certificate);
  const [wantedIssuer, wantedSerial] = itemsOf(id);
  if (!serial || !issuer || !wantedIssuer || !wantedSerial) return false;
  return isSame(serial.bytes, wantedSerial.bytes) && isSame(issuer.bytes, wantedIssuer.bytes);
}

function publicKeyOf(certificate: Uint8Array): Uint8Array {
  const [, , , , , key] = certificateItems(readDer(certificate));
  return expected(key, TAG.sequence, 'public key').bytes;
}

/** The extensions of a certificate, by their object identifiers. @throws Error */
export function extensionsOf(
  certificate: Uint8Array,
): Map<string, { readonly isCritical: boolean; readonly value: Uint8Array }> {
  const wrapped = certificateItems(readDer(certificate)).find(({ tag }) => tag === numbered(3));
  const [list] = wrapped ? itemsOf(wrapped) : [];
  return new Map(
    (list ? itemsOf(list) : []).map((extension) => {
      const items = itemsOf(extension);
      return [
        objectId(items[0]),
        {
          isCritical: items.length > 2,
          value: expected(items.at(-1), TAG.octets, 'value of an extension').content,
        },
      ];
    }),
  );
}
