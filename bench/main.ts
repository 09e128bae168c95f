import { join } from 'node:path';
import { agent } from './benches/agent';
import { columns } from './benches/columns';
import { decode } from './benches/decode';
import { destinations } from './benches/destinations';
import { detect } from './benches/detect';
import { endToEnd } from './benches/end-to-end';
import { explore } from './benches/explore';
import { growth } from './benches/growth';
import { ingest } from './benches/ingest';
import { ingestSearch } from './benches/ingest-search';
import { read } from './benches/read';
import { tail } from './benches/tail';
import { watch } from './benches/watch';
import { Bench, type Machine } from './context';
import { type Figure, failed, verdictOf } from './figure';
import { type Options, parseOptions } from './options';
import { profileReport } from './processes/cpu-profile';
import { machineOf, tableOf, writeJson } from './report';

/** The benches by their names on the command line. */
const BENCHES: Readonly<Record<string, (bench: Bench) => Promise<readonly Figure[]>>> = {
  read,
  ingest,
  'ingest-search': ingestSearch,
  growth,
  columns,
  explore,
  decode,
  agent,
  'end-to-end': endToEnd,
  tail,
  detect,
  watch,
  destinations,
};

/** Runs the requested benches. @returns the exit code: 0 when every figure was taken and meets its target */
export async function main(machine: Machine): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(machine.argv, Object.keys(BENCHES));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
  const bench = new Bench(machine, options);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void bench.close().finally(() => process.exit(130)));
  }
  try {
    const figures = await runAll(bench, options);
    const settings = await bench.describeServer();
    const { names, rows, rounds } = options;
    const content = {
      machine: machineOf(settings),
      options: { names, rows, rounds },
      loads: bench.loads,
      figures,
    };
    for (const file of [join(machine.work, 'results/latest.json'), ...(options.json ? [options.json] : [])]) {
      writeJson(file, {
        ...content,
        figures: figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) })),
      });
    }
    if (options.profile) bench.say(profileReport(bench.profiles));
    process.stdout.write(`\n${tableOf(figures)}\n\n${settings}\n`);
    return figures.every((figure) => !['MISSED', 'FAILED'].includes(verdictOf(figure))) ? 0 : 1;
  } finally {
    await bench.close();
  }
}

async function runAll(bench: Bench, { names }: Options): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of names) {
    bench.say(`\n== ${name}`);
    try {
      figures.push(...((await BENCHES[name]?.(bench)) ?? []));
    } catch (error) {
      bench.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      figures.push(failed({ bench: name, name, unit: '', target: null }, error));
    }
  }
  return figures;
}
