import { FIELD_LABELS } from '../../lib/field-labels';
import type { FacetField } from '../facets/facet-field';
import { OUTCOMES } from '../outcome';
import { exclude, only } from './edit';
import classes from './filter.module.css';

interface Props {
  readonly field: FacetField;
  /** Null: absent. */
  readonly value: string | null;
  /** The filter, and what to do with another. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Whether a keyboard comes by: not in each cell of a table, the same stands in each event. */
  readonly isInTable?: boolean;
}

/** Asks for this value alone, or leaves it out. */
export function ValueActions({ field, value, text, onText, isInTable }: Props) {
  const shown = value === null ? 'none' : field === 'succeeded' ? OUTCOMES[value] : value;
  const label = `${FIELD_LABELS[field]} ${shown}`;
  const actions = [
    { sign: '+', name: `Only ${label}`, edit: only },
    { sign: '−', name: `Exclude ${label}`, edit: exclude },
  ];
  return (
    <span className={isInTable ? classes.cellActions : classes.actions}>
      {actions.map(({ sign, name, edit }) => (
        <button
          key={sign}
          type="button"
          className={classes.action}
          // Drawn, not text: what is copied of a row is its values.
          data-sign={sign}
          title={name}
          aria-label={name}
          tabIndex={isInTable ? -1 : undefined}
          onClick={(event) => {
            event.stopPropagation();
            onText(edit(text, field, value));
          }}
        />
      ))}
    </span>
  );
}
