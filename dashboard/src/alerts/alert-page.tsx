import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useCallback } from 'react';
import { useQuery } from 'urql';
import { Link, useLocation } from 'wouter';
import { AlertDocument, AlertHistoryDocument } from '../../generated/operations';
import { hasScope, mayWork } from '../api/rights';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { CopyAction } from '../lib/copy-action';
import { useTexts } from '../lib/language';
import { useCommands } from '../lib/use-commands';
import { Empty, Failed, Loading } from '../shell/states';
import { AlertActions } from './alert-actions';
import { AlertFacts } from './alert-facts';
import { hrefOfAlert } from './alert-href';
import { statusText } from './alert-words';
import { Findings } from './findings';
import { History } from './history';
import { RelatedAlerts } from './related-alerts';
import { RuleNote } from './rule-note';
import { Severity } from './severity';
import { ALERTS } from './texts';
import type { Alert } from './use-queue';
import { useAlertWork } from './work/use-alert-work';

interface Props {
  readonly alertId: string;
  readonly session: Session;
}

/** The page of one alert, with everything that is known about it. */
export function AlertPage({ alertId, session }: Props) {
  const t = useTexts(ALERTS);
  const [{ data, error, fetching }, ask] = useQuery({
    query: AlertDocument,
    variables: { alertId },
  });
  if (error) return <Failed error={error} retry={ask} />;
  if (!data && fetching) return <Loading what={t.theAlert} />;
  if (!data?.alert)
    return (
      <Empty title={t.noSuchAlert}>
        <Anchor component={Link} href="/alerts" size="sm">
          {t.allAlerts}
        </Anchor>
      </Empty>
    );
  return <Known alert={data.alert} session={session} ask={ask} />;
}

function Known(props: { readonly alert: Alert; readonly session: Session; readonly ask: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  const { alert, session, ask } = props;
  const [, navigate] = useLocation();
  const canWork = mayWork(session);
  const [history, askHistory] = useQuery({
    query: AlertHistoryDocument,
    variables: { alertId: alert.alertId },
  });
  const onWorked = useCallback(() => {
    ask();
    askHistory();
  }, [ask, askHistory]);
  const work = useAlertWork(onWorked);
  useCommands({
    ...(canWork
      ? {
          acknowledge: () => work.acknowledge(alert),
          resolve: () => work.resolve(alert),
          suppress: () => work.suppress(alert),
          comment: () => work.comment(alert),
        }
      : {}),
    back: () => navigate('/alerts'),
  });
  return (
    <Stack gap="md">
      <div>
        <Anchor component={Link} href="/alerts" size="sm">
          {t.toAllAlerts}
        </Anchor>
        <Group gap="xs" mt={4} wrap="nowrap" align="flex-start">
          <Title order={1} size="h3" style={{ overflowWrap: 'anywhere' }} lang="en">
            {showHidden(alert.title)}
          </Title>
          <CopyAction label={t.copyLink} text={() => `${location.origin}${hrefOfAlert(alert.alertId)}`} />
        </Group>
        <Group gap="xs" mt={4}>
          <Severity severity={alert.severity} />
          <Text size="sm" fw={600} data-testid="alert-state" role="status">
            {statusText(alert, t)}
          </Text>
          <Text size="sm" c="dimmed">
            {alert.assignee ? common.assignedTo(showHidden(alert.assignee)) : common.assignedToNobody}
          </Text>
        </Group>
      </div>
      {canWork && <AlertActions alert={alert} work={work} />}
      {work.error && <Failed error={work.error} />}
      <AlertFacts alert={alert} session={session} />
      <RelatedAlerts alert={alert} />
      <RuleNote alert={alert} />
      {hasScope(session, 'read:findings') ? (
        <Findings alert={alert} mayRead={hasScope(session, 'read:audit-activity')} />
      ) : (
        <Text size="sm">{t.needsFindings}</Text>
      )}
      <History changes={history.data?.alertChanges} error={history.error} retry={askHistory} />
      {work.dialog}
    </Stack>
  );
}
