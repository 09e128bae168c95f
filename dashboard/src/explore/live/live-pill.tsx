import { Button } from '@mantine/core';
import { useTexts } from '../../lib/language';
import classes from '../explore.module.css';
import { EXPLORE } from '../texts';
import type { Live } from './use-live';

/** The number of events that wait while the reader is at work in the rows, and the way to them. */
export function LivePill({ live: { waiting, show } }: { readonly live: Live }) {
  const t = useTexts(EXPLORE);
  if (waiting === 0) return null;
  return (
    <div className={classes.pill}>
      <Button radius="xl" onClick={show}>
        {t.showNew(waiting)}
      </Button>
    </div>
  );
}
