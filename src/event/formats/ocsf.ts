import { actionNameOf } from '../action-names';
import { TICKS_PER_MS } from '../event-time';
import { ticksOfRecordId } from '../record-id';
import { additionalOf, type FeedEvent } from './feed-item';
import { type Meaning, meaningOf } from './meaning';
import { accountOf, ipOf, machineOf, permissionsOf, present, stated, targetOf } from './values';

export const OCSF_VERSION = '1.8.0';

/** The classes used, each with the attributes that only this class has. @see https://schema.ocsf.io/1.8.0 */
const CLASSES = {
  accountChange: { uid: 3001, own: (feed: FeedEvent) => ({ user: userOf(objectOrTarget(feed)) }) },
  authentication: {
    uid: 3002,
    own: (feed: FeedEvent) => ({ user: userOf(authenticated(feed)), ...endpointsOf(feed) }),
  },
  entityManagement: { uid: 3004, own: (feed: FeedEvent) => ({ entity: entityOf(feed) }) },
  userAccess: {
    uid: 3005,
    own: (feed: FeedEvent) => ({
      user: userOf(targetOf(feed) ?? principalOf(feed)),
      privileges: privilegesOf(feed),
    }),
  },
  groupManagement: {
    uid: 3006,
    own: (feed: FeedEvent) => ({
      group: { name: feed.event.objectName ?? UNKNOWN },
      user: targetOf(feed) === null ? null : userOf(targetOf(feed)),
    }),
  },
  applicationLifecycle: {
    uid: 6002,
    own: ({ event }: FeedEvent) => ({
      app: { name: event.serverInstanceName ?? 'SQL Server', vendor_name: 'Microsoft' },
    }),
  },
  datastore: { uid: 6005, own: datastoreOf },
} as const;
type ClassName = keyof typeof CLASSES;

/** The class and activity of each meaning. 99: another activity, named by `activity_name`. */
const ROWS: Readonly<Record<Meaning, readonly [ClassName, number]>> = {
  login: ['authentication', 1],
  logout: ['authentication', 2],
  impersonation: ['authentication', 7],
  read: ['datastore', 4],
  insert: ['datastore', 6],
  update: ['datastore', 2],
  delete: ['datastore', 7],
  execute: ['datastore', 99],
  batch: ['datastore', 4],
  accountCreation: ['accountChange', 1],
  accountChange: ['accountChange', 99],
  accountDeletion: ['accountChange', 6],
  accountEnabling: ['accountChange', 2],
  accountDisabling: ['accountChange', 5],
  passwordChange: ['accountChange', 3],
  passwordReset: ['accountChange', 4],
  accountUnlocking: ['accountChange', 12],
  memberAddition: ['groupManagement', 3],
  memberRemoval: ['groupManagement', 4],
  grant: ['userAccess', 1],
  revocation: ['userAccess', 2],
  denial: ['userAccess', 99],
  creation: ['entityManagement', 1],
  change: ['entityManagement', 3],
  deletion: ['entityManagement', 4],
  transfer: ['entityManagement', 5],
  serverStart: ['applicationLifecycle', 3],
  serverStop: ['applicationLifecycle', 4],
  serverPause: ['applicationLifecycle', 99],
  serverContinuation: ['applicationLifecycle', 99],
  backup: ['entityManagement', 2],
  configuration: ['entityManagement', 3],
  auditStart: ['entityManagement', 10],
  auditStop: ['entityManagement', 11],
  serverView: ['entityManagement', 2],
  other: ['entityManagement', 99],
};

const CATEGORY_WIDTH = 1_000;
const ACTIVITIES_PER_CLASS = 100;
const OTHER = 99;
const UNKNOWN = 'unknown';
const [SUCCESS, FAILURE] = [1, 2];
const [INFORMATIONAL, LOW] = [1, 2];
const SERVER = { type: 'Server', type_id: 1 };
const PRODUCT = { name: 'Audit Activity', vendor_name: 'Audit Activity' };

/** An event of OCSF. Values for which OCSF has no place stand in `unmapped`, and so does `additional`. */
export function toOcsf(feed: FeedEvent): object {
  const { event } = feed;
  const [className, activity] = rowOf(feed);
  const { uid, own } = CLASSES[className];
  const hasEndpoint = className === 'authentication' || className === 'datastore';
  return present({
    activity_id: activity,
    activity_name: activity === OTHER ? (actionNameOf(event.actionId) ?? (event.actionId || UNKNOWN)) : null,
    category_uid: Math.floor(uid / CATEGORY_WIDTH),
    class_uid: uid,
    type_uid: uid * ACTIVITIES_PER_CLASS + activity,
    severity_id: event.succeeded ? INFORMATIONAL : LOW,
    status_id: event.succeeded ? SUCCESS : FAILURE,
    time: Number(ticksOfRecordId(event.recordId) / TICKS_PER_MS),
    message: actionNameOf(event.actionId),
    metadata: metadataOf(feed, hasEndpoint),
    actor: actorOf(feed),
    ...own(feed),
    ...(hasEndpoint
      ? {}
      : {
          src_endpoint: className === 'applicationLifecycle' ? null : sourceOf(feed),
          device: deviceOf(feed),
        }),
    unmapped: unmappedOf(feed, className),
  });
}

