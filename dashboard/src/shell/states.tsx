import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { describeError } from '../api/errors';
import { ERRORS } from '../api/texts';
import { useTexts } from '../lib/language';
import classes from './states.module.css';
import { SHELL } from './texts';

/**
 * Bars in place of what is asked for, about as high as that will be, so that nothing jumps when it comes.
 * @param props.rows of a list; 1: one block
 * @param props.height of a row, in pixels; not given: that of a list
 */
export function Loading(props: { readonly what: string; readonly rows?: number; readonly height?: number }) {
  const t = useTexts(SHELL);
  const { what, rows = 12, height = 32 } = props;
  return (
    <div role="status" className={classes.loading}>
      <span className="sr-only">{t.loading(what)}</span>
      {[...Array(rows).keys()].map((row) => (
        <div key={row} style={{ height }} />
      ))}
    </div>
  );
}

/** Says that there is nothing to show, and what the reader can do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" p="xl" role="status">
      <Text fw={600}>{title}</Text>
      {children}
    </Stack>
  );
}

/** Shows what went wrong, what to do, and the request id to quote. */
export function Failed({
  error,
  retry,
}: {
  readonly error: CombinedError | Error;
  readonly retry?: () => void;
}) {
  const t = useTexts(SHELL);
  const { code, text, hint, requestId, isOfService } = describeError(error, useTexts(ERRORS));
  return (
    <Alert
      color="red"
      title={isOfService ? <span lang="en">{text}</span> : text}
      role="alert"
      variant="light"
    >
      <Stack gap="xs" align="flex-start">
        {hint && <Text size="sm">{hint}</Text>}
        {requestId && <Text size="xs">{t.request(requestId)}</Text>}
        {code === 'other_version' ? (
          <Button variant="default" onClick={() => location.reload()}>
            {t.reload}
          </Button>
        ) : (
          retry && (
            <Button variant="default" onClick={retry}>
              {t.tryAgain}
            </Button>
          )
        )}
      </Stack>
    </Alert>
  );
}
