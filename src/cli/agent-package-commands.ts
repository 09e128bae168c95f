import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { partsOf, WINDOW } from '../event/agent-package';
import type { AgentPackage } from '../generated/operations';
import { LIMITS } from '../limits';
import { readPackage, readSignature, signatureOf } from './agent-package-file';
import type { OfTenant } from './only-tenant';
import { CommandError } from './service-client';
import type { OnService } from './service-command';
import { toTable } from './table';

/** `agent-package sign`, `offer`, `list`, `withdraw`. */
export function addAgentPackageCommands(
  packages: Command,
  onService: OnService,
  print: (line: string) => void,
): void {
  packages
    .command('sign')
    .description('prints the signature of a package, which agents check by the key of their file')
    .requiredOption('--key <file>', 'the private key: Ed25519, PEM')
    .requiredOption('--file <file>', 'the package, as a release has it')
    .option('--allow-older', 'agents that run a newer version may take it, too', false)
    .action(async ({ key, file, allowOlder }: Signing) => {
      const pem = await readFile(key, 'utf8').catch((error: Error) => {
        throw new CommandError(error.message, 'usage');
      });
      print(signatureOf({ ...(await readPackage(file)), allowsOlder: allowOlder }, pem));
    });
  onService(
    packages
      .command('offer')
      .description('offers a package to a group of hosts, in place of the one before')
      .requiredOption('--group <groupId>', 'as `agent-group list` shows it')
      .requiredOption('--file <file>', 'the package, as a release has it')
      .requiredOption('--signature <file>', 'what `agent-package sign` printed')
      .option(
        '--window <times>',
        'when hosts may begin to run it, by their local time, as 02:00-04:00',
        timesOfDay,
      )
      .option('--allow-older', 'as it was signed', false),
    async (run, options: Offering) => {
      const { bytes, size, ...facts } = await readPackage(options.file);
      const offered = await run('offerAgentPackage', {
        ...facts,
        fileSize: size,
        groupId: options.group,
        signature: await readSignature(options.signature),
        window: options.window,
        allowsOlder: options.allowOlder,
      });
      let made: AgentPackage = offered;
      for (let part = 0; part < partsOf(size); part++) {
        const from = part * LIMITS.agentPackagePartBytes;
        const of = bytes.subarray(from, from + LIMITS.agentPackagePartBytes).toString('base64');
        made = await run('addAgentPackagePart', { packageId: offered.packageId, part, bytes: of });
      }
      return {
        json: made,
        text: `package ${made.packageId}: ${made.version} is offered to ${made.hosts} hosts`,
      };
    },
  );
  onService(
    packages
      .command('list')
      .description('lists the packages that are offered, and how many hosts have followed')
      .option('--tenant <id>', 'of this tenant (default: of every tenant)'),
    async (run, { tenant }: OfTenant) => {
      const all = await run('agentPackages', { tenantId: tenant ?? null });
      return { json: all, text: toTable(all.map(toRow)) };
    },
  );
  onService(
    packages
      .command('withdraw')
      .description('withdraws a package: hosts that run it keep it, the others do not begin with it')
      .argument('<packageId>', 'as `agent-package list` shows it'),
    async (run, _: object, packageId) => {
      const gone = await run('withdrawAgentPackage', { packageId });
      return { json: gone, text: `package ${gone.packageId} (${gone.version}) is withdrawn` };
    },
  );
}

function timesOfDay(text: string): string {
  if (!WINDOW.test(text))
    throw new InvalidArgumentError('must be two times of a day, for example 02:00-04:00');
  return text;
}

const toRow = ({ sha256: _, signature: __, size: ___, ...row }: AgentPackage) => row;

interface Signing {
  readonly key: string;
  readonly file: string;
  readonly allowOlder: boolean;
}

interface Offering {
  readonly group: string;
  readonly file: string;
  readonly signature: string;
  readonly window?: string;
  readonly allowOlder: boolean;
}
