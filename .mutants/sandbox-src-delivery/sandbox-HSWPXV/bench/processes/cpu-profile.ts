import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { functionName: string; url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const SHOWN = 14;
const IDLE = new Set(['(idle)', '(root)']);

/** Reports the profiles of a folder: the shares of the processes' time by package and by function. */
export function profileReport(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.cpuprofile')) : [];
  const [byPackage, byFunction] = [new Map<string, number>(), new Map<string, number>()];
  for (const name of names) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile;
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    for (const [i, id] of samples.entries()) {
      const frame = frames.get(id);
      if (!frame || IDLE.has(frame.functionName)) continue;
      const place = placeOf(frame.functionName, frame.url);
      add(byPackage, place, timeDeltas[i] ?? 0);
      add(byFunction, `${frame.functionName || '(anonymous)'} [${place}]`, timeDeltas[i] ?? 0);
    }
  }
  const busy = [...byPackage.values()].reduce((sum, time) => sum + time, 0);
  const title = `profile: ${names.length} processes, busy ${(busy / 1e6).toFixed(1)} s`;
  return [title, ...top(byPackage, busy), 'by function', ...top(byFunction, busy)].join('\n');
}

const add = (sums: Map<string, number>, name: string, time: number) =>
  sums.set(name, (sums.get(name) ?? 0) + time);

function top(sums: ReadonlyMap<string, number>, all: number): string[] {
  const sorted = [...sums].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  return sorted.map(([name, time]) => `  ${((100 * time) / all).toFixed(1).padStart(5)} %  ${name}`);
}

function placeOf(functionName: string, url: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native';
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (name) return name;
  const [, own] = /\/dist\/((?:src|rest-facade|agent)\/[^/]+)/.exec(url) ?? [];
  return own ?? (url.startsWith('node:') ? url.split('/').slice(0, 2).join('/') : url);
}
