import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Component, type ReactNode, useEffect, useState } from 'react';
import { isOtherVersionThere } from '../api/other-version';
import { PartMissing } from '../lib/part-files';

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

const HINTS = {
  missing: 'Check that the service is running and that the network works, then try again.',
  mistake: 'Reload the page. If it happens again, tell the operator these words:',
  newer: 'Reload the page to use it. The view stays as it is in the address.',
} as const;

function Stopped({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const [isNewer, setIsNewer] = useState(false);
  useEffect(() => {
    isOtherVersionThere().then(setIsNewer);
  }, []);
  const isMissing = error instanceof PartMissing;
  const title = isMissing ? error.message : 'This part of the page has stopped.';
  const hint = isNewer ? 'newer' : isMissing ? 'missing' : 'mistake';
  return (
    <Alert
      color={isNewer ? 'blue' : 'red'}
      title={isNewer ? 'A newer version of this page is there.' : title}
      role="alert"
      variant="light"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{HINTS[hint]}</Text>
        {hint === 'mistake' && <Text size="xs">{error.message}</Text>}
        <Group gap="xs">
          <Button size="xs" variant={isNewer ? 'filled' : 'default'} onClick={() => location.reload()}>
            Reload
          </Button>
          {!isNewer && (
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
