import { Textarea, TextInput } from '@mantine/core';
import {
  type AlertVerdict,
  AssignIncidentDocument,
  CommentIncidentDocument,
  ResolveIncidentDocument,
} from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import type { Incident } from './incident';
import { INCIDENTS } from './texts';
import { VerdictChoice } from './verdict-choice';

export type IncidentDialogKind = 'resolve' | 'assign' | 'comment';

/** The dialog of an action on an incident. What is done to it is done to its alerts. */
export function IncidentDialog(props: {
  readonly kind: IncidentDialogKind;
  readonly incident: Incident;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const common = useTexts(COMMON);
  const t = useTexts(INCIDENTS);
  const { kind, incident, onClose, onDone } = props;
  const { incidentId } = incident;
  const mutate = useMutate();
  const [verdict, setVerdict] = useKept<AlertVerdict | ''>('verdict', '');
  const [text, setText] = useKept('text', kind === 'assign' ? (incident.assignee ?? '') : '');
  const submit = async () => {
    if (kind === 'assign') await mutate(AssignIncidentDocument, { incidentId, assignee: text });
    else if (kind === 'comment') await mutate(CommentIncidentDocument, { incidentId, comment: text });
    else {
      if (verdict === '') throw new Error(common.chooseVerdict);
      await mutate(ResolveIncidentDocument, { incidentId, verdict, comment: text || null });
    }
    onDone();
  };
  return (
    <FormDialog
      title={`${common[kind]}: ${incident.title}`}
      action={common[kind]}
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      {kind === 'resolve' && <VerdictChoice value={verdict} onChange={setVerdict} />}
      {kind === 'assign' ? (
        <TextInput
          label={common.assignee}
          description={common.emptyNobody}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        <Textarea
          label={t.comment}
          required={kind === 'comment'}
          autosize
          minRows={2}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  );
}
