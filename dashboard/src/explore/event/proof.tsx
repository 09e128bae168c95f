import { Alert, Button, Group, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconShieldX } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import { type EventQuery, LogKeyDocument } from '../../../generated/operations';
import { describeError } from '../../api/errors';
import { ERRORS } from '../../api/texts';
import { CopyAction } from '../../lib/copy-action';
import { useTexts } from '../../lib/language';
import { formatTime, type TimeZone } from '../../lib/time';
import { checkProof, type Verdict } from './proof-check';
import { EVENT } from './texts';

type Event = NonNullable<EventQuery['auditEvent']>;
type State = { kind: 'unasked' | 'asking' } | { kind: 'failed'; why: string } | Verdict;

/** Proves that the event is in the evidence log, computed by this page from what it shows. */
export function Proof({ event, zone }: { readonly event: Event; readonly zone: TimeZone }) {
  const t = useTexts(EVENT);
  const errors = useTexts(ERRORS);
  const client = useClient();
  const [state, setState] = useState<State>({ kind: 'unasked' });
  const { proof, tenantId } = event;
  const verify = async () => {
    setState({ kind: 'asking' });
    const { data, error } = await client.query(LogKeyDocument, { tenantId }).toPromise();
    if (!data)
      return setState({ kind: 'failed', why: error ? describeError(error, errors).text : t.keyUnknown });
    try {
      setState(await checkProof(event, data.auditLog.publicKey));
    } catch {
      setState({
        kind: 'failed',
        why: t.cannotVerify,
      });
    }
  };
  return (
    <section aria-label={t.proof}>
      <Title order={3} size="sm" mb={4}>
        {t.proof}
      </Title>
      {!proof && (
        <Text size="sm" c="dimmed">
          {t.notYetSigned}
        </Text>
      )}
      {proof && (
        <Group gap="xs">
          {state.kind !== 'proven' && (
            <Button variant="default" loading={state.kind === 'asking'} onClick={verify}>
              {t.verifyHere}
            </Button>
          )}
          <CopyAction label={t.copyProof} text={() => JSON.stringify(proof, null, 2)} />
          <Text size="xs" c="dimmed">
            {t.entry(proof.index)}
          </Text>
        </Group>
      )}
      <div role="status">
        {state.kind === 'proven' && <Proven {...state} zone={zone} />}
        {state.kind === 'refuted' && (
          <Alert color="red" mt="xs" icon={<IconShieldX aria-hidden />} title={t[state.why]}>
            {t.tellOperator}
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
  const t = useTexts(EVENT);
  const { checkpoint, signer, zone } = props;
  return (
    <Group gap="xs" mt="xs" wrap="nowrap" align="flex-start">
      <IconCircleCheck size={20} aria-hidden style={{ flexShrink: 0 }} />
      <div>
        <Text size="sm" fw={600}>
          {t.verified}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t.leadsTo(
            checkpoint.number,
            formatTime(checkpoint.time, zone),
            checkpoint.size,
            checkpoint.root,
            signer,
          )}
        </Text>
      </div>
    </Group>
  );
}
