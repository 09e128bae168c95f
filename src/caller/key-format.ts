import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The kinds of keys. The prefix tells people and secret scanners the kind of a key. */
export const KEY_KINDS = { public: 'aak_', agent: 'aag_', operator: 'aao_', enroll: 'aae_' } as const;
export type KeyKind = keyof typeof KEY_KINDS;
const PREFIXES = Object.values(KEY_KINDS).join('|');

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARS = 40; // 238 bits
const CHECK_CHARS = 6; // CRC-32 in base 62
const SHAPE = new RegExp(`^(?:${PREFIXES})[0-9A-Za-z]{${SECRET_CHARS + CHECK_CHARS}}$`);
const SHOWN_CHARS = 10;

/** A new key: prefix, secret, checksum. */
export function newKey(kind: KeyKind): string {
  let secret = '';
  for (let i = 0; i < SECRET_CHARS; i++) secret += ALPHABET[randomInt(ALPHABET.length)];
  const body = KEY_KINDS[kind] + secret;
  return body + checksum(body);
}

/** Whether the text is a key by shape and checksum. A typo is found here, without a query. */
export function isWellFormedKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const body = text.slice(0, -CHECK_CHARS);
  return checksum(body) === text.slice(-CHECK_CHARS);
}

const PREFIX = new RegExp(PREFIXES, 'i');

/** Whether the text may contain a key, or the part of a key that tells its kind. */
export const mayHoldKey = (text: string): boolean => PREFIX.test(text);

/** Matches more characters of a key than lists show. In a path, the underscore may be percent-encoded. */
const IN_LINE = new RegExp(`(${PREFIXES.replaceAll('_', '(?:_|%5F)')})[0-9A-Z]{8,}`, 'gi');

/** A line of the log with its keys redacted. */
export const withoutKeys = (line: string): string => line.replaceAll(IN_LINE, '$1[redacted]');

/** Matches a key, also without its last 20 characters. A shorter word may be a name, which the access log must keep. */
const IN_PARAMETERS = new RegExp(`((?:${PREFIXES})[0-9A-Za-z]{6})[0-9A-Za-z]{20,}`, 'g');

/** The parameters of a call, with each key cut to the beginning that lists show. */
export const withKeysCut = (parameters: string): string => parameters.replaceAll(IN_PARAMETERS, '$1…');

/** The hash of a key. Keys are random enough that one SHA-256, without salt or stretching, cannot be searched. */
export const hashOfKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** The beginning of a key that lists show, to tell keys apart. */
export const shownPrefix = (key: string): string => key.slice(0, SHOWN_CHARS);

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECK_CHARS; i++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
