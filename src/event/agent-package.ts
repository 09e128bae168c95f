import { LIMITS } from '../limits';

/** How far an agent has come with a package that it is offered. The last three are the end. */
export const PACKAGE_STATES = {
  OFFERED: 'The agent does not have it whole yet.',
  DOWNLOADED: 'The agent has it, and has checked it.',
  WAITING: 'The agent has it, and waits for its window.',
  TRIAL: 'It runs, and the service has acknowledged nothing of it yet.',
  INSTALLED: 'It runs, and the service has acknowledged what it sent.',
  TAKEN_BACK: 'It did not work, and the version before runs.',
  REFUSED: 'The agent does not take it.',
} as const;
export type PackageState = keyof typeof PACKAGE_STATES;

/** A file with the whole program of an agent. */
export interface PackageFacts {
  readonly version: string;
  /** Orders builds of one version. */
  readonly build: number;
  /** In bytes. */
  readonly size: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Whether an agent that runs a newer version takes it, too. */
  readonly allowsOlder: boolean;
}

/** What an agent reports of a package. */
export interface ReportedPackage {
  readonly sha256: string;
  readonly version: string;
  readonly state: PackageState;
  /** For people. Null: there is nothing to say. */
  readonly reason: string | null;
}

export const PACKAGE_CHARS_MAX = { version: 100, reason: 512 } as const;
export const SHA256 = /^[0-9a-f]{64}$/;
/** 64 bytes in Base64. */
export const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;
/** `02:00-04:00`; over midnight if it ends before it begins. */
export const WINDOW = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/;
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}(\+[0-9A-Za-z.-]{1,60})?$/;
const BUILD_MAX = 2 ** 31 - 1;

export const isPackageVersion = (text: string): boolean => VERSION.test(text);

/**
 * The text that is signed. No value has a line break, so each has its place. That agents may go back to it is signed too:
 * nobody can offer them an old version that was signed when it was new.
 */
export const manifestOf = ({ version, build, size, sha256, allowsOlder }: PackageFacts): string =>
  [
    'audit-agent package 1',
    version,
    build,
    size,
    sha256,
    allowsOlder ? 'in place of any version' : 'in place of older ones',
    '',
  ].join('\n');

/** What the first line of a file says, as the build has put it there; null: it is no such file. */
export function readHeader(text: string): { readonly version: string; readonly build: number } | null {
  const [, version = '', build = ''] = /^\/\/ audit-agent (\S+) build (\d{1,10})\r?\n/.exec(text) ?? [];
  return isPackageVersion(version) && Number(build) <= BUILD_MAX ? { version, build: Number(build) } : null;
}

interface Version {
  readonly version: string;
  /** Null: nobody knows. */
  readonly build: number | null;
}

/** Above 0: the first one is newer; 0: they are the same, or nothing tells which is newer. */
export function compareVersions(a: Version, b: Version): number {
  const numbers = ({ version }: Version) => version.split('+')[0]?.split('.').map(Number) ?? [];
  const [of, other] = [numbers(a), numbers(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (of[i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.build === null || b.build === null ? 0 : a.build - b.build;
}

/** How many parts a file of a size is sent in. */
export const partsOf = (size: number): number => Math.ceil(size / LIMITS.agentPackagePartBytes);
