import { rename, rm, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type ProofAnswer, tlogProof } from '../modules/evidence/tlog-proof';
import { BoundedCalls } from './bounded-calls';
import { readerKey } from './reader-key';
import { CommandError, serviceUrl } from './service-client';
import { addServiceOption } from './service-command';

interface Ports {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly readInput?: () => Promise<string>;
}
interface Options {
  readonly tenant?: string;
  readonly filter?: string;
  readonly search?: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly out: string;
  readonly apiKeyFile?: string;
  readonly json?: boolean;
}

const PACKAGE = '/audit-activity/package';
const KEY_FILE = [
  '--api-key-file <file>',
  'holds a key that reads the tenant; - is the standard input (default: AUDIT_ACTIVITY_API_KEY)',
] as const;

/** The commands of `evidence`: they fetch what proves events to others. */
export function addEvidenceCommands(evidence: Command, ports: Ports): void {
  addPackage(evidence, ports);
  addProof(evidence, ports);
}

function addProof(evidence: Command, ports: Ports): void {
  const command = evidence.command('proof');
  const serviceOf = addServiceOption(command);
  command
    .description('writes the proof that an event is in the evidence log into a tlog-proof file (C2SP)')
    .argument('<recordId>', 'of the event')
    .requiredOption('--out <file>', 'the file, such as event.tlog-proof')
    .option(...KEY_FILE)
    .option('--json', 'print JSON')
    .action(async (recordId: string, { out, json, apiKeyFile }: Options) => {
      const url = serviceUrl(serviceOf(), ports.env);
      const calls = new BoundedCalls(url, await readerKey(apiKeyFile, ports));
      const path = `/audit-activity/${encodeURIComponent(recordId)}/proof`;
      const { proof } = (await calls.data(path, {})) as { readonly proof: ProofAnswer | null };
      if (proof === null)
        throw new CommandError(
          'No checkpoint covers the event yet: one that just came is signed within about a minute.',
        );
      await writeFile(out, tlogProof(proof));
      ports.print(json ? JSON.stringify({ file: out, index: proof.index }) : out);
    });
}

function addPackage(evidence: Command, ports: Ports): void {
  const command = evidence.command('package');
  const serviceOf = addServiceOption(command);
  command
    .description('writes the events that match, with what proves them, into a zip file')
    .requiredOption('--out <file>', 'the zip file')
    .option('--tenant <id>', 'needed where the key reads several tenants')
    .option('--filter <expression>', 'an expression of the filter language')
    .option('--search <text>', 'words of events')
    .option('--from <time>', 'start of the period, inclusive')
    .option('--to <time>', 'end of the period, exclusive')
    .option('--reason <text>', 'what the package is for; it stands in the manifest')
    .option(...KEY_FILE)
    .option('--json', 'print JSON')
    .action(async ({ tenant, filter, search, from, to, reason, out, ...options }: Options) => {
      const url = serviceUrl(serviceOf(), ports.env);
      const calls = new BoundedCalls(url, await readerKey(options.apiKeyFile, ports));
      const given = { tenantId: tenant, filter, search, startTime: from, endTime: to, reason };
      const query = Object.fromEntries(
        Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
      // A file of this name is a whole package.
      const part = `${out}.part`;
      try {
        await calls.save(PACKAGE, query, part, () => Number.POSITIVE_INFINITY);
        await rename(part, out);
      } finally {
        await rm(part, { force: true });
      }
      ports.print(
        options.json
          ? JSON.stringify({ file: out })
          : `${out} (verify it: audit-activity verify --package ${out})`,
      );
    });
}
