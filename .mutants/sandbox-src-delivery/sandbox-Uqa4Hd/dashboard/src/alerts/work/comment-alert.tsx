import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { CommentAlertDocument } from '../../../generated/operations';
import { FormDialog } from '../../lib/form-dialog';
import { useMutate } from '../../lib/mutate';
import type { WorkDialogProps } from './work-dialog';

/** The dialog that adds a comment to an alert. */
export function CommentAlert({ alert, onClose, onDone }: WorkDialogProps) {
  const mutate = useMutate();
  const [comment, setComment] = useState('');
  const submit = async () => {
    const { commentAlert } = await mutate(CommentAlertDocument, { alertId: alert.alertId, comment });
    if (commentAlert) onDone(commentAlert);
  };
  return (
    <FormDialog
      title={`Comment on ${alert.title}`}
      action="Comment"
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <Textarea
        label="Comment"
        required
        autosize
        minRows={3}
        data-autofocus
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
