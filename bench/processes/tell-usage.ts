import { readFileSync, writeFileSync } from 'node:fs';

// The main program is another one: see `usage.ts`.
const file = process.env.USAGE_FILE;
process.on('exit', () => {
  if (!file) return;
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  // `maxRSS` begins with that of the process that started this one.
  const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const peakMb = (Number(kib) * 1024) / 1e6;
  writeFileSync(file, JSON.stringify({ processorMs: (userCPUTime + systemCPUTime) / 1000, peakMb }));
});
