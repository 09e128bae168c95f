import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useQuery } from 'urql';
import { Link, useLocation } from 'wouter';
import {
  AcknowledgeIncidentDocument,
  IncidentDocument,
  IncidentEventsDocument,
  IncidentHistoryDocument,
  MoveAlertDocument,
} from '../../generated/operations';
import { statusText } from '../alerts/alert-words';
import classes from '../alerts/alerts.module.css';
import { History } from '../alerts/history';
import { Severity } from '../alerts/severity';
import { ALERTS } from '../alerts/texts';
import { hasScope, mayWork } from '../api/rights';
import type { Session } from '../api/session';
import { entityPage } from '../entity/entity-links';
import { ProveButton } from '../evidence/prove-button';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { CopyAction } from '../lib/copy-action';
import factClasses from '../lib/facts.module.css';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import { Empty, Failed, Loading } from '../shell/states';
import type { Incident, PlacedEvent } from './incident';
import { IncidentDialog, type IncidentDialogKind } from './incident-dialog';
import { markdownOf } from './incident-markdown';
import { incidentQuestion } from './incident-question';
import { IncidentReport } from './incident-report';
import { Timeline } from './incident-timeline';
import { INCIDENTS } from './texts';

const NONE: readonly PlacedEvent[] = [];
/** An attacker may have had hundreds. */
const SESSIONS_MAX = 6;

/** The page of one incident: what happened, who was in it, and the work on it. */
export function IncidentPage({
  incidentId,
  session,
}: {
  readonly incidentId: string;
  readonly session: Session;
}) {
  const t = useTexts(INCIDENTS);
  const [{ data, error, fetching }, ask] = useQuery({ query: IncidentDocument, variables: { incidentId } });
  const [history, askHistory] = useQuery({ query: IncidentHistoryDocument, variables: { incidentId } });
  const [events, askEvents] = useQuery({
    query: IncidentEventsDocument,
    variables: { incidentId },
    pause: !hasScope(session, 'read:audit-activity'),
  });
  const placed = events.data?.incidentEvents ?? NONE;
  if (error) return <Failed error={error} retry={ask} />;
  if (!data && fetching) return <Loading what={t.theIncident} />;
  if (!data?.incident)
    return (
      <Empty title={t.noSuchIncident}>
        <Anchor component={Link} href="/incidents" size="sm">
          {t.allIncidents}
        </Anchor>
      </Empty>
    );
  const reload = () => {
    ask();
    askHistory();
    askEvents();
  };
  return (
    <Stack gap="md">
      <Head incident={data.incident} placed={placed} session={session} />
      {mayWork(session) && <Work incident={data.incident} onDone={reload} />}
      <Facts incident={data.incident} session={session} />
      {events.error && <Failed error={events.error} retry={askEvents} />}
      <Timeline incident={data.incident} placed={placed} canWork={mayWork(session)} onDone={reload} />
      <Alerts incident={data.incident} canWork={mayWork(session)} onDone={reload} />
      <History changes={history.data?.incidentChanges} error={history.error} retry={askHistory} />
    </Stack>
  );
}

interface HeadProps {
  readonly incident: Incident;
  readonly placed: readonly PlacedEvent[];
  readonly session: Session;
}

const Head = ({ incident, placed, session }: HeadProps) => {
  const words = useTexts(ALERTS);
  const common = useTexts(COMMON);
  const t = useTexts(INCIDENTS);
  return (
    <div>
      <Anchor component={Link} href="/incidents" size="sm">
        {t.toAllIncidents}
      </Anchor>
      <Group gap="xs" mt={4} align="flex-start">
        <Title order={1} size="h3" style={{ overflowWrap: 'anywhere' }} lang="en">
          {showHidden(incident.title)}
        </Title>
        <CopyAction label={t.copyMarkdown} text={() => markdownOf(incident, placed)} />
        <ProveButton
          session={session}
          filter={incidentQuestion(incident)}
          tenantId={incident.tenantId}
          reason={`incident ${incident.incidentId}`}
          label={common.proveItsEvents}
        />
        {hasScope(session, 'read:reports') && <IncidentReport incident={incident} session={session} />}
      </Group>
      <Group gap="xs" mt={4}>
        <Severity severity={incident.severity} />
        <Text size="sm" fw={600} data-testid="incident-state" role="status">
          {statusText(incident, words)}
        </Text>
        <Text size="sm" c="dimmed">
          {incident.assignee ? common.assignedTo(showHidden(incident.assignee)) : common.assignedToNobody}
        </Text>
      </Group>
    </div>
  );
};

