import { Badge, Button, Group, Text } from '@mantine/core';
import type { EvidenceStatesQuery } from '../../generated/operations';
import { useTexts } from '../lib/language';
import type { In } from '../lib/texts';
import type { Tenant } from './rows';
import { OPERATE } from './texts';

export type LogState = EvidenceStatesQuery['auditLogs'][number];

interface Props {
  readonly tenant: Tenant;
  /** Undefined: still unknown. */
  readonly log: LogState | undefined;
  readonly onVerify: () => void;
}

/** How far the evidence log of a tenant is, and its problems. */
export function EvidenceState({ tenant, log, onVerify }: Props) {
  const t = useTexts(OPERATE);
  if (!log) return <Text size="sm">–</Text>;
  const problem = log.problem || (log.refusedEvents > 0 ? t.changedBefore(log.refusedEvents) : null);
  return (
    <Group gap="xs" wrap="nowrap">
      {problem ? (
        <Badge color="red" variant="light" tt="none" title={problem}>
          {problem}
        </Badge>
      ) : (
        <Text size="sm">{textOf(log, t)}</Text>
      )}
      <Button size="compact-xs" variant="default" disabled={log.checkpoint === null} onClick={onVerify}>
        {t.verify}
        <span className="sr-only"> {t.eventsOf(tenant.name)}</span>
      </Button>
    </Group>
  );
}

const textOf = ({ size, waitingEvents, backfilling, checkpoint }: LogState, t: In<typeof OPERATE>): string =>
  size === 0 && waitingEvents === 0
    ? t.noEventYet
    : t.logState(size, checkpoint !== null, waitingEvents, backfilling);
