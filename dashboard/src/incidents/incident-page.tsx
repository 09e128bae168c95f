import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useQuery } from 'urql';
import { Link, useLocation } from 'wouter';
import {
  AcknowledgeIncidentDocument,
  IncidentDocument,
  IncidentHistoryDocument,
  MoveAlertDocument,
} from '../../generated/operations';
import { statusText } from '../alerts/alert-words';
import classes from '../alerts/alerts.module.css';
import { History } from '../alerts/history';
import { Severity } from '../alerts/severity';
import { mayWork } from '../api/rights';
import type { Session } from '../api/session';
import { entityPage } from '../entity/entity-links';
import { ProveButton } from '../evidence/prove-button';
import { showHidden } from '../explore/event/marks';
import { CopyAction } from '../lib/copy-action';
import { useMutate } from '../lib/mutate';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import { Empty, Failed, Loading } from '../shell/states';
import type { Incident } from './incident';
import { IncidentDialog, type IncidentDialogKind } from './incident-dialog';
import { markdownOf } from './incident-markdown';
import { incidentQuestion } from './incident-question';

/** The page of one incident: what happened, who was in it, and the work on it. */
export function IncidentPage({
  incidentId,
  session,
}: {
  readonly incidentId: string;
  readonly session: Session;
}) {
  const [{ data, error, fetching }, ask] = useQuery({ query: IncidentDocument, variables: { incidentId } });
  const [history, askHistory] = useQuery({ query: IncidentHistoryDocument, variables: { incidentId } });
  if (error) return <Failed error={error} retry={ask} />;
  if (!data && fetching) return <Loading what="the incident" />;
  if (!data?.incident)
    return (
      <Empty title="There is no such incident among those this sign-in may read">
        <Anchor component={Link} href="/incidents" size="sm">
          All incidents
        </Anchor>
      </Empty>
    );
  const reload = () => {
    ask();
    askHistory();
  };
  return (
    <Stack gap="md">
      <Head incident={data.incident} session={session} />
      {mayWork(session) && <Work incident={data.incident} onDone={reload} />}
      <Facts incident={data.incident} session={session} />
      <Timeline incident={data.incident} />
      <Alerts incident={data.incident} canWork={mayWork(session)} onDone={reload} />
      <History changes={history.data?.incidentChanges} error={history.error} retry={askHistory} />
    </Stack>
  );
}

const Head = ({ incident, session }: { readonly incident: Incident; readonly session: Session }) => (
  <div>
    <Anchor component={Link} href="/incidents" size="sm">
      ← All incidents
    </Anchor>
    <Group gap="xs" mt={4} wrap="nowrap" align="flex-start">
      <Title order={1} size="h3" style={{ overflowWrap: 'anywhere' }}>
        {showHidden(incident.title)}
      </Title>
      <CopyAction label="Copy as Markdown" text={() => markdownOf(incident)} />
      <ProveButton
        session={session}
        filter={incidentQuestion(incident)}
        tenantId={incident.tenantId}
        reason={`incident ${incident.incidentId}`}
        label="Prove its events"
      />
    </Group>
    <Group gap="xs" mt={4}>
      <Severity severity={incident.severity} />
      <Text size="sm" fw={600} data-testid="incident-state" role="status">
        {statusText(incident)}
      </Text>
      <Text size="sm" c="dimmed">
        {incident.assignee ? `Assigned to ${showHidden(incident.assignee)}` : 'Assigned to nobody'}
      </Text>
    </Group>
  </div>
);

function Work({ incident, onDone }: { readonly incident: Incident; readonly onDone: () => void }) {
  const mutate = useMutate();
  const [dialog, setDialog] = useState<IncidentDialogKind | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const acknowledge = () => {
    mutate(AcknowledgeIncidentDocument, { incidentId: incident.incidentId }).then(onDone, setError);
  };
  return (
    <>
      <Group gap="xs" role="group" aria-label="Work on this incident">
        {incident.status !== 'acknowledged' && (
          <Button variant={incident.status === 'new' ? 'filled' : 'default'} onClick={acknowledge}>
            {incident.status === 'new' ? 'Acknowledge' : 'Take up again'}
          </Button>
        )}
        {incident.status !== 'resolved' && (
          <Button variant="default" onClick={() => setDialog('resolve')}>
            Resolve
          </Button>
        )}
        <Button variant="default" onClick={() => setDialog('assign')}>
          Assign
        </Button>
        <Button variant="default" onClick={() => setDialog('comment')}>
          Comment
        </Button>
      </Group>
      {error && <Failed error={error} />}
      {dialog && (
        <IncidentDialog kind={dialog} incident={incident} onClose={() => setDialog(null)} onDone={onDone} />
      )}
    </>
  );
}

