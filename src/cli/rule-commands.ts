import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { SEVERITIES } from '../detection/rule';
import type { Answer } from '../event/shape';
import { BACKTEST, DETECTION_RULE } from '../modules/detection/work-answers';
import { tenantOf } from './only-tenant';
import { CommandError } from './service-client';
import { type OnService, type Run, wholeNumber } from './service-command';
import { columnsOf, toTable } from './table';

type Rule = Answer<typeof DETECTION_RULE>;
type Backtest = Answer<typeof BACKTEST>;

const FIELDS = columnsOf(DETECTION_RULE, ...(['ruleId', 'title', 'severity', 'enabled', 'version'] as const));
const BACKTEST_FIELDS = columnsOf(BACKTEST);
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
    async (run, options) => {
      const rules = await rulesOf(run, await tenantOf(run, options));
      return { json: rules, text: toTable(rules.map(toRow)) };
    },
  );
  onService(
    ofTenant(rule.command('show').description('shows a rule and its file').argument('<rule>', RULE)),
    async (run, options, name) => {
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
    async (run, options, file) => {
      const source = textOf(file);
      const tenant = await tenantOf(run, options);
      const { importRules } = await run<{ importRules: Rule[] }>(
        `mutation($tenantId: String!, $source: String!) { importRules(tenantId: $tenantId, source: $source) { ${FIELDS} } }`,
        { tenantId: tenant, source },
      );
      const text = [toTable(importRules.map(toRow)), ...importRules.flatMap(narrowing)].join('\n');
      return { json: importRules, text };
    },
  );
  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    onService(
      ofTenant(rule.command(name).description(`${name}s a rule`).argument('<rule>', RULE)),
      async (run, options, given) => {
        const tenant = await tenantOf(run, options);
        const { ruleId } = await find(run, tenant, given);
        const { setRuleEnabled: done } = await run<{ setRuleEnabled: Rule }>(
          `mutation($tenantId: String!, $ruleId: String!, $enabled: Boolean!) {
            setRuleEnabled(tenantId: $tenantId, ruleId: $ruleId, enabled: $enabled) { ${FIELDS} } }`,
          { tenantId: tenant, ruleId, enabled },
        );
        return { json: done, text: `rule ${done.ruleId}: ${done.enabled ? 'enabled' : 'disabled'}` };
      },
    );
  onService(
    ofTenant(
      rule
        .command('tune')
        .description('sets what differs from the file for this tenant; without options all is as in the file')
        .argument('<rule>', RULE),
    )
      .option('--threshold <n>', 'how many', wholeNumber)
      .option('--timespan <span>', 'within how long, for example 15m')
      .addOption(new Option('--severity <severity>', 'how bad it is').choices([...SEVERITIES]))
      .option('--dedup-minutes <n>', 'for how long findings of a group are one alert', wholeNumber)
      .option('--exception <json...>', 'values by field: an event that has all of them is left out'),
    async (run, options, name) => {
      const { threshold, timespan, severity, dedupMinutes, exception } = options;
      const tenant = await tenantOf(run, options);
      const { ruleId } = await find(run, tenant, name);
      const { tuneRule } = await run<{ tuneRule: Rule }>(
        `mutation($tenantId: String!, $ruleId: String!, $threshold: Int, $timespan: String, $severity: String,
            $dedupMinutes: Int, $exceptions: [String!]) {
          tuneRule(tenantId: $tenantId, ruleId: $ruleId, threshold: $threshold, timespan: $timespan, severity: $severity,
            dedupMinutes: $dedupMinutes, exceptions: $exceptions) { ${FIELDS} } }`,
        {
          tenantId: tenant,
          ruleId,
          threshold: threshold ?? null,
          timespan: timespan ?? null,
          severity: severity ?? null,
          dedupMinutes: dedupMinutes ?? null,
          exceptions: exception ?? null,
        },
      );
      return { json: tuneRule, text: `rule ${tuneRule.ruleId}: ${tuneRule.tuning ?? 'as in the file'}` };
    },
  );
  onService(
    ofTenant(
      rule
        .command('remove')
        .description('ends a rule or filter of the own; what it found stays')
        .argument('<rule>', RULE),
    ),
    async (run, options, name) => {
      const tenant = await tenantOf(run, options);
      const { ruleId } = await find(run, tenant, name);
      const { removeRule } = await run<{ removeRule: Rule }>(
        `mutation($tenantId: String!, $ruleId: String!) {
          removeRule(tenantId: $tenantId, ruleId: $ruleId) { ${FIELDS} } }`,
        { tenantId: tenant, ruleId },
      );
      return { json: removeRule, text: `rule ${removeRule.ruleId}: removed` };
    },
  );
  onService(
    ofTenant(
      rule
        .command('test')
        .description('tells what a rule would have found over the last days')
        .argument('<rule>', `${RULE}; or a Sigma file`),
    ).option('--days <n>', `days (default: ${DAYS_DEFAULT})`, wholeNumber),
    async (run, options, name) => {
      const { days } = options;
      const tenant = await tenantOf(run, options);
      const of = existsSync(name)
        ? { ruleId: null, source: textOf(name) }
        : { ruleId: (await find(run, tenant, name)).ruleId, source: null };
      const { testRule } = await run<{ testRule: Backtest }>(
        `mutation($tenantId: String!, $ruleId: String, $source: String, $days: Int!) {
          testRule(tenantId: $tenantId, ruleId: $ruleId, source: $source, days: $days) { ${BACKTEST_FIELDS} } }`,
        { tenantId: tenant, ...of, days: days ?? DAYS_DEFAULT },
      );
      const done = await untilDone(run, testRule);
      const text = `${done.title}: ${done.findingCount} findings in ${done.eventsRead} events`;
      return {
        json: done,
        text: [text, toTable(done.days), toTable(done.examples.map(toExampleRow))].join('\n'),
      };
    },
  );
}

const RULE = 'its id, its title, or how its title begins';

async function untilDone(run: Run, begun: Backtest): Promise<Backtest> {
  let now = begun;
  while (now.state === 'running') {
    await delay(POLL_MS);
    const { backtest } = await run<{ backtest: Backtest }>(
      `query($backtestId: String!, $tenantId: String!) {
        backtest(backtestId: $backtestId, tenantId: $tenantId) { ${BACKTEST_FIELDS} } }`,
      { backtestId: begun.backtestId, tenantId: begun.tenantId },
    );
    now = backtest;
  }
  if (now.state === 'failed') throw new CommandError('The backtest failed; the log of the service says why.');
  return now;
}

async function rulesOf(run: Run, tenant: unknown): Promise<Rule[]> {
  const { detectionRules } = await run<{ detectionRules: Rule[] }>(
    `query($tenantId: String!) { detectionRules(tenantId: $tenantId) { ${FIELDS} } }`,
    { tenantId: tenant },
  );
  return detectionRules;
}

async function find(run: Run, tenant: unknown, name: string): Promise<Rule> {
  const rules = await rulesOf(run, tenant);
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

function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new CommandError(`The file cannot be read: ${(error as Error).message}`);
  }
}

const toRow = ({ ruleId, kind, title, severity, enabled, shipped, version, tuning }: Rule) => ({
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
const narrowing = ({ kind, title, enabled, narrows }: Rule) =>
  kind === 'filter' && enabled
    ? [`${title} narrows ${narrows.length} ${narrows.length === 1 ? 'rule' : 'rules'}`]
    : [];
const toExampleRow = ({ recordIds, group, ...example }: Backtest['examples'][number]) => ({
  ...example,
  group: JSON.stringify(group),
  firstRecord: recordIds[0] ?? null,
});
