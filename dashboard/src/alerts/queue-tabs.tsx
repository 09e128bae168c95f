import { Tabs, Text } from '@mantine/core';
import type { AlertStatus } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { type AlertCount, sumOf } from './alert-counts';
import { STATUS_NAMES } from './alert-words';
import { ALERTS } from './texts';

interface Props {
  readonly status: AlertStatus;
  /** Null: not known yet. */
  readonly counts: readonly AlertCount[] | null;
  readonly onChange: (status: AlertStatus) => void;
}

/** The states of alerts, each with how many there are. */
export const QueueTabs = ({ status, counts, onChange }: Props) => {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  return (
    <Tabs
      value={status}
      onChange={(value) => onChange(STATUS_NAMES.find((name) => name === value) ?? 'new')}
      // Otherwise an arrow key would ask the service for each state that it passes.
      activateTabWithKeyboard={false}
    >
      <Tabs.List
        aria-label={common.state}
        style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}
      >
        {STATUS_NAMES.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t[name]}{' '}
            <Text span size="sm" c="dimmed">
              {counts ? formatCount(sumOf(counts, { status: name })) : '…'}
            </Text>
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
};
