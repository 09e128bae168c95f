import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type KnownWitness, readWitnessKey } from '../../../store/log/evidence/cosignature';
import { readVerifierKey, verifierKeyOf } from '../../../store/log/evidence/note-key';
import { parseNote } from '../checkpoint';
import { certificatesIn } from './authorities';

/**
 * Which checkpoints a verifier accepts: keys of logs, witnesses, and a quorum of these (C2SP: tlog-policy); and, which is
 * ours alone, whose time stamps.
 */
export interface Policy {
  /** The keys of all its logs, as the service shows them. Without any, the log is known from elsewhere. */
  readonly keys: readonly string[];
  /** The trusted keys of a log, as the service shows them. @param origin the first line of its checkpoints */
  keysOf(origin: string): readonly string[];
  /** Certificates of authorities that are trusted to state times. Some: a time stamp is demanded. */
  readonly authorities: readonly X509Certificate[];
  /** @returns null: the witnesses of the note are a quorum; else what is missing, in words */
  missingIn(note: string): string | null;
}

/** A witness, or so many of its members. */
type Member =
  | { readonly name: string; readonly witness: KnownWitness }
  | { readonly name: string; readonly needed: number; readonly members: readonly Member[] };

interface LogKey {
  /** The name of the key: the origin of the log, or what it begins with. */
  readonly name: string;
  readonly verifierKey: string;
}

const NONE = 'none';
const BYTES_MAX = 1024 * 1024;
const PROBLEMS_SHOWN = 100;
/** Of the policy. Groups of groups are searched one within the other. */
const NAMES_MAX = 1_000;
/** All control characters but the tab. */
const NOT_ALLOWED = /[^\t\u0020-\u007E\u0080-\u00FF]/;

/** @throws Error that names every mistake, with its line */
export function readPolicyFile(file: string): Policy {
  const text = readFileSync(file, 'latin1');
  if (text.length > BYTES_MAX) throw new Error(`${file} has more than ${BYTES_MAX} bytes: it is no policy`);
  return parsePolicy(text, file);
}

/** @param text octets, as the specification has it: one character each @throws Error */
export function parsePolicy(text: string, file: string): Policy {
  const reader = new PolicyReader(path.dirname(file));
  for (const [i, line] of text.split('\n').entries()) reader.read(line, i + 1);
  reader.end();
  if (reader.problems.length > 0)
    throw new Error(
      [`${file} is no policy:`, ...reader.problems.slice(0, PROBLEMS_SHOWN).map((one) => `  ${one}`)].join(
        '\n',
      ),
    );
  const { logs, quorum, authorities } = reader;
  return {
    authorities,
    keys: logs.map(({ verifierKey }) => verifierKey),
    keysOf: (origin) =>
      logs
        .filter(({ name }) => origin === name || origin.startsWith(`${name}/`))
        .map(({ verifierKey }) => verifierKey),
    missingIn: (note) => (quorum === null || hasSigned(quorum, note) ? null : missingText(quorum, note)),
  };
}

class PolicyReader {
  readonly problems: string[] = [];
  readonly logs: LogKey[] = [];
  readonly authorities: X509Certificate[] = [];
  readonly #names = new Map<string, Member>();
  /** The lines of keys, by kind and key. */
  readonly #keys = new Map<string, number>();
  readonly #members = new Map<string, number>();
  /** The line of the quorum. */
  #quorumAt: number | null = null;
  /** Null: no witness has to sign. */
  quorum: Member | null = null;
  #at = 0;

  /** @param folder where the files that it names are */
  constructor(private readonly folder: string) {}

  read(line: string, number: number) {
    this.#at = number;
    if (NOT_ALLOWED.test(line))
      return this.#wrong('has a character that a policy must not have: lines end with a line feed alone');
    const items = line.split(/[ \t]+/).filter((item) => item !== '');
    const [kind = '', ...rest] = items;
    if (kind === '' || kind.startsWith('#')) return;
    if (kind === 'log') this.#log(rest);
    else if (kind === 'witness') this.#witness(rest);
    else if (kind === 'group') this.#group(rest);
    else if (kind === 'quorum') this.#quorum(rest);
    else if (kind === 'timestamps') this.#timestamps(rest);
    else this.#wrong(`begins with ${shown(kind)}, and not with log, witness, group, quorum or timestamps`);
  }

  end(): void {
    if (this.#quorumAt === null) this.problems.push('it has no line: quorum NAME');
  }

  #wrong(problem: string): void {
    this.problems.push(`line ${this.#at} ${problem}`);
  }

