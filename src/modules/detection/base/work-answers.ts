import type { Choices, Shape } from '../../../event/shape';
import { SEVERITY } from './answers';

export const ALERT_CHANGE = {
  name: 'AlertChange',
  doc: 'A change of an alert by a person.',
  fields: {
    changeId: { kind: 'id' },
    at: { kind: 'time' },
    actor: { kind: 'text', doc: 'The person who signed in, or the name of the key.' },
    kind: { kind: 'text', doc: 'acknowledged, resolved, suppressed, assigned or commented.' },
    detail: { kind: 'values', doc: 'The new values, by field.' },
    comment: { kind: 'text', nullable: true },
  },
} as const satisfies Shape;

export const RULE_SETTING = {
  name: 'RuleSetting',
  doc: 'A setting of a rule that a tenant can tune.',
  values: {
    threshold: 'How many events or values make a finding.',
    timespan: 'Time within which they must occur.',
    severity: 'Severity of its findings.',
    dedupMinutes: 'Minutes for which findings of one group join one alert.',
    exceptions: 'Events that the rule ignores.',
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
      doc: 'As the tenant has tuned it. Null: a filter has none.',
    },
    enabled: { kind: 'boolean' },
    shipped: { kind: 'boolean', doc: 'Whether it came with the service.' },
    version: { kind: 'integer', doc: 'Grows with each change of the rule or of its tuning.' },
    description: { kind: 'text' },
    why: { kind: 'text', doc: 'Why it matters.' },
    falsePositives: { kind: 'text', isList: true },
    tags: { kind: 'text', isList: true, doc: 'attack.… are techniques and tactics of ATT&CK.' },
    tuning: {
      kind: 'text',
      nullable: true,
      doc: "The tenant's tuning, as JSON. Null: the rule is as its file says.",
    },
    settings: {
      kind: 'choice',
      choices: RULE_SETTING,
      isList: true,
      doc: 'Settings that can be tuned. A filter has none.',
    },
    source: { kind: 'text', doc: 'The Sigma file.' },
    narrows: { kind: 'id', isList: true, doc: 'For an enabled filter: the rules that it narrows.' },
    narrowedBy: { kind: 'id', isList: true, doc: 'For a rule: the enabled filters that narrow it.' },
  },
} as const satisfies Shape;

const SIGHT = {
  name: 'RuleSight',
  doc: 'Whether a rule sees what it looks for on a server instance.',
  values: {
    sees: 'Groups that it needs are recorded there, and none of them is known to be off.',
    cannot_see: 'The configuration of the audits says that a group is not recorded there.',
    unknown: 'No record says whether the groups are recorded there.',
  },
} as const satisfies Choices;

export const RULE_COVERAGE = {
  name: 'RuleCoverage',
  doc: 'Where a rule sees what it looks for.',
  fields: {
    ruleId: { kind: 'id' },
    title: { kind: 'text' },
    groups: {
      kind: 'text',
      isList: true,
      doc: 'The audit action groups that it needs. Empty: it looks at events of any group.',
    },
    sees: { kind: 'count', doc: 'Server instances where it sees.' },
    cannotSee: { kind: 'count', doc: 'Server instances where it cannot see.' },
    unknown: { kind: 'count', doc: 'Server instances of which it is not known.' },
    instances: {
      kind: 'object',
      isList: true,
      doc: 'The first 10 server instances: first those where it cannot see, then those of which it is not known.',
      of: {
        name: 'RuleOnInstance',
        fields: {
          serverInstanceName: { kind: 'text' },
          state: { kind: 'choice', choices: SIGHT },
          groups: { kind: 'text', isList: true, doc: 'Groups that are not recorded, or not known to be.' },
          text: { kind: 'text', doc: 'The same in words.' },
        },
      },
    },
  },
} as const satisfies Shape;

