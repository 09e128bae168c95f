import { Alert, Button, Center, Loader, Stack, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import type { CombinedError } from 'urql';
import { describeError } from '../api/errors';
import { ERRORS } from '../api/texts';
import { useTexts } from '../lib/language';
import { SHELL } from './texts';

/** The time until a spinner appears: before that, text is enough, since drawing a spinner would delay the data. */
const LOADER_AFTER_MS = 800;

/** A placeholder until the data arrives. */
export function Loading({ what }: { readonly what: string }) {
  const t = useTexts(SHELL);
  const [isLong, setIsLong] = useState(false);
  const { start } = useTimeout(() => setIsLong(true), LOADER_AFTER_MS);
  useEffect(start, [start]);
  return (
    <Center p="xl" role="status">
      {isLong && <Loader size="sm" mr="sm" aria-hidden />}
      <Text c="dimmed">{t.loading(what)}</Text>
    </Center>
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
          <Button size="xs" variant="default" onClick={() => location.reload()}>
            {t.reload}
          </Button>
        ) : (
          retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {t.tryAgain}
            </Button>
          )
        )}
      </Stack>
    </Alert>
  );
}
