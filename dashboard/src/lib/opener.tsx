import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './opener.module.css';

/** What opens a row for a keyboard; a click anywhere in the row does the same. */
export const Opener = (props: { readonly onOpen: () => void; readonly children: ReactNode }) => (
  <Anchor
    component="button"
    type="button"
    size="sm"
    className={classes.opener}
    onClick={(event) => {
      event.stopPropagation();
      props.onOpen();
    }}
  >
    {props.children}
  </Anchor>
);
