import { join } from 'node:path';
import { agent } from './benches/agent';
import { archive } from './benches/archive';
import { columns } from './benches/columns';
import { compliance } from './benches/compliance';
import { decode } from './benches/decode';
import { destinations } from './benches/destinations';
import { detect } from './benches/detect';
import { endToEnd } from './benches/end-to-end';
import { explore } from './benches/explore';
import { growth } from './benches/growth';
import { ingest } from './benches/ingest';
import { ingestSearch } from './benches/ingest-search';
import { madeDays } from './benches/made-days';
import { read } from './benches/read';
import { repeats } from './benches/repeats';
import { reports } from './benches/reports';
import { start } from './benches/start';
import { tail } from './benches/tail';
import { usual } from './benches/usual';
import { watch } from './benches/watch';
import { Bench } from './context';
import { type Figure, failed, verdictOf } from './figure';
import { Datasets } from './load/dataset';
import type { LoadRecord } from './load/loader';
import type { Machine } from './machine';
import { type Options, parseOptions } from './options';
import { profileReport } from './processes/cpu-profile';
import { machineOf, tableOf, writeJson } from './report';

/** The benches by their names on the command line. */
const BENCHES: Readonly<Record<string, (bench: Bench, datasets: Datasets) => Promise<readonly Figure[]>>> = {
  read,
  repeats,
  ingest,
  'ingest-search': ingestSearch,
  growth,
  columns,
  usual,
  'made-days': madeDays,
  archive,
  explore,
  start,
  decode,
  agent,
  'end-to-end': endToEnd,
  tail,
  detect,
  watch,
  destinations,
  compliance,
  reports,
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
    if (options.profile) bench.say(profileReport(bench.profiles));
    process.stdout.write(`\n${tableOf(figures)}\n\n${settings}\n`);
    return figures.every((figure) => !['MISSED', 'FAILED'].includes(verdictOf(figure))) ? 0 : 1;
  } finally {
    await bench.close();
  }
}

/** Runs the benches one after the other. The results are written after each, so that a long run loses none. */
async function runAll(bench: Bench, options: Options): Promise<Figure[]> {
  const figures: Figure[] = [];
  const datasets = new Datasets(bench);
  for (const name of options.names) {
    bench.say(`\n== ${name}`);
    try {
      figures.push(...((await BENCHES[name]?.(bench, datasets)) ?? []));
    } catch (error) {
      bench.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      figures.push(failed({ bench: name, name, unit: '', target: null }, error));
    }
    await writeResults(bench, options, datasets.loads, figures);
  }
  return figures;
}

async function writeResults(
  bench: Bench,
  options: Options,
  loads: readonly LoadRecord[],
  figures: readonly Figure[],
): Promise<void> {
  const { names, rows, growthRows, rounds, json } = options;
  const results = {
    machine: machineOf(await bench.describeServer()),
    options: { names, rows, growthRows, rounds },
    loads,
    figures: figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) })),
  };
  for (const file of [join(bench.machine.work, 'results/latest.json'), ...(json ? [json] : [])])
    writeJson(file, results);
}
