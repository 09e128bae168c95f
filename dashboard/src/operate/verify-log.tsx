import { Alert, Button, Code, Group, List, Modal, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from 'urql';
import { formatCount } from '../lib/numbers';
import { useAnswer } from '../lib/use-answer';
import { Failed } from '../shell/states';
import type { Tenant } from './rows';
import { type LogVerdict, type Outcome, outcomeOf, verifyLog } from './verify-steps';

/** Verifies all events of a tenant, one stretch after the other. It stops if the dialog is closed. */
export function VerifyLog({ tenant, onClose }: { readonly tenant: Tenant; readonly onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Evidence of ${tenant.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Verification tenant={tenant} onClose={onClose} />
    </Modal>
  );
}

function Verification({ tenant, onClose }: { readonly tenant: Tenant; readonly onClose: () => void }) {
  const client = useClient();
  const [progress, setProgress] = useState<LogVerdict | null>(null);
  const { answer, error } = useAnswer(tenant.tenantId, (tenantId, signal) =>
    verifyLog(client, tenantId, signal, setProgress),
  );
  if (error) return <Failed error={error} />;
  const verdict = answer ?? progress;
  return (
    <Stack>
      {answer ? (
        <Verdict verdict={answer} />
      ) : (
        <>
          <Text size="sm" role="status">
            {verdict
              ? `${formatCount(verdict.next)} of ${formatCount(verdict.signed)} entries verified …`
              : 'Verifying …'}
          </Text>
          <Progress
            value={verdict && verdict.signed > 0 ? (100 * verdict.next) / verdict.signed : 0}
            aria-label="Progress of the verification"
          />
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {answer ? 'Close' : 'Cancel'}
        </Button>
      </Group>
    </Stack>
  );
}

const TITLES: Readonly<Record<Outcome, string>> = {
  sound: 'All events are as they were accepted',
  changed: 'Not all events are as they were accepted',
  'in doubt': 'The evidence log is not in order',
  'not signed': 'No event is signed yet: verify again in a minute',
  nothing: 'There is nothing to verify: no event was accepted',
};
const COLORS: Readonly<Record<Outcome, string>> = {
  sound: 'green',
  changed: 'red',
  'in doubt': 'red',
  'not signed': 'yellow',
  nothing: 'gray',
};

function Verdict({ verdict }: { readonly verdict: LogVerdict }) {
  const { sound, signed, unsigned, removed, wrong, records, problems } = verdict;
  const outcome = outcomeOf(verdict);
  return (
    <Alert color={COLORS[outcome]} variant="light" title={TITLES[outcome]}>
      {signed > 0 && (
        <Text size="sm">
          {formatCount(sound)} events are as the log has them
          {removed > 0 && `; retention removed ${formatCount(removed)}`}
          {wrong > 0 && `; ${formatCount(wrong)} are altered or missing`}.
        </Text>
      )}
      {unsigned > 0 && (
        <Text size="sm">{formatCount(unsigned)} events are not signed yet: there is no verdict on them.</Text>
      )}
      {problems.map((problem) => (
        <Text size="sm" key={problem}>
          {problem}
        </Text>
      ))}
      {records.length > 0 && (
        <List size="sm" mt="xs">
          {records.map(({ recordId, kind }) => (
            <List.Item key={recordId}>
              {kind}: <Code>{recordId}</Code>
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm" mt="xs">
        To find events that were never accepted, and to trust no page of the service, run{' '}
        <Code>audit-activity verify</Code>.
      </Text>
    </Alert>
  );
}
