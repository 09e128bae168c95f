import { Textarea } from '@mantine/core';
import { CommentAlertDocument } from '../../../generated/operations';
import { COMMON } from '../../lib/common';
import { FormDialog } from '../../lib/form-dialog';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { useMutate } from '../../lib/mutate';
import { ALERTS } from '../texts';
import type { WorkDialogProps } from './work-dialog';

/** The dialog that adds a comment to an alert. */
export function CommentAlert({ alert, onClose, onDone }: WorkDialogProps) {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  const mutate = useMutate();
  const [comment, setComment] = useKept(`comment ${alert.alertId}`, '');
  const submit = async () => {
    const { commentAlert } = await mutate(CommentAlertDocument, { alertId: alert.alertId, comment });
    if (commentAlert) onDone(commentAlert);
  };
  return (
    <FormDialog
      title={t.commentTitle(alert.title)}
      action={common.comment}
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <Textarea
        label={t.comment}
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
