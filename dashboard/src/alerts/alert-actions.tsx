import { Button, Group } from '@mantine/core';
import type { Alert } from './use-queue';
import type { useAlertWork } from './work/use-alert-work';

interface Props {
  readonly alert: Alert;
  readonly work: ReturnType<typeof useAlertWork>;
}

/** The actions that the state of an alert allows. */
export const AlertActions = ({ alert, work }: Props) => (
  <Group gap="xs" role="group" aria-label="Work on this alert">
    {alert.status !== 'acknowledged' && (
      <Button variant={alert.status === 'new' ? 'filled' : 'default'} onClick={() => work.acknowledge(alert)}>
        {alert.status === 'new' ? 'Acknowledge' : 'Take up again'}
      </Button>
    )}
    {alert.status !== 'resolved' && (
      <Button variant="default" onClick={() => work.resolve(alert)}>
        Resolve
      </Button>
    )}
    {alert.findingCount > 0 && (
      <Button variant="default" onClick={() => work.notAnAttack(alert)}>
        Not an attack
      </Button>
    )}
    <Button variant="default" onClick={() => work.suppress(alert)}>
      Suppress
    </Button>
    <Button variant="default" onClick={() => work.assign(alert)}>
      Assign
    </Button>
    <Button variant="default" onClick={() => work.comment(alert)}>
      Comment
    </Button>
  </Group>
);
