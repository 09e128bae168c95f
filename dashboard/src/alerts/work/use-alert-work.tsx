import { useState } from 'react';
import { useClient } from 'urql';
import { AcknowledgeAlertDocument, AlertCountsDocument } from '../../../generated/operations';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { useMutate } from '../../lib/mutate';
import { statusText } from '../alert-words';
import { ALERTS } from '../texts';
import { EVERY_ALERT } from '../use-alert-counts';
import type { Alert } from '../use-queue';
import { AssignAlert } from './assign-alert';
import { CommentAlert } from './comment-alert';
import { NotAnAttack } from './not-an-attack';
import { ResolveAlert } from './resolve-alert';
import { SuppressAlert } from './suppress-alert';

const DIALOGS = {
  resolve: ResolveAlert,
  suppress: SuppressAlert,
  assign: AssignAlert,
  comment: CommentAlert,
  notAnAttack: NotAnAttack,
};
type DialogKind = keyof typeof DIALOGS;

/** The work on an alert: its acts, the open dialog for one of them, and the last act. */
export function useAlertWork(onWorked: (alert: Alert) => void) {
  const t = useTexts(ALERTS);
  const client = useClient();
  const mutate = useMutate();
  const [open, setOpen] = useKept<{ kind: DialogKind; alert: Alert } | null>('work', null);
  const [done, setDone] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const finish = (alert: Alert) => {
    setError(null);
    setDone(t.workedOn(alert.title, statusText(alert, t)));
    onWorked(alert);
    // The number in the menu comes from this question.
    void client.query(AlertCountsDocument, EVERY_ALERT).toPromise();
  };
  const acknowledge = ({ alertId, status }: Alert) => {
    if (status === 'acknowledged') return;
    mutate(AcknowledgeAlertDocument, { alertId }).then(
      (answer) => answer.acknowledgeAlert && finish(answer.acknowledgeAlert),
      setError,
    );
  };
  const opens = (kind: DialogKind) => (alert: Alert) => setOpen({ kind, alert });
  const Dialog = open && DIALOGS[open.kind];
  return {
    acknowledge,
    resolve: opens('resolve'),
    suppress: opens('suppress'),
    assign: opens('assign'),
    comment: opens('comment'),
    notAnAttack: opens('notAnAttack'),
    dialog: open && Dialog && <Dialog alert={open.alert} onClose={() => setOpen(null)} onDone={finish} />,
    done,
    error,
  };
}
