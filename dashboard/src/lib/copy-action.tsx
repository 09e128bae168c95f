import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy, IconLink } from '@tabler/icons-react';
import type { CommandId } from './commands';
import { COMMON } from './common';
import { useTexts } from './language';
import { useCommands } from './use-commands';

/** A button that copies a text or a link, and confirms it. */
export function CopyAction(props: {
  readonly label: string;
  readonly text: () => string;
  readonly isLink?: boolean;
  /** The command that does the same. */
  readonly command?: CommandId;
}) {
  const common = useTexts(COMMON);
  const { copied, copy } = useClipboard();
  const act = () => copy(props.text());
  useCommands(props.command ? { [props.command]: act } : {});
  const label = copied ? common.copied : props.label;
  const Icon = copied ? IconCheck : props.isLink ? IconLink : IconCopy;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={label} onClick={act}>
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