export const EXCEPTION_PREVIEW = {
  name: 'ExceptionPreview',
  doc: 'What an exception with values of an alert would have removed.',
  fields: {
    choices: {
      kind: 'object',
      isList: true,
      doc: 'The values that all events of the alert share: those of which an exception may be made.',
      of: { name: 'ExceptionChoice', fields: { field: { kind: 'text' }, value: { kind: 'text' } } },
    },
    alerts: { kind: 'count', doc: 'Alerts of the rule in 30 days; at most the newest 250.' },
    removed: { kind: 'count', doc: 'Those of which each event would have been left out.' },
    truePositives: { kind: 'count', doc: 'Those of the removed that people found to be attacks.' },
    open: { kind: 'count', doc: 'Those of the removed that are new or acknowledged.' },
    text: { kind: 'text', doc: 'The same in a sentence.' },
  },
} as const satisfies Shape;

export const ADDED_EXCEPTION = {
  name: 'AddedException',
  doc: 'A rule with an exception more, and the alerts that are resolved with it.',
  fields: {
    ruleId: { kind: 'id' },
    tuning: { kind: 'text', nullable: true, doc: "The tenant's tuning, as JSON." },
    resolved: { kind: 'count', doc: 'Alerts that were open and are resolved now.' },
    text: { kind: 'text', doc: 'What the preview says.' },
  },
} as const satisfies Shape;

const BACKTEST_DAY = {
  name: 'BacktestDay',
  doc: 'The findings of one day.',
  fields: { day: { kind: 'text', doc: 'Day of the last event, UTC.' }, findings: { kind: 'count' } },
} as const satisfies Shape;
const BACKTEST_EXAMPLE = {
  name: 'BacktestExample',
  doc: 'A finding that the rule would have made.',
  fields: {
    firstEventTime: { kind: 'time' },
    lastEventTime: { kind: 'time' },
    group: { kind: 'values' },
    eventCount: { kind: 'count' },
    recordIds: { kind: 'id', isList: true, doc: 'The first 100 record ids.' },
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
    eventsUnread: {
      kind: 'count',
      doc: 'Events at which the rule could not be evaluated, so whether it finds them is not known; of many, some.',
    },
    findingCount: { kind: 'count' },
    days: {
      kind: 'object',
      isList: true,
      of: BACKTEST_DAY,
      doc: 'Findings by day, in order. Days without findings are left out.',
    },
    examples: { kind: 'object', isList: true, of: BACKTEST_EXAMPLE, doc: 'The first findings.' },
  },
} as const satisfies Shape;

export const ALERT_SUPPRESSION = {
  name: 'AlertSuppression',
  doc: 'Suppresses alerts with these values until a time.',
  fields: {
    suppressionId: { kind: 'id' },
    tenantId: { kind: 'text' },
    ruleId: { kind: 'id', nullable: true, doc: 'Null: of every rule.' },
    fields: {
      kind: 'values',
      doc: 'Values by field: alerts that have all of them are suppressed. A value of null: the field is absent.',
    },
    until: { kind: 'time' },
    reason: { kind: 'text' },
    createdBy: { kind: 'text' },
    createdAt: { kind: 'time' },
  },
} as const satisfies Shape;

export const ALERT_ROUTE = {
  name: 'AlertRoute',
  doc: 'A route: where alerts are sent.',
  fields: {
    routeId: { kind: 'id' },
    tenantId: { kind: 'text' },
    name: { kind: 'text' },
    kind: { kind: 'text', doc: 'email or destination.' },
    severity: { kind: 'choice', choices: SEVERITY, doc: 'The lowest severity that is sent.' },
    ruleId: { kind: 'id', nullable: true, doc: 'Null: of every rule.' },
    emails: { kind: 'text', isList: true },
    destinationId: { kind: 'id', nullable: true },
    format: { kind: 'text', nullable: true, doc: 'json or ocsf.' },
    escalateMinutes: {
      kind: 'integer',
      nullable: true,
      doc: 'It is told of alerts that nobody has acknowledged for so many minutes. Null: of each alert, at once.',
    },
    lastError: {
      kind: 'text',
      nullable: true,
      doc: 'Why the last of the alerts that wait was not taken. Null: none waits after a failure.',
    },
  },
} as const satisfies Shape;
