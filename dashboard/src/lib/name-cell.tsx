import { showHidden } from '../explore/event/marks';
import classes from './name-cell.module.css';

/** A name that somebody gave, in a table: however long it is, it leaves room for the columns beside it. */
export const NameCell = ({ name }: { readonly name: string }) => (
  <span className={classes.name}>{showHidden(name)}</span>
);
