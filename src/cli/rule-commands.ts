import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Backtest, DetectionRule } from '../generated/operations';
import { SEVERITIES } from '../rules/rule';
import { type OfTenant, tenantOf } from './only-tenant';
import { columnsOf, type Run } from './operations';
import { CommandError } from './service-client';
import { type OnService, wholeNumber } from './service-command';
import { toTable } from './table';
import { textOf } from './text-file';

const COLUMNS = columnsOf(
  'DetectionRule',
  ...(['ruleId', 'title', 'severity', 'enabled', 'version'] as const),
);
const DAYS_DEFAULT = 7;
const POLL_MS = 700;

/** `rule list`, `show`, `import`, `test`, `enable`, `disable`, `tune`, `remove`. */
export function addRuleCommands(rule: Command, onService: OnService): void {
  const ofTenant = (command: Command) =>
    command.option('--tenant <id>', 'of this tenant (default: the only one)');
  onService(
    ofTenant(
      rule
        .command('list')
        .description('lists the rules of a tenant: those shipped, its own, and its filters'),
    ),
    async (run, options: OfTenant) => {
      const rules = await rulesOf(run, await tenantOf(run, options));
      return { json: rules, text: toTable(rules.map(toRow)) };
    },
  );
  onService(
    ofTenant(rule.command('show').description('shows a rule and its file').argument('<rule>', RULE)),
    async (run, options: OfTenant, name) => {
      const found = await find(run, await tenantOf(run, options), name);
      const { source, ...about } = found;
      const lines = Object.entries(about).map(([key, value]) => `${key}: ${value ?? '-'}`);
      return { json: found, text: [...lines, '', source].join('\n') };
    },
  );
  onService(
    ofTenant(
      rule.command('import').description('adds the rules and filters of a Sigma file').argument('<file>'),
    ),
    async (run, options: OfTenant, file) => {
      const source = textOf(file);
      const rules = await run('importRules', { tenantId: await tenantOf(run, options), source }, COLUMNS);
      return { json: rules, text: [toTable(rules.map(toRow)), ...rules.flatMap(narrowing)].join('\n') };
    },
  );
  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    onService(
      ofTenant(rule.command(name).description(`${name}s a rule`).argument('<rule>', RULE)),
      async (run, options: OfTenant, given) => {
        const tenantId = await tenantOf(run, options);
        const { ruleId } = await find(run, tenantId, given);
        const done = await run('setRuleEnabled', { tenantId, ruleId, enabled }, COLUMNS);
        return { json: done, text: `rule ${done.ruleId}: ${done.enabled ? 'enabled' : 'disabled'}` };
      },
    );
  onService(
    ofTenant(
      rule
        .command('tune')
        .description('tunes a rule for a tenant; settings that are not given are as in the file')
        .argument('<rule>', RULE),
    )
      .option('--threshold <n>', 'how many events or values make a finding', wholeNumber)
      .option('--timespan <span>', 'the time within which they must occur, for example 15m')
      .addOption(new Option('--severity <severity>', 'severity of its findings').choices([...SEVERITIES]))
      .option('--dedup-minutes <n>', 'minutes for which findings of one group join one alert', wholeNumber)
      .option(
        '--exception <json...>',
        'JSON of values by field: the rule ignores an event that has all of them',
      ),
    async (run, options: Tuning, name) => {
      const { threshold, timespan, severity, dedupMinutes, exception } = options;
      const tenantId = await tenantOf(run, options);
      const { ruleId } = await find(run, tenantId, name);
      const tuned = await run(
        'tuneRule',
        {
          tenantId,
          ruleId,
          threshold: threshold ?? null,
          timespan: timespan ?? null,
          severity: severity ?? null,
          dedupMinutes: dedupMinutes ?? null,
          exceptions: exception ?? null,
        },
        COLUMNS,
      );
      return { json: tuned, text: `rule ${tuned.ruleId}: ${tuned.tuning ?? 'as in the file'}` };
    },
  );
  onService(
    ofTenant(
      rule
        .command('remove')
        .description('removes a rule or filter of the tenant; its findings stay')
        .argument('<rule>', RULE),
    ),
    async (run, options: OfTenant, name) => {
      const tenantId = await tenantOf(run, options);
      const { ruleId } = await find(run, tenantId, name);
      const removed = await run('removeRule', { tenantId, ruleId }, COLUMNS);
      return { json: removed, text: `rule ${removed.ruleId}: removed` };
    },
  );
  onService(
    ofTenant(
      rule
        .command('test')
        .description('runs a backtest: shows what a rule would have found in the last days')
        .argument('<rule>', `${RULE}; or a Sigma file`),
    ).option('--days <n>', `days (default: ${DAYS_DEFAULT})`, wholeNumber),
    async (run, { days, ...options }: OfTenant & { days?: number }, name) => {
      const tenantId = await tenantOf(run, options);
      const of = existsSync(name)
        ? { ruleId: null, source: textOf(name) }
        : { ruleId: (await find(run, tenantId, name)).ruleId, source: null };
      // The rule is tested as the tenant has tuned it.
      const given = { tenantId, ...of, days: days ?? DAYS_DEFAULT, tuning: undefined };
      const done = await untilDone(run, await run('testRule', given));
      const unread =
        done.eventsUnread > 0 ? `; it could not be evaluated at ${done.eventsUnread} or more of them` : '';
      const text = `${done.title}: ${done.findingCount} findings in ${done.eventsRead} events${unread}`;
      return {
        json: done,
        text: [text, toTable(done.days), toTable(done.examples.map(toExampleRow))].join('\n'),
      };
    },
  );
}

