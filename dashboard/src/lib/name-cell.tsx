import { showHidden } from '../explore/event/marks';
import classes from './name-cell.module.css';

/** A table cell with a name that somebody gave. A long name leaves room for the other columns. */
export const NameCell = ({ name }: { readonly name: string }) => {
  const shown = showHidden(name);
  return (
    <span className={classes.name} title={shown}>
      {shown}
    </span>
  );
};
