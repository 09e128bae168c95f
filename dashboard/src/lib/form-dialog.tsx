import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { problemsByField } from '../api/errors';
import { Failed } from '../shell/states';

interface Props {
  readonly title: string;
  /** The text of the button, as a verb. */
  readonly action: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Rejects with the service's refusal; the form stays filled in. */
  readonly onSubmit: () => Promise<void>;
  readonly isDangerous?: boolean;
  /** The fields; or a function that makes them of what the service says of each, by the names of its arguments. */
  readonly children: ReactNode | ((problems: Readonly<Record<string, string>>) => ReactNode);
}

/** A dialog with a form of one action. */
export function FormDialog(props: Props) {
  const { title, isOpen, onClose } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <DialogForm {...props} />
    </Modal>
  );
}

function DialogForm({ action, onClose, onSubmit, isDangerous, children }: Props) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    try {
      await onSubmit();
      onClose();
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {typeof children === 'function' ? children(problemsByField(error)) : children}
        {error && <Failed error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} {...(isDangerous ? { color: 'red' } : {})}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
