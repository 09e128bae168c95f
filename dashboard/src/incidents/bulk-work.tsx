import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import {
  AcknowledgeIncidentsDocument,
  type AlertVerdict,
  AssignIncidentsDocument,
  ResolveIncidentsDocument,
} from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { INCIDENTS } from './texts';
import { VerdictChoice } from './verdict-choice';

type Work = 'acknowledge' | 'resolve' | 'assign';
const WORKS: readonly Work[] = ['acknowledge', 'resolve', 'assign'];

/** The work on the incidents that are chosen in the list: the same for all, with one reason. */
export function BulkWork(props: {
  readonly incidentIds: readonly string[];
  readonly onClear: () => void;
  readonly onDone: (text: string) => void;
}) {
  const common = useTexts(COMMON);
  const t = useTexts(INCIDENTS);
  const { incidentIds, onClear, onDone } = props;
  const [open, setOpen] = useKept<Work | null>('work', null);
  const many = incidentIds.length;
  if (incidentIds.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={t.workOnChosen}>
      <Text size="sm" fw={600}>
        {t.chosen(many)}
      </Text>
      {WORKS.map((work) => (
        <Button key={work} variant="default" onClick={() => setOpen(work)}>
          {common[work]}{' '}
        </Button>
      ))}
      <Button variant="subtle" onClick={onClear}>
        {t.chooseNone}
      </Button>
      {open && (
        <BulkDialog
          work={open}
          title={t[`title_${open}`](many)}
          incidentIds={incidentIds}
          onClose={() => setOpen(null)}
          onDone={() => onDone(t[`done_${open}`](many))}
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
  const common = useTexts(COMMON);
  const t = useTexts(INCIDENTS);
  const { work, title, onClose, onDone } = props;
  const mutate = useMutate();
  const [verdict, setVerdict] = useKept<AlertVerdict | ''>('verdict', '');
  const [assignee, setAssignee] = useKept('assignee', '');
  const [reason, setReason] = useKept('reason', '');
  const submit = async () => {
    const given = { incidentIds: [...props.incidentIds], comment: reason || null };
    if (work === 'assign') await mutate(AssignIncidentsDocument, { ...given, assignee });
    else if (work === 'acknowledge') await mutate(AcknowledgeIncidentsDocument, given);
    else {
      if (verdict === '') throw new Error(t.chooseTheirs);
      await mutate(ResolveIncidentsDocument, { ...given, verdict });
    }
    onDone();
  };
  return (
    <FormDialog title={title} action={common[work]} isOpen onClose={onClose} onSubmit={submit}>
      {work === 'resolve' && <VerdictChoice value={verdict} onChange={setVerdict} />}
      {work === 'assign' && (
        <TextInput
          label={common.assignee}
          description={common.emptyNobody}
          value={assignee}
          onChange={(event) => setAssignee(event.currentTarget.value)}
        />
      )}
      <Textarea
        label={common.reason}
        description={t.standsInHistory}
        autosize
        minRows={2}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