interface Tuning extends OfTenant {
  readonly threshold?: number;
  readonly timespan?: string;
  readonly severity?: string;
  readonly dedupMinutes?: number;
  readonly exception?: readonly string[];
}

const RULE = 'its id, its title, or how its title begins';

async function untilDone(run: Run, begun: Backtest): Promise<Backtest> {
  let now = begun;
  while (now.state === 'running') {
    await delay(POLL_MS);
    now = await run('backtest', { backtestId: begun.backtestId, tenantId: begun.tenantId });
  }
  if (now.state === 'failed') throw new CommandError('The backtest failed; the log of the service says why.');
  return now;
}

const rulesOf = (run: Run, tenantId: string) => run('detectionRules', { tenantId }, COLUMNS);

async function find(run: Run, tenantId: string, name: string): Promise<DetectionRule> {
  const rules = await rulesOf(run, tenantId);
  const wanted = name.toLowerCase();
  const begin = rules.filter(
    ({ ruleId, title }) => ruleId === wanted || title.toLowerCase().startsWith(wanted),
  );
  // The complete title of one rule may be the beginning of another.
  const whole = begin.filter(({ title }) => title.toLowerCase() === wanted);
  const found = whole.length > 0 ? whole : begin;
  const [only] = found;
  if (!only) throw new CommandError(`There is no rule ${name}.`, 'not_found');
  if (found.length > 1)
    throw new CommandError(
      `${found.length} rules begin with ${name}: ${found.map(({ title }) => title).join('; ')}`,
    );
  return only;
}

const toRow = ({ ruleId, kind, title, severity, enabled, shipped, version, tuning }: DetectionRule) => ({
  ruleId,
  kind,
  severity,
  enabled,
  shipped,
  version,
  tuning,
  title,
});
/** Says how many rules a filter narrows. The number is 0 when the filter names no rule that the tenant has. */
const narrowing = ({ kind, title, enabled, narrows }: DetectionRule) =>
  kind === 'filter' && enabled
    ? [`${title} narrows ${narrows.length} ${narrows.length === 1 ? 'rule' : 'rules'}`]
    : [];
const toExampleRow = ({ recordIds, group, ...example }: Backtest['examples'][number]) => ({
  ...example,
  group: JSON.stringify(group),
  firstRecord: recordIds[0] ?? null,
});
