import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { COMMON } from '../lib/common';
import { Dialog } from '../lib/dialog';
import { useTexts } from '../lib/language';
import { OPERATE } from './texts';

export interface ShownKey {
  readonly name: string;
  /** Whether it is not a key, but the secret of a destination's signatures. */ readonly isSecret?: true;
  readonly key: string;
  /** A further sentence about the key. */
  readonly note?: string;
}

/** Shows a new key for the only time. The key is held only in this dialog and is gone when it closes. */
export function KeyOnce({ made, onClose }: { readonly made: ShownKey; readonly onClose: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const { copied, copy } = useClipboard({ timeout: 4000 });

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={(made.isSecret ? t.theSecret : t.theKey)(made.name)}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="orange">{made.isSecret ? t.secretOnce : t.keyOnce}</Alert>
        <Code block data-testid="new-key" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {made.key}
        </Code>
        {made.note && <Text size="sm">{made.note}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => copy(made.key)} data-autofocus>
            {copied ? common.copied : common.copy}
          </Button>
          <Button onClick={onClose}>{t.haveStored}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
