import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy, IconLink } from '@tabler/icons-react';

/** A button that copies a text or a link, and confirms it. */
export function CopyAction(props: {
  readonly label: string;
  readonly text: () => string;
  readonly isLink?: boolean;
}) {
  const { copied, copy } = useClipboard();
  const label = copied ? 'Copied' : props.label;
  const Icon = copied ? IconCheck : props.isLink ? IconLink : IconCopy;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="inherit"
        size={28}
        aria-label={label}
        onClick={() => copy(props.text())}
      >
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