  #log(items: readonly string[]) {
    const [key = '', ...rest] = items;
    if (items.length === 0 || rest.length > 1) return this.#wrong('must be: log KEY [URL]');
    const read = this.#key('log', () => readVerifierKey(keyText(key)));
    // The service signs with one key for all tenants, whose name is not the whole origin.
    if (read) this.logs.push({ name: read.name, verifierKey: verifierKeyOf(read.publicKey) });
  }

  #timestamps(items: readonly string[]) {
    const [name = ''] = items;
    if (items.length !== 1) return this.#wrong('must be: timestamps FILE');
    try {
      const file = path.resolve(this.folder, keyText(name));
      this.authorities.push(...certificatesIn(readFileSync(file, 'latin1'), file));
    } catch (error) {
      this.#wrong(`names no certificates: ${(error as Error).message}`);
    }
  }

  #witness(items: readonly string[]) {
    const [name = '', key = '', ...rest] = items;
    if (items.length < 2 || rest.length > 1) return this.#wrong('must be: witness NAME KEY [URL]');
    const witness = this.#key('witness', () => readWitnessKey(keyText(key)));
    this.#define(name, witness ? { name, witness } : null);
  }

  #group(items: readonly string[]) {
    const [name = '', count = '', ...names] = items;
    if (names.length === 0) return this.#wrong('must be: group NAME all|any|NUMBER NAME…');
    const members = names.map((member) => this.#member(member));
    const needed =
      count === 'all' ? names.length : count === 'any' ? 1 : /^[1-9]\d{0,5}$/.test(count) ? Number(count) : 0;
    if (needed < 1 || needed > names.length)
      this.#wrong(
        `must need all, any, or a number from 1 to ${names.length} of its members, not ${shown(count)}`,
      );
    const known = members.filter((member) => member !== null);
    this.#define(name, { name, needed, members: known });
  }

  #quorum(items: readonly string[]) {
    const [name = ''] = items;
    if (items.length !== 1) return this.#wrong('must be: quorum NAME');
    if (this.#quorumAt !== null) return this.#wrong(`is a second quorum, after line ${this.#quorumAt}`);
    this.#quorumAt = this.#at;
    if (name === NONE) return;
    const found = this.#names.get(name);
    if (found) this.quorum = found;
    else this.#wrong(`names ${shown(name)}, which no line before it defines`);
  }

  /** A member of a group. Each is in at most one group, so that a witness counts once. */
  #member(name: string): Member | null {
    if (name === NONE) this.#wrong(`has the member ${NONE}, which is for the quorum alone`);
    const found = this.#names.get(name) ?? null;
    if (!found && name !== NONE) this.#wrong(`names ${shown(name)}, which no line before it defines`);
    const before = this.#members.get(name);
    if (before !== undefined) this.#wrong(`has the member ${shown(name)}, which line ${before} has already`);
    else this.#members.set(name, this.#at);
    return found;
  }

  #define(name: string, member: Member | null) {
    if (name === NONE) return this.#wrong(`must not define ${NONE}`);
    if (this.#names.has(name)) return this.#wrong(`defines ${shown(name)} again`);
    if (this.#names.size === NAMES_MAX) return this.#wrong(`defines more than ${NAMES_MAX} names`);
    // A witness with a wrong key is known by its name, so that further lines are judged for themselves.
    this.#names.set(name, member ?? { name, needed: 1, members: [] });
  }

  #key<Key extends { readonly publicKey: Buffer }>(kind: string, read: () => Key): Key | null {
    try {
      const key = read();
      const raw = `${kind} ${key.publicKey.toString('hex')}`;
      const before = this.#keys.get(raw);
      if (before !== undefined) this.#wrong(`has the key of line ${before} again`);
      else this.#keys.set(raw, this.#at);
      return key;
    } catch (error) {
      this.#wrong(`has no key: ${(error as Error).message}`);
      return null;
    }
  }
}

const keyText = (octets: string): string => Buffer.from(octets, 'latin1').toString('utf8');

const shown = (text: string): string => JSON.stringify(keyText(text).slice(0, 60));

function hasSigned(member: Member, note: string): boolean {
  if ('witness' in member) return member.witness.lineIn(note) !== null;
  let signed = 0;
  for (const one of member.members) if (hasSigned(one, note)) signed++;
  return signed >= member.needed;
}

function missingText(quorum: Member, note: string): string {
  const number = parseNote(note)?.number ?? 0;
  const all = witnessesOf(quorum);
  const signed = all.filter((one) => hasSigned(one, note)).map(({ name }) => name);
  const wanted =
    'witness' in quorum ? 'its signature' : `${quorum.needed} of its ${quorum.members.length} members`;
  return (
    `checkpoint ${number} has not the quorum ${shown(quorum.name)} (${wanted}): ` +
    (signed.length === 0
      ? `none of ${all.length} witnesses signed it`
      : `of ${all.length} witnesses, it has the signatures of ${signed.map(shown).join(', ')}`)
  );
}

const witnessesOf = (member: Member): Member[] =>
  'witness' in member ? [member] : member.members.flatMap(witnessesOf);
