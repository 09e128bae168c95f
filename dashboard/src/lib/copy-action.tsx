import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** A button that copies a text, and says that it did. */
export function CopyAction(props: { readonly label: string; readonly text: () => string }) {
  const { copied, copy } = useClipboard();
  const label = copied ? 'Copied' : props.label;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => copy(props.text())}>
        {copied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
