import { Badge, Button, Group, Text } from '@mantine/core';
import type { EvidenceStatesQuery } from '../../generated/operations';
import { formatCount } from '../lib/numbers';
import type { Tenant } from './rows';

export type LogState = EvidenceStatesQuery['auditLogs'][number];

interface Props {
  readonly tenant: Tenant;
  /** Undefined: still unknown. */
  readonly log: LogState | undefined;
  readonly onVerify: () => void;
}

/** How far the evidence log of a tenant is, and its problems. */
export function EvidenceState({ tenant, log, onVerify }: Props) {
  if (!log) return <Text size="sm">–</Text>;
  const problem = problemOf(log);
  return (
    <Group gap="xs" wrap="nowrap">
      {problem ? (
        <Badge color="red" variant="light" tt="none" title={problem}>
          {problem}
        </Badge>
      ) : (
        <Text size="sm">{textOf(log)}</Text>
      )}
      <Button size="compact-xs" variant="default" disabled={log.checkpoint === null} onClick={onVerify}>
        Verify<span className="sr-only"> the events of {tenant.name}</span>
      </Button>
    </Group>
  );
}

function problemOf({ problem, refusedEvents }: LogState): string | null {
  if (problem) return problem;
  return refusedEvents > 0
    ? `${formatCount(refusedEvents)} events were changed before they were signed`
    : null;
}

function textOf({ size, waitingEvents, backfilling, checkpoint }: LogState): string {
  if (size === 0 && waitingEvents === 0) return 'no event yet';
  const waiting = waitingEvents > 0 ? `, ${formatCount(waitingEvents)} waiting` : '';
  const signed = checkpoint === null ? 'not signed yet' : 'signed';
  return `${formatCount(size)} entries, ${signed}${waiting}${backfilling ? ', taking in older events' : ''}`;
}
