import { Button, Group, Stack, Text } from '@mantine/core';
import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { mayWork } from '../api/rights';
import type { Session } from '../api/session';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { actOf } from '../lib/use-commands';
import { useListKeys } from '../lib/use-list-keys';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { sumOf } from './alert-counts';
import classes from './alerts.module.css';
import { NotifySwitch } from './notify-critical';
import { QueueFilters } from './queue-filters';
import { isFiltered, NO_FILTERS } from './queue-state';
import { QueueTable } from './queue-table';
import { QueueTabs } from './queue-tabs';
import { ALERTS } from './texts';
import { useAlertCounts } from './use-alert-counts';
import { type Alert, useQueue } from './use-queue';
import { useQueueState } from './use-queue-state';
import { useAlertWork } from './work/use-alert-work';

const NO_ACTS = {};

/** The queue of alerts, by their state. */
export function Queue({ session }: { readonly session: Session }) {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  const [state, change] = useQueueState();
  const [, navigate] = useLocation();
  const { items, totalCount, error, isBusy, refresh, put } = useQueue(state);
  const { principalName, serverInstanceName } = state;
  const { counts, ask: askCounts } = useAlertCounts({ principalName, serverInstanceName });
  const canWork = mayWork(session);
  const onWorked = useCallback(
    (alert: Alert) => {
      put(alert);
      askCounts();
    },
    [put, askCounts],
  );
  const work = useAlertWork(onWorked);
  const open = (alert: Alert) => navigate(`/alerts/${alert.alertId}`);
  const onAlert = (act: (alert: Alert) => void) => (id: string) => {
    const alert = items?.find(({ alertId }) => alertId === id);
    if (alert) act(alert);
  };
  const { acknowledge, resolve, suppress } = work;
  const acts = canWork
    ? { acknowledge: onAlert(acknowledge), resolve: onAlert(resolve), suppress: onAlert(suppress) }
    : NO_ACTS;
  const ids = items?.map(({ alertId }) => alertId) ?? [];
  const cursor = useListKeys(ids, 'data-alert', acts);
  const reload = () => {
    refresh();
    askCounts();
  };
  const came = counts && items ? cameSince({ counts, state, items, totalCount }) : 0;
  return (
    <Stack gap="sm" className={classes.queue}>
      <PageHead title={t.alerts}>
        <NotifySwitch />
        <Button variant="default" onClick={() => actOf('help')?.()}>
          {t.keys}
        </Button>
        <Button variant="default" onClick={reload} loading={isBusy && items !== null}>
          {common.refresh}
        </Button>
      </PageHead>
      <QueueTabs
        status={state.status}
        counts={counts}
        onChange={(status) => change({ ...NO_FILTERS, status })}
      />
      <QueueFilters state={state} counts={counts} change={change} />
      <Group gap="xs" mih={28}>
        <Text size="sm" fw={600} role="status">
          {items ? t.alertCount(totalCount) : !error && common.counting}
        </Text>
        {came !== 0 && (
          <Button variant="light" onClick={reload}>
            {came > 0 ? t.moreShow(came) : t.changedShow}
          </Button>
        )}
        <Text size="sm" role="status" aria-live="polite">
          {work.done}
        </Text>
      </Group>
      {(error ?? work.error) && <Failed error={error ?? work.error ?? new Error()} retry={reload} />}
      {!items && !error && <Loading what={t.theAlerts} />}
      {items?.length === 0 && (
        <Empty title={t.noAlertIs(t[state.status], isFiltered(state))}>
          {isFiltered(state) ? (
            <Button variant="default" onClick={() => change(NO_FILTERS)}>
              {t.removeTheFilters}
            </Button>
          ) : (
            <Text size="sm">{t.appearHere}</Text>
          )}
        </Empty>
      )}
      {items && items.length > 0 && (
        <QueueTable
          items={items}
          totalCount={totalCount}
          page={state.page}
          tenants={session.tenants}
          cursor={cursor}
          onOpen={open}
          onPage={(page) => change({ page })}
        />
      )}
      {work.dialog}
    </Stack>
  );
}

/** How many alerts joined the shown list since it was loaded; below 0: some left it. */
function cameSince({
  counts,
  state,
  items,
  totalCount,
}: {
  readonly counts: Parameters<typeof sumOf>[0];
  readonly state: ReturnType<typeof useQueueState>[0];
  readonly items: readonly Alert[];
  readonly totalCount: number;
}): number {
  const { status, severity, ruleId } = state;
  const workedOn = items.filter((item) => item.status !== status).length;
  return sumOf(counts, { status, severity, ruleId }) - (totalCount - workedOn);
}
