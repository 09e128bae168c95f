import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { problemsByField } from '../api/errors';
import { Failed } from '../shell/states';
import { COMMON } from './common';
import { Dialog } from './dialog';
import { useTexts } from './language';

interface Props {
  readonly title: string;
  /** The text of the button, as a verb. */
  readonly action: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Rejects with the service's refusal; the form stays filled in. */
  readonly onSubmit: () => Promise<void>;
  readonly isDangerous?: boolean;
  /** A second button, which does not close the dialog: it resolves with what came of it, in words. */
  readonly trial?: { readonly action: string; readonly run: () => Promise<string> };
  /** Whether the dialog has room for long fields. */
  readonly isWide?: boolean;
  /** The fields; or a function that makes them of what the service says of each, by the names of its arguments. */
  readonly children: ReactNode | ((problems: Readonly<Record<string, string>>) => ReactNode);
}

/** A dialog with a form of one action. */
export function FormDialog(props: Props) {
  const { title, isOpen, onClose, isWide = false } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} size={isWide ? 'lg' : 'md'}>
      <DialogForm {...props} />
    </Dialog>
  );
}

function DialogForm({ action, onClose, onSubmit, isDangerous, trial, children }: Props) {
  const common = useTexts(COMMON);
  const [busy, setBusy] = useState<'submit' | 'trial' | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const attempt = async (what: 'submit' | 'trial', work: () => Promise<void>) => {
    setBusy(what);
    setSaid(null);
    try {
      await work();
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(null);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt('submit', async () => {
      await onSubmit();
      onClose();
    });
  };
  const tryOut = ({ run }: NonNullable<Props['trial']>) =>
    attempt('trial', async () => {
      setSaid(await run());
      setError(null);
    });
  return (
    <form onSubmit={submit}>
      <Stack>
        {typeof children === 'function' ? children(problemsByField(error)) : children}
        {error && <Failed error={error} />}
        {trial && (
          <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
            {said}
          </Text>
        )}
        <Group justify="flex-end">
          {trial && (
            <Button
              variant="default"
              loading={busy === 'trial'}
              disabled={busy === 'submit'}
              onClick={() => tryOut(trial)}
            >
              {trial.action}
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button
            type="submit"
            loading={busy === 'submit'}
            disabled={busy === 'trial'}
            {...(isDangerous ? { color: 'red' } : {})}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
