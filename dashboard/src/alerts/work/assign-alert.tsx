import { TextInput } from '@mantine/core';
import { LIMITS } from '../../../../src/limits';
import { AssignAlertDocument } from '../../../generated/operations';
import { COMMON } from '../../lib/common';
import { FormDialog } from '../../lib/form-dialog';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { useMutate } from '../../lib/mutate';
import { ALERTS } from '../texts';
import type { WorkDialogProps } from './work-dialog';

/** The dialog that assigns an alert. */
export function AssignAlert({ alert, onClose, onDone }: WorkDialogProps) {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  const mutate = useMutate();
  const [assignee, setAssignee] = useKept(`assignee ${alert.alertId}`, alert.assignee ?? '');
  const submit = async () => {
    const variables = { alertId: alert.alertId, assignee: assignee.trim() || null };
    const { assignAlert } = await mutate(AssignAlertDocument, variables);
    if (assignAlert) onDone(assignAlert);
  };
  return (
    <FormDialog
      title={t.assignTitle(alert.title)}
      action={common.assign}
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <TextInput
        label={t.whoWorks}
        description={common.emptyNobody}
        data-autofocus
        maxLength={LIMITS.nameCharsMax}
        value={assignee}
        onChange={(event) => setAssignee(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
