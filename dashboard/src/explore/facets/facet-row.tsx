import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { formatCount } from '../../lib/numbers';
import type { In } from '../../lib/texts';
import { showValue } from '../event/marks';
import { outcomeText } from '../outcomes';
import { EXPLORE } from '../texts';
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
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const { field, value, name, count, share, isIncluded, isExcluded } = props;
  const label = labelOf(field, value, name, t);
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
        aria-label={t.exclude(`${labels[field]} ${label}`)}
        aria-pressed={isExcluded}
        onClick={props.onExclude}
      />
      <div className={classes.bar} style={{ width: `${share * 100}%` }} />
    </div>
  );
}

function labelOf(field: string, value: string | null, name: string | null, t: In<typeof EXPLORE>): string {
  if (value === null) return t.absent;
  if (field === 'succeeded') return outcomeText(value, t);
  return name ? `${value} · ${name}` : showValue(value);
}
