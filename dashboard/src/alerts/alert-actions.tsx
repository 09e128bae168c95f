import { Button, Group } from '@mantine/core';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { ALERTS } from './texts';
import type { Alert } from './use-queue';
import type { useAlertWork } from './work/use-alert-work';

interface Props {
  readonly alert: Alert;
  readonly work: ReturnType<typeof useAlertWork>;
}

/** The actions that the state of an alert allows. */
export const AlertActions = ({ alert, work }: Props) => {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  return (
    <Group gap="xs" role="group" aria-label={t.workOnAlert}>
      {alert.status !== 'acknowledged' && (
        <Button
          variant={alert.status === 'new' ? 'filled' : 'default'}
          onClick={() => work.acknowledge(alert)}
        >
          {alert.status === 'new' ? common.acknowledge : common.takeUpAgain}
        </Button>
      )}
      {alert.status !== 'resolved' && (
        <Button variant="default" onClick={() => work.resolve(alert)}>
          {common.resolve}
        </Button>
      )}
      {alert.findingCount > 0 && (
        <Button variant="default" onClick={() => work.notAnAttack(alert)}>
          {t.notAnAttack}
        </Button>
      )}
      <Button variant="default" onClick={() => work.suppress(alert)}>
        {t.suppress}
      </Button>
      <Button variant="default" onClick={() => work.assign(alert)}>
        {common.assign}
      </Button>
      <Button variant="default" onClick={() => work.comment(alert)}>
        {common.comment}
      </Button>
    </Group>
  );
};
