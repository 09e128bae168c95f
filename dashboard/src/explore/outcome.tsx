import { Badge } from '@mantine/core';
import { useTexts } from '../lib/language';
import classes from './explore.module.css';
import { EXPLORE } from './texts';

/** Colour is for what failed. */
export const Outcome = ({ succeeded }: { readonly succeeded: boolean }) => {
  const t = useTexts(EXPLORE);
  return succeeded ? (
    <span className={classes.succeeded}>{t.succeeded}</span>
  ) : (
    <Badge variant="light" color="red" size="sm" tt="none">
      {t.failed}
    </Badge>
  );
};
