import { actionNameOf } from '../../../src/event/action-names';
import classes from './explore.module.css';

/** The full name of an action, and its code. */
export function ActionName({ actionId }: { readonly actionId: string }) {
  const name = actionNameOf(actionId);
  return name ? (
    <>
      {name} <span className={classes.code}>{actionId}</span>
    </>
  ) : (
    actionId
  );
}
