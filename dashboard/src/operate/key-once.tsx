import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

export interface ShownKey {
  readonly name: string;
  readonly key: string;
  /** What else to know, as a sentence. */
  readonly note?: string;
}

/** A new key, for the one time it can be seen: held in this dialog alone, and gone with it. */
export function KeyOnce({ made, onClose }: { readonly made: ShownKey; readonly onClose: () => void }) {
  const { copied, copy } = useClipboard({ timeout: 4000 });
  return (
    <Modal
      opened
      onClose={onClose}
      title={`The key ${made.name}`}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="orange">
          This is the only time the key is shown. Copy it to where it will be used.
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
