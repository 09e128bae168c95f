import { Alert, Button, Group, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconShieldX } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import { type EventQuery, LogKeyDocument } from '../../../generated/operations';
import { CopyAction } from '../../lib/copy-action';
import { formatCount } from '../../lib/numbers';
import { formatTime, type TimeZone } from '../../lib/time';
import { checkProof, type Verdict } from './proof-check';

type Event = NonNullable<EventQuery['auditEvent']>;
type State = { kind: 'unasked' | 'asking' } | { kind: 'failed'; why: string } | Verdict;

/** Proves that the event is in the evidence log, computed by this page from what it shows. */
export function Proof({ event, zone }: { readonly event: Event; readonly zone: TimeZone }) {
  const client = useClient();
  const [state, setState] = useState<State>({ kind: 'unasked' });
  const { proof, tenantId } = event;
  const verify = async () => {
    setState({ kind: 'asking' });
    const { data, error } = await client.query(LogKeyDocument, { tenantId }).toPromise();
    if (!data)
      return setState({ kind: 'failed', why: error?.message ?? 'The key of the service is not known.' });
    try {
      setState(await checkProof(event, data.auditLog.publicKey));
    } catch {
      setState({
        kind: 'failed',
        why: 'This browser cannot verify it on this page: use the command verify.',
      });
    }
  };
  return (
    <section aria-label="Proof">
      <Title order={3} size="sm" mb={4}>
        Proof
      </Title>
      {!proof && (
        <Text size="sm" c="dimmed">
          Not in a signed log yet, which takes about a minute.
        </Text>
      )}
      {proof && (
        <Group gap="xs">
          {state.kind !== 'proven' && (
            <Button size="xs" variant="default" loading={state.kind === 'asking'} onClick={verify}>
              Verify here
            </Button>
          )}
          <CopyAction label="Copy the proof" text={() => JSON.stringify(proof, null, 2)} />
          <Text size="xs" c="dimmed">
            Entry {formatCount(proof.index)} of the evidence log
          </Text>
        </Group>
      )}
      <div role="status">
        {state.kind === 'proven' && <Proven {...state} zone={zone} />}
        {state.kind === 'refuted' && (
          <Alert color="red" mt="xs" icon={<IconShieldX aria-hidden />} title={state.why}>
            Tell your operator, and keep this page.
          </Alert>
        )}
        {state.kind === 'failed' && (
          <Text size="sm" mt="xs">
            {state.why}
          </Text>
        )}
      </div>
    </section>
  );
}

function Proven(props: Extract<Verdict, { kind: 'proven' }> & { readonly zone: TimeZone }) {
  const { checkpoint, signer, zone } = props;
  return (
    <Group gap="xs" mt="xs" wrap="nowrap" align="flex-start">
      <IconCircleCheck size={20} aria-hidden style={{ flexShrink: 0 }} />
      <div>
        <Text size="sm" fw={600}>
          Verified: this is the event as it was accepted.
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          It leads to checkpoint {checkpoint.number} of {formatTime(checkpoint.time, zone)}, over{' '}
          {formatCount(checkpoint.size)} entries, root {checkpoint.root}, signed by {signer}. Compare that key
          with the one that your operator keeps.
        </Text>
      </div>
    </Group>
  );
}
