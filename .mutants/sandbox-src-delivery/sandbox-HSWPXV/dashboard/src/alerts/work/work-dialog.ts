import type { Alert } from '../use-queue';

/** A dialog for one act on an alert. */
export interface WorkDialogProps {
  readonly alert: Alert;
  readonly onClose: () => void;
  readonly onDone: (alert: Alert) => void;
}
