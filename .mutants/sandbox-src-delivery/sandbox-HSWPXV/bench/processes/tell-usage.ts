import { readFileSync, writeFileSync } from 'node:fs';

// This file is loaded before the main program: see `usage.ts`.
const file = process.env.USAGE_FILE;
process.on('exit', () => {
  if (!file) return;
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  // `maxRSS` starts at the value of the process that started this one.
  const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const peakMb = (Number(kib) * 1024) / 1e6;
  writeFileSync(file, JSON.stringify({ processorMs: (userCPUTime + systemCPUTime) / 1000, peakMb }));
});
