import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { COMMON } from './common';
import { useTexts } from './language';

interface Props extends Omit<ModalProps, 'opened'> {
  readonly isOpen: boolean;
}

/** A dialog over the page. Until it opens for the first time, it costs the page nothing. */
export function Dialog({ isOpen, ...props }: Props) {
  const common = useTexts(COMMON);
  const [isThere, setIsThere] = useState(false);
  // It is closed at first: a modal gives the focus back only to what had it while the modal was closed.
  useEffect(() => setIsThere((before) => before || isOpen), [isOpen]);
  if (!isThere) return null;
  return <Modal closeButtonProps={{ 'aria-label': common.close }} {...props} opened={isOpen} />;
}
