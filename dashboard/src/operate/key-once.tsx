import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

export interface ShownKey {
  readonly name: string;
  /** What it is, if it is not a key. */
  readonly what?: 'signing secret';
  readonly key: string;
  /** A further sentence about the key. */
  readonly note?: string;
}

/** Shows a new key for the only time. The key is held only in this dialog and is gone when it closes. */
export function KeyOnce({ made, onClose }: { readonly made: ShownKey; readonly onClose: () => void }) {
  const { copied, copy } = useClipboard({ timeout: 4000 });
  const { what = 'key' } = made;
  return (
    <Modal
      opened
      onClose={onClose}
      title={`The ${what} ${made.name}`}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="orange">
          This is the only time the {what} is shown. Copy it to where it will be used.
        </Alert>
        <Code block data-testid="new-key" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {made.key}
        </Code>
        {made.note && <Text size="sm">{made.note}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => copy(made.key)} data-autofocus>
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <Button onClick={onClose}>I have stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
