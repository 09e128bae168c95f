import type { MouseEvent, ReactNode } from 'react';
import classes from './opener.module.css';

/** The library's class shows the focus. */
const STYLE = `mantine-focus-auto ${classes.opener}`;

interface Props {
  readonly onOpen: () => void;
  /** The address for a new tab; without it, this is a button. */
  readonly href?: string;
  /** Whether it is open, where it opens below its row. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/**
 * The link or button that opens a row by keyboard. A click anywhere in the row does the same. Every row has one, and
 * the library's own takes several times as long to draw.
 */
export function Opener({ onOpen, href, isOpen, children }: Props) {
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    // The browser opens another tab or window, as with any link.
    if (href && (event.metaKey || event.ctrlKey || event.shiftKey)) return;
    event.preventDefault();
    onOpen();
  };
  return href ? (
    <a className={STYLE} href={href} onClick={open}>
      {children}
    </a>
  ) : (
    <button type="button" className={STYLE} aria-expanded={isOpen} onClick={open}>
      {children}
    </button>
  );
}
