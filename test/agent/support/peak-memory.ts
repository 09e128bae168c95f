import { existsSync, readFileSync } from 'node:fs';

/** For tests of memory: the kernel keeps a process' peak memory in /proc, which other systems lack. */
export const onLinux = existsSync('/proc/self/status') ? it : it.skip;

/** Peak memory of a process, in bytes. */
export function peakOf(pid: number): number {
  const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
