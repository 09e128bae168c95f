import type { Choices, Shape } from '../../event/shape';
import { SEVERITY } from './answers';

export const ALERT_CHANGE = {
  name: 'AlertChange',
  doc: 'What somebody did with an alert.',
  fields: {
    changeId: { kind: 'id' },
    at: { kind: 'time' },
    actor: { kind: 'text', doc: 'Who signed in, or the name of the key.' },
    kind: { kind: 'text', doc: 'acknowledged, resolved, suppressed, assigned or commented.' },
    detail: { kind: 'values', doc: 'What it became.' },
    comment: { kind: 'text', nullable: true },
  },
} as const satisfies Shape;

export const RULE_SETTING = {
  name: 'RuleSetting',
  doc: 'A setting of a rule that a tenant may have otherwise than the file.',
  values: {
    threshold: 'How many events or values make a finding.',
    timespan: 'Within how long.',
    severity: 'How bad a finding is.',
    dedupMinutes: 'For how long findings of a group are one alert.',
    exceptions: 'Events that are left out.',
  },
} as const satisfies Choices;

export const DETECTION_RULE = {
  name: 'DetectionRule',
  doc: 'A rule as a tenant has it, or a filter of its rules.',
  fields: {
    ruleId: { kind: 'id' },
    tenantId: { kind: 'text' },
    kind: { kind: 'text', doc: 'rule or filter.' },
    title: { kind: 'text' },
    severity: {
      kind: 'choice',
      choices: SEVERITY,
      nullable: true,
      doc: 'As the tenant has set it. Null: a filter.',
    },
    enabled: { kind: 'boolean' },
    shipped: { kind: 'boolean', doc: 'Whether it came with the service.' },
    version: { kind: 'integer', doc: 'Counts changes of the rule and of what the tenant set.' },
    description: { kind: 'text' },
    why: { kind: 'text', doc: 'Why it matters.' },
    falsePositives: { kind: 'text', isList: true },
    tags: { kind: 'text', isList: true, doc: 'attack.… are techniques and tactics of ATT&CK.' },
    tuning: { kind: 'text', nullable: true, doc: 'JSON of what the tenant set. Null: as the file says.' },
    settings: {
      kind: 'choice',
      choices: RULE_SETTING,
      isList: true,
      doc: 'What can be tuned. A filter has none.',
    },
    source: { kind: 'text', doc: 'The Sigma file.' },
    narrows: { kind: 'id', isList: true, doc: 'Of a filter that is enabled: the rules that it narrows.' },
    narrowedBy: { kind: 'id', isList: true, doc: 'Of a rule: the enabled filters that narrow it.' },
  },
} as const satisfies Shape;

const BACKTEST_DAY = {
  name: 'BacktestDay',
  doc: 'What was found on a day.',
  fields: { day: { kind: 'text', doc: 'UTC, of the last event.' }, findings: { kind: 'count' } },
} as const satisfies Shape;
const BACKTEST_EXAMPLE = {
  name: 'BacktestExample',
  doc: 'Something that would have been found.',
  fields: {
    firstEventTime: { kind: 'time' },
    lastEventTime: { kind: 'time' },
    group: { kind: 'values' },
    eventCount: { kind: 'count' },
    recordIds: { kind: 'id', isList: true, doc: 'The first 100.' },
  },
} as const satisfies Shape;
export const BACKTEST = {
  name: 'Backtest',
  doc: 'What a rule would have found in the events of some days.',
  fields: {
    backtestId: { kind: 'id' },
    tenantId: { kind: 'text' },
    title: { kind: 'text' },
    state: { kind: 'text', doc: 'running, done or failed.' },
    eventsRead: { kind: 'count' },
    eventsLeft: { kind: 'count', doc: 'Entries of the log that are still to be read.' },
    findingCount: { kind: 'count' },
    days: {
      kind: 'object',
      isList: true,
      of: BACKTEST_DAY,
      doc: 'In their order; days without findings are left out.',
    },
    examples: { kind: 'object', isList: true, of: BACKTEST_EXAMPLE, doc: 'The first ones.' },
  },
} as const satisfies Shape;

export const ALERT_SUPPRESSION = {
  name: 'AlertSuppression',
  doc: 'Values of which alerts are quiet until a time.',
  fields: {
    suppressionId: { kind: 'id' },
    tenantId: { kind: 'text' },
    ruleId: { kind: 'id', nullable: true, doc: 'Null: of every rule.' },
    fields: {
      kind: 'values',
      doc: 'Values by field: an alert with all of them is quiet. Null: it has none.',
    },
    until: { kind: 'time' },
    reason: { kind: 'text' },
    createdBy: { kind: 'text' },
    createdAt: { kind: 'time' },
  },
} as const satisfies Shape;

export const ALERT_ROUTE = {
  name: 'AlertRoute',
  doc: 'Where alerts are told.',
  fields: {
    routeId: { kind: 'id' },
    tenantId: { kind: 'text' },
    name: { kind: 'text' },
    kind: { kind: 'text', doc: 'email or destination.' },
    severity: { kind: 'choice', choices: SEVERITY, doc: 'The least that is told.' },
    ruleId: { kind: 'id', nullable: true, doc: 'Null: of every rule.' },
    emails: { kind: 'text', isList: true },
    destinationId: { kind: 'id', nullable: true },
    format: { kind: 'text', nullable: true, doc: 'json or ocsf.' },
  },
} as const satisfies Shape;
