import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { LIMITS } from '../../../../src/limits';
import { AssignAlertDocument } from '../../../generated/operations';
import { FormDialog } from '../../lib/form-dialog';
import { useMutate } from '../../lib/mutate';
import type { WorkDialogProps } from './work-dialog';

/** The dialog that assigns an alert. */
export function AssignAlert({ alert, onClose, onDone }: WorkDialogProps) {
  const mutate = useMutate();
  const [assignee, setAssignee] = useState(alert.assignee ?? '');
  const submit = async () => {
    const variables = { alertId: alert.alertId, assignee: assignee.trim() || null };
    const { assignAlert } = await mutate(AssignAlertDocument, variables);
    if (assignAlert) onDone(assignAlert);
  };
  return (
    <FormDialog title={`Assign ${alert.title}`} action="Assign" isOpen onClose={onClose} onSubmit={submit}>
      <TextInput
        label="Who works on it"
        description="Empty: nobody."
        data-autofocus
        maxLength={LIMITS.nameCharsMax}
        value={assignee}
        onChange={(event) => setAssignee(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
