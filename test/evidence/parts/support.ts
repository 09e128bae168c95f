import { createHash, hash } from 'node:crypto';
import type { NodeAt } from '../../../src/store/log/evidence/merkle';

const sha256 = (...parts: Buffer[]) =>
  parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest();

/** The definitions of RFC 9162, section 2.1, implemented literally for comparison. */
export const leafOf = (entry: Buffer): Buffer => sha256(Buffer.of(0), entry);

export function plainRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (!only) return sha256();
  if (leaves.length === 1) return only;
  const k = splitOf(leaves.length);
  return sha256(Buffer.of(1), plainRoot(leaves.slice(0, k)), plainRoot(leaves.slice(k)));
}

export function plainPath(m: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const k = splitOf(leaves.length);
  return m < k
    ? [...plainPath(m, leaves.slice(0, k)), plainRoot(leaves.slice(k))]
    : [...plainPath(m - k, leaves.slice(k)), plainRoot(leaves.slice(0, k))];
}

export function plainConsistency(m: number, leaves: readonly Buffer[], isWhole = true): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [plainRoot(leaves)];
  const k = splitOf(leaves.length);
  return m <= k
    ? [...plainConsistency(m, leaves.slice(0, k), isWhole), plainRoot(leaves.slice(k))]
    : [...plainConsistency(m - k, leaves.slice(k), false), plainRoot(leaves.slice(0, k))];
}

function splitOf(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** The nodes of a tree whose leaves are all in memory. */
export const nodesOfLeaves =
  (leaves: readonly Buffer[]): NodeAt =>
  (height, index) =>
    plainRoot(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height));

export const someLeaves = (count: number, seed = ''): Buffer[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(hash('sha256', `${seed}${i}`, 'hex'), 'hex'));