/** A datastore activity needs a database. An event without one becomes an activity on the server. */
function rowOf(feed: FeedEvent): readonly [ClassName, number] {
  const meaning = meaningOf(feed);
  const row = ROWS[meaning];
  if (row[0] !== 'datastore' || feed.event.databaseName !== null) return row;
  return ['entityManagement', meaning === 'read' ? 2 : OTHER];
}

const metadataOf = ({ event, position, receivedAt }: FeedEvent, hasEndpoint: boolean) =>
  present({
    version: OCSF_VERSION,
    product: PRODUCT,
    profiles: hasEndpoint || event.serverInstanceName === null ? null : ['host'],
    uid: event.recordId,
    tenant_uid: event.tenantId,
    event_code: event.actionId,
    original_time: event.eventTime,
    logged_time: receivedAt ? Date.parse(receivedAt) : null,
    sequence: position,
  });

const principalOf = ({ event }: FeedEvent) => event.serverPrincipalName ?? event.databasePrincipalName;
const objectOrTarget = (feed: FeedEvent) => feed.event.objectName ?? targetOf(feed) ?? principalOf(feed);
const authenticated = (feed: FeedEvent) =>
  meaningOf(feed) === 'impersonation' ? (targetOf(feed) ?? feed.event.objectName) : principalOf(feed);

function userOf(principal: string | null) {
  const { name, domain } = accountOf(principal);
  return present({ name: name ?? UNKNOWN, domain });
}

const actorOf = (feed: FeedEvent) =>
  present({
    user: userOf(principalOf(feed)),
    app_name: feed.event.applicationName,
    session: present({ uid: stated(feed, 'sessionId') }),
  });

const sourceOf = ({ event }: FeedEvent) => {
  const [ip, hostname] = [ipOf(event.clientIp), event.hostName];
  // An endpoint needs an address, a host name or a name.
  return present({ ip, hostname, name: ip || hostname ? null : (event.clientIp ?? UNKNOWN) });
};

const endpointsOf = (feed: FeedEvent) => ({
  src_endpoint: sourceOf(feed),
  dst_endpoint: serverOf(feed) ?? { name: UNKNOWN },
});

const deviceOf = (feed: FeedEvent) => {
  const server = serverOf(feed);
  return server === null ? null : { ...server, ...SERVER };
};

/** The machine is the host name, and the instance with its machine the name. */
const serverOf = ({ event: { serverInstanceName } }: FeedEvent) =>
  serverInstanceName === null
    ? null
    : present({ hostname: machineOf(serverInstanceName), name: serverInstanceName });

const pathOf = ({ event }: FeedEvent) =>
  [event.schemaName, event.objectName].filter((name) => name !== null).join('.');

function datastoreOf(feed: FeedEvent) {
  const { databaseName, objectName, statement } = feed.event;
  return {
    ...endpointsOf(feed),
    type_id: 1,
    database: { name: databaseName ?? UNKNOWN, type_id: 1 },
    table: objectName === null ? null : { name: pathOf(feed) },
    query_info: statement === null ? null : { query_string: statement },
  };
}

function entityOf(feed: FeedEvent) {
  const { databaseName, objectName, serverInstanceName } = feed.event;
  const [name, type] = objectName
    ? [pathOf(feed), stated(feed, 'classType')]
    : databaseName
      ? [databaseName, 'Database']
      : [serverInstanceName ?? UNKNOWN, 'Server'];
  return present({ name, type });
}

function privilegesOf(feed: FeedEvent): string[] {
  const named = permissionsOf(feed.event.statement);
  return named.length > 0 ? named : [actionNameOf(feed.event.actionId) ?? feed.event.actionId];
}

/** Fields that already have another place in the OCSF event are left out. */
function unmappedOf(feed: FeedEvent, className: ClassName) {
  const { event } = feed;
  const { databaseName, schemaName, objectName, databasePrincipalName, sourceType, statement } = event;
  const isDatastore = className === 'datastore';
  return present({
    databaseName: isDatastore ? null : databaseName,
    schemaName,
    objectName,
    databasePrincipalName,
    serverPrincipalName: event.serverPrincipalName,
    clientIp: event.clientIp,
    hostName: className === 'applicationLifecycle' ? event.hostName : null,
    sourceType,
    statement: isDatastore ? null : statement,
    additional: additionalOf(feed),
  });
}
