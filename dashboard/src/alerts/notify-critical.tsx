import { Switch, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { useLocation } from 'wouter';
import { AlertsDocument } from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { groupText } from './group-text';
import { ALERTS } from './texts';

const KEY = 'notify-critical';
/** The newest critical alerts that are looked at when there are more than before. */
const LOOKED_AT = 10;

const isAllowed = () => 'Notification' in window && Notification.permission === 'granted';

/** Whether this browser shows critical alerts as notifications: the person switched it on, and the browser allows it. */
export function useNotifying(): boolean {
  const [isOn] = useLocalStorage({ key: KEY, defaultValue: false, getInitialValueInEffect: false });
  return isOn && isAllowed();
}

/** Shows each new critical alert once, as a notification of the browser that leads to it. */
export function useCriticalNotices(critical: number | null, isNotifying: boolean): void {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const client = useClient();
  const [, navigate] = useLocation();
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!isNotifying || critical === null) return;
    const variables = {
      status: 'new',
      severity: 'critical',
      sortBy: 'createdAt',
      sortDirection: 'desc',
      pageSize: LOOKED_AT,
    };
    client
      .query(AlertsDocument, variables)
      .toPromise()
      .then(({ data }) => {
        if (!data) return;
        const before = known.current;
        known.current = new Set([...(before ?? []), ...data.alerts.items.map(({ alertId }) => alertId)]);
        // Those that were there when the page was opened are no news.
        if (!before) return;
        for (const { alertId, title, summary, group } of data.alerts.items) {
          if (before.has(alertId)) continue;
          const shown = new Notification(showHidden(title), {
            body: showHidden(summary || groupText(group, labels, common.notCaptured)),
            tag: alertId,
          });
          shown.onclick = () => {
            window.focus();
            navigate(`/alerts/${alertId}`);
          };
        }
      });
  }, [critical, isNotifying, client, navigate, labels, common]);
}

/** The switch by which a person wants critical alerts as notifications of this browser. */
export function NotifySwitch() {
  const t = useTexts(ALERTS);
  const [isOn, setIsOn] = useLocalStorage({ key: KEY, defaultValue: false, getInitialValueInEffect: false });
  const [isRefused, setIsRefused] = useState(false);
  if (!('Notification' in window)) return null;
  const change = async (wanted: boolean) => {
    if (!wanted) return setIsOn(false);
    const isGranted = (await Notification.requestPermission()) === 'granted';
    setIsRefused(!isGranted);
    setIsOn(isGranted);
  };
  return (
    <>
      <Switch
        label={t.notify}
        checked={isOn && isAllowed()}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      {isRefused && (
        <Text size="xs" role="status">
          {t.notAllowed}
        </Text>
      )}
    </>
  );
}
