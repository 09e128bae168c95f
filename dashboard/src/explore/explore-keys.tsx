import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKeyboard } from '@tabler/icons-react';
import { KeysHelp } from '../lib/keys-help';
import { useKeys } from '../lib/use-keys';
import { FILTER_ID } from './filter/search-box';

const KEYS = [
  ['/', 'To the filter'],
  ['j', 'Down to the next event'],
  ['k', 'Up to the one before'],
  ['Enter', 'Open it'],
  ['Esc', 'Close it'],
  ['?', 'These keys'],
] as const;

/** The keys of the page that concern no event, and the list of all of them. */
export function ExploreKeys() {
  const [isOpen, { open, close }] = useDisclosure();
  useKeys({ '/': () => document.getElementById(FILTER_ID)?.focus(), '?': open });
  return (
    <>
      <ActionIcon variant="subtle" color="gray" c="inherit" size={28} aria-label="Keys" onClick={open}>
        <IconKeyboard size={18} aria-hidden />
      </ActionIcon>
      <KeysHelp keys={KEYS} isOpen={isOpen} onClose={close} />
    </>
  );
}