function Facts({ incident, session }: { readonly incident: Incident; readonly session: Session }) {
  const [zone] = useTimeZone();
  const namesOf = (kind: string, part: string) =>
    incident.entities.filter((one) => one.kind === kind && one.part === part).map(({ name }) => name);
  const lists = [
    ['Logins: did it', 'login', namesOf('login', 'did')],
    ['Logins: got it', 'login', namesOf('login', 'got')],
    ['Addresses', 'address', namesOf('address', 'did')],
    ['Hosts', 'host', namesOf('host', 'did')],
  ] as const;
  const sessions = namesOf('session', 'did');
  const facts = [
    ...(sessions.length > 0 ? [['Sessions', sessions.map(showHidden).join(', ')]] : []),
    ['First event', formatTime(incident.firstEventTime, zone, 3)],
    ['Last event', formatTime(incident.lastEventTime, zone, 3)],
    ['Events', formatCount(incident.eventCount)],
    ['Rows read', formatCount(incident.rowsRead)],
    ['Rows changed', formatCount(incident.rowsChanged)],
    ['Tenant', showHidden(nameOf(session.tenants, incident.tenantId))],
    ...incident.unrecorded.map(({ serverInstanceName, from, to }) => [
      `Nothing recorded on ${showHidden(serverInstanceName)}`,
      `${formatTime(from, zone)} – ${to === null ? 'still' : formatTime(to, zone)}`,
    ]),
  ];
  return (
    <section aria-label="About this incident">
      <dl className={classes.facts}>
        {lists
          .filter(([, , names]) => names.length > 0)
          .map(([label, kind, names]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                {names.map((name, place) => (
                  <Fragment key={name}>
                    {place > 0 && ', '}
                    <Anchor component={Link} href={entityPage(kind, name)} inherit underline="always">
                      {showHidden(name)}
                    </Anchor>
                  </Fragment>
                ))}
              </dd>
            </div>
          ))}
        {facts.map(([name, value]) => (
          <div key={`${name} ${value}`}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Timeline({ incident }: { readonly incident: Incident }) {
  const [zone] = useTimeZone();
  return (
    <section aria-labelledby="timeline">
      <Title order={2} size="h5" id="timeline" mb="xs">
        What happened
      </Title>
      <ol className={classes.timeline}>
        {incident.timeline.map((line) => (
          <li key={`${line.alertId} ${line.firstEventTime} ${line.text}`}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {showHidden(line.text)}
              {line.findingCount > 1 && ` (${formatCount(line.findingCount)} times)`}
            </Text>
            <Group gap="xs">
              <Severity severity={line.severity} />
              <Anchor component={Link} href={`/alerts/${line.alertId}`} size="xs">
                {formatTime(line.firstEventTime, zone, 3)}
              </Anchor>
            </Group>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Alerts(props: {
  readonly incident: Incident;
  readonly canWork: boolean;
  readonly onDone: () => void;
}) {
  const { incident, canWork, onDone } = props;
  const mutate = useMutate();
  const [, navigate] = useLocation();
  const [error, setError] = useState<Error | null>(null);
  const takeOut = (alertId: string) => {
    mutate(MoveAlertDocument, { alertId }).then((done) => {
      onDone();
      if (incident.alerts.length === 1 && done.moveAlert) navigate(`/incidents/${done.moveAlert.incidentId}`);
    }, setError);
  };
  return (
    <section aria-labelledby="alerts-of-incident">
      <Title order={2} size="h5" id="alerts-of-incident" mb="xs">
        Its alerts
      </Title>
      {error && <Failed error={error} />}
      <ul className={classes.timeline}>
        {incident.alerts.map((alert) => (
          <li key={alert.alertId}>
            <Group gap="xs">
              <Severity severity={alert.severity} />
              <Anchor component={Link} href={`/alerts/${alert.alertId}`} size="sm">
                {showHidden(alert.title)}
              </Anchor>
              {canWork && incident.alerts.length > 1 && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Take out ${alert.title}`}
                  onClick={() => takeOut(alert.alertId)}
                >
                  Take out
                </Button>
              )}
            </Group>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {statusText({ status: alert.status, verdict: null })}
              {alert.summary && `: ${showHidden(alert.summary)}`}
              {alert.placedBy && ` (placed by ${showHidden(alert.placedBy)})`}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
