import { FIELD_LABELS } from '../../lib/field-labels';
import { formatCount } from '../../lib/numbers';
import { showValue } from '../event/marks';
import { OUTCOMES } from '../outcomes';
import type { FacetField } from './facet-field';
import classes from './facets.module.css';

interface Props {
  readonly field: FacetField;
  readonly value: string | null;
  readonly name: string | null;
  /** Null: not known. */
  readonly count: number | null;
  /** Of the largest value. */
  readonly share: number;
  readonly isIncluded: boolean;
  readonly isExcluded: boolean;
  readonly onInclude: () => void;
  readonly onExclude: () => void;
}

/** A value with its count: its checkbox adds it to the filter, and the minus excludes it. */
export function FacetRow(props: Props) {
  const { field, value, name, count, share, isIncluded, isExcluded } = props;
  const label = labelOf(field, value, name);
  return (
    <div className={classes.row} data-excluded={isExcluded || undefined}>
      <label className={classes.value}>
        <input type="checkbox" checked={isIncluded} onChange={props.onInclude} />
        <span className={classes.text} title={label}>
          {label}
        </span>{' '}
        <span className={classes.count}>{count === null ? '–' : formatCount(count)}</span>
      </label>
      <button
        type="button"
        className={classes.minus}
        aria-label={`Exclude ${FIELD_LABELS[field]} ${label}`}
        aria-pressed={isExcluded}
        onClick={props.onExclude}
      />
      <div className={classes.bar} style={{ width: `${share * 100}%` }} />
    </div>
  );
}

function labelOf(field: string, value: string | null, name: string | null): string {
  if (value === null) return '(none)';
  if (field === 'succeeded') return OUTCOMES[value] ?? value;
  return name ? `${value} · ${name}` : showValue(value);
}
