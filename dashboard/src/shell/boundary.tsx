import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Component, type ReactNode, useEffect, useState } from 'react';
import { isOtherVersionThere } from '../api/other-version';
import { useTexts } from '../lib/language';
import { PartMissing } from '../lib/part-files';
import { SHELL } from './texts';

/** Shows what went wrong in place of its content, so that the rest of the page stays. A `key` ends it with its content. */
export class Boundary extends Component<{ readonly children: ReactNode }, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof PartMissing) error.forget();
  }

  override render() {
    const { error } = this.state;
    return error ? (
      <Stopped error={error} retry={() => this.setState({ error: null })} />
    ) : (
      this.props.children
    );
  }
}

const HINTS = { missing: 'ifMissing', mistake: 'ifMistake', newer: 'ifNewer' } as const;

function Stopped({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const t = useTexts(SHELL);
  const [isNewer, setIsNewer] = useState(false);
  useEffect(() => {
    isOtherVersionThere().then(setIsNewer);
  }, []);
  const isMissing = error instanceof PartMissing;
  const title = isMissing ? t.partMissing : t.stopped;
  const hint = isNewer ? 'newer' : isMissing ? 'missing' : 'mistake';
  return (
    <Alert
      color={isNewer ? 'blue' : 'red'}
      title={isNewer ? t.newerVersion : title}
      role="alert"
      variant="light"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t[HINTS[hint]]}</Text>
        {hint === 'mistake' && (
          <Text size="xs" lang="en">
            {error.message}
          </Text>
        )}
        <Group gap="xs">
          <Button variant={isNewer ? 'filled' : 'default'} onClick={() => location.reload()}>
            {t.reload}
          </Button>
          {!isNewer && (
            <Button variant="default" onClick={retry}>
              {t.tryAgain}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
