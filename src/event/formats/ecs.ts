import { actionNameOf } from '../action-names';
import { AUDIT_EVENT_FIELDS, FIELD_NAMES, type FieldName, toSnakeCase } from '../fields';
import { additionalOf, type FeedEvent } from './feed-item';
import { type Meaning, meaningOf } from './meaning';
import { accountOf, ipOf, machineOf, present, targetOf } from './values';

export const ECS_VERSION = '8.17.0';

/**
 * The categories of each meaning, and types that these categories expect. The category `database` expects access,
 * change, info and error.
 * @see https://www.elastic.co/docs/reference/ecs/ecs-category-field-values-reference
 */
const ROWS: Readonly<Record<Meaning, readonly [categories: string, types: string]>> = {
  login: ['authentication session', 'start'],
  logout: ['authentication session', 'end'],
  impersonation: ['iam', 'user'],
  read: ['database', 'access'],
  insert: ['database', 'change'],
  update: ['database', 'change'],
  delete: ['database', 'change'],
  execute: ['database', 'access'],
  batch: ['database', 'access'],
  accountCreation: ['iam', 'user creation'],
  accountChange: ['iam', 'user change'],
  accountDeletion: ['iam', 'user deletion'],
  accountEnabling: ['iam', 'user change'],
  accountDisabling: ['iam', 'user change'],
  passwordChange: ['iam', 'user change'],
  passwordReset: ['iam', 'user change'],
  accountUnlocking: ['iam', 'user change'],
  memberAddition: ['iam', 'group change'],
  memberRemoval: ['iam', 'group change'],
  grant: ['iam', 'admin change'],
  revocation: ['iam', 'admin change'],
  denial: ['iam', 'admin change'],
  creation: ['database configuration', 'change creation'],
  change: ['database configuration', 'change'],
  deletion: ['database configuration', 'change deletion'],
  transfer: ['database configuration', 'change'],
  serverStart: ['process', 'start'],
  serverStop: ['process', 'end'],
  serverPause: ['process', 'change'],
  serverContinuation: ['process', 'change'],
  backup: ['configuration', 'change'],
  configuration: ['configuration', 'change'],
  auditStart: ['configuration', 'change'],
  auditStop: ['configuration', 'change'],
  serverView: ['database', 'access'],
  other: ['database', 'info'],
};

const OF_GROUPS: readonly Meaning[] = ['memberAddition', 'memberRemoval'];
const OF_ACCOUNTS: readonly Meaning[] = [
  ...([
    'accountCreation',
    'accountChange',
    'accountDeletion',
    'accountEnabling',
    'accountDisabling',
  ] as const),
  ...(['passwordChange', 'passwordReset', 'accountUnlocking'] as const),
];

/** Fields of the event that stand in `sqlserver.audit` under their own names. */
const OWN: readonly FieldName[] = FIELD_NAMES.filter(
  (name) => AUDIT_EVENT_FIELDS[name].kind === 'text' && !['tenantId', 'actionId'].includes(name),
);

/**
 * A document of the Elastic Common Schema, as nested objects. Values for which the schema has no field stand in
 * `sqlserver.audit`.
 */
export function toEcs(feed: FeedEvent): object {
  const { event, position, receivedAt } = feed;
  const meaning = meaningOf(feed);
  const [categories, types] = ROWS[meaning];
  const { name, domain } = accountOf(event.serverPrincipalName);
  const ip = ipOf(event.clientIp);
  const machine = machineOf(event.serverInstanceName);
  const target = accountOf(targetOf(feed) ?? (OF_ACCOUNTS.includes(meaning) ? event.objectName : null));
  return present({
    '@timestamp': event.eventTime,
    ecs: { version: ECS_VERSION },
    event: present({
      kind: 'event',
      category: categories.split(' '),
      type: types.split(' '),
      action: actionNameOf(event.actionId) ?? event.actionId,
      code: event.actionId,
      outcome: event.succeeded ? 'success' : 'failure',
      id: event.recordId,
      created: receivedAt,
      sequence: position,
      provider: 'Audit Activity',
      module: 'sqlserver',
      dataset: 'sqlserver.audit',
    }),
    host: present({ name: machine }),
    organization: { id: event.tenantId },
    user: present({ name, domain, target: present(target) }),
    group: OF_GROUPS.includes(meaning) ? present({ name: event.objectName }) : null,
    source: present({ ip, domain: event.hostName }),
    related: present({
      user: [...new Set([name, target.name].filter((one) => one !== null))],
      ip: ip === null ? null : [ip],
      hosts: [...new Set([machine, event.hostName].filter((one) => one !== null))],
    }),
    sqlserver: {
      audit: present({
        ...Object.fromEntries(OWN.map((field) => [toSnakeCase(field), event[field]])),
        succeeded: event.succeeded,
        additional: additionalOf(feed),
      }),
    },
  });
}