function Work({ incident, onDone }: { readonly incident: Incident; readonly onDone: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(INCIDENTS);
  const mutate = useMutate();
  const [dialog, setDialog] = useKept<IncidentDialogKind | null>('dialog', null);
  const [error, setError] = useState<Error | null>(null);
  const acknowledge = () => {
    mutate(AcknowledgeIncidentDocument, { incidentId: incident.incidentId }).then(onDone, setError);
  };
  return (
    <>
      <Group gap="xs" role="group" aria-label={t.workOnIncident}>
        {incident.status !== 'acknowledged' && (
          <Button variant={incident.status === 'new' ? 'filled' : 'default'} onClick={acknowledge}>
            {incident.status === 'new' ? common.acknowledge : common.takeUpAgain}
          </Button>
        )}
        {incident.status !== 'resolved' && (
          <Button variant="default" onClick={() => setDialog('resolve')}>
            {common.resolve}
          </Button>
        )}
        <Button variant="default" onClick={() => setDialog('assign')}>
          {common.assign}
        </Button>
        <Button variant="default" onClick={() => setDialog('comment')}>
          {common.comment}
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
  const common = useTexts(COMMON);
  const t = useTexts(INCIDENTS);
  const [zone] = useTimeZone();
  const namesOf = (kind: string, part: string) =>
    incident.entities.filter((one) => one.kind === kind && one.part === part).map(({ name }) => name);
  const lists = [
    [t.loginsDid, 'login', namesOf('login', 'did')],
    [t.loginsGot, 'login', namesOf('login', 'got')],
    [t.addresses, 'address', namesOf('address', 'did')],
    [t.hosts, 'host', namesOf('host', 'did')],
  ] as const;
  const sessions = namesOf('session', 'did');
  const facts = [
    ...(sessions.length > 0
      ? [
          [
            t.sessions,
            common.names(
              sessions.slice(0, SESSIONS_MAX).map(showHidden).join(', '),
              Math.max(0, sessions.length - SESSIONS_MAX),
            ),
          ],
        ]
      : []),
    [common.firstEvent, formatTime(incident.firstEventTime, zone, 3)],
    [common.lastEvent, formatTime(incident.lastEventTime, zone, 3)],
    [common.events, formatCount(incident.eventCount)],
    [t.rowsRead, formatCount(incident.rowsRead)],
    [t.rowsChanged, formatCount(incident.rowsChanged)],
    [common.tenant, showHidden(nameOf(session.tenants, incident.tenantId))],
    ...incident.unrecorded.map(({ serverInstanceName, from, to }) => [
      t.nothingRecorded(showHidden(serverInstanceName)),
      `${formatTime(from, zone)} – ${to === null ? t.still : formatTime(to, zone)}`,
    ]),
  ];
  return (
    <section aria-label={t.aboutIncident}>
      <dl className={factClasses.facts}>
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

function Alerts(props: {
  readonly incident: Incident;
  readonly canWork: boolean;
  readonly onDone: () => void;
}) {
  const words = useTexts(ALERTS);
  const t = useTexts(INCIDENTS);
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
        {t.itsAlerts}
      </Title>
      {error && <Failed error={error} />}
      <ul className={classes.timeline}>
        {incident.alerts.map((alert) => (
          <li key={alert.alertId}>
            <Group gap="xs">
              <Severity severity={alert.severity} />
              <Anchor component={Link} href={`/alerts/${alert.alertId}`} size="sm" lang="en">
                {showHidden(alert.title)}
              </Anchor>
              {canWork && incident.alerts.length > 1 && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t.takeOutOf(alert.title)}
                  onClick={() => takeOut(alert.alertId)}
                >
                  {t.takeOut}
                </Button>
              )}
            </Group>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {words[alert.status]}
              {alert.summary && <span lang="en">: {showHidden(alert.summary)}</span>}
              {alert.placedBy && ` (${t.placedBy(showHidden(alert.placedBy))})`}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
