import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  AcknowledgeIncidentsDocument,
  type AlertVerdict,
  AssignIncidentsDocument,
  ResolveIncidentsDocument,
} from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import { formatCount } from '../lib/numbers';
import { VerdictChoice } from './verdict-choice';

type Work = 'acknowledge' | 'resolve' | 'assign';
const ACTIONS = { acknowledge: 'Acknowledge', resolve: 'Resolve', assign: 'Assign' } as const;
const DONE = { acknowledge: 'acknowledged', resolve: 'resolved', assign: 'assigned' } as const;

/** The work on the incidents that are chosen in the list: the same for all, with one reason. */
export function BulkWork(props: {
  readonly incidentIds: readonly string[];
  readonly onClear: () => void;
  readonly onDone: (text: string) => void;
}) {
  const { incidentIds, onClear, onDone } = props;
  const [open, setOpen] = useState<Work | null>(null);
  const many = incidentIds.length === 1 ? '1 incident' : `${formatCount(incidentIds.length)} incidents`;
  if (incidentIds.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Work on the chosen incidents">
      <Text size="sm" fw={600}>
        {many} chosen
      </Text>
      {(Object.keys(ACTIONS) as Work[]).map((work) => (
        <Button key={work} size="compact-sm" variant="default" onClick={() => setOpen(work)}>
          {ACTIONS[work]}
        </Button>
      ))}
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        Choose none
      </Button>
      {open && (
        <BulkDialog
          work={open}
          title={`${ACTIONS[open]} ${many}`}
          incidentIds={incidentIds}
          onClose={() => setOpen(null)}
          onDone={() => onDone(`${many}: ${DONE[open]}`)}
        />
      )}
    </Group>
  );
}

function BulkDialog(props: {
  readonly work: Work;
  readonly title: string;
  readonly incidentIds: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { work, title, onClose, onDone } = props;
  const mutate = useMutate();
  const [verdict, setVerdict] = useState<AlertVerdict | ''>('');
  const [assignee, setAssignee] = useState('');
  const [reason, setReason] = useState('');
  const submit = async () => {
    const given = { incidentIds: [...props.incidentIds], comment: reason || null };
    if (work === 'assign') await mutate(AssignIncidentsDocument, { ...given, assignee });
    else if (work === 'acknowledge') await mutate(AcknowledgeIncidentsDocument, given);
    else {
      if (verdict === '') throw new Error('Choose what they turned out to be.');
      await mutate(ResolveIncidentsDocument, { ...given, verdict });
    }
    onDone();
  };
  return (
    <FormDialog title={title} action={ACTIONS[work]} isOpen onClose={onClose} onSubmit={submit}>
      {work === 'resolve' && <VerdictChoice value={verdict} onChange={setVerdict} />}
      {work === 'assign' && (
        <TextInput
          label="Assignee"
          description="Empty: nobody."
          value={assignee}
          onChange={(event) => setAssignee(event.currentTarget.value)}
        />
      )}
      <Textarea
        label="Reason"
        description="It stands in the history of each."
        autosize
        minRows={2}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
