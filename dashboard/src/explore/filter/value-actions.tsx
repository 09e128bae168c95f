import { useDeferredValue } from 'react';
import { Link } from 'wouter';
import { valuePage } from '../../entity/entity-links';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import type { FacetField } from '../facets/facet-field';
import { outcomeText } from '../outcomes';
import { EXPLORE } from '../texts';
import { exclude, only } from './edit';
import classes from './filter.module.css';

interface Props {
  readonly field: FacetField;
  /** Null: absent. */
  readonly value: string | null;
  /** The filter, and the function that changes it. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Whether Tab stops here. It does not in the cells of a table, since each event offers the same actions. */
  readonly isInTable?: boolean;
}

/** Buttons that filter by this value alone, or exclude it, and a link to its page if it has one. */
export function ValueActions({ field, value, text, onText, isInTable }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  // Those of a table are most of what it takes to draw, and nobody sees them before pointing at a cell: they come after it.
  const isDrawn = useDeferredValue(true, !isInTable);
  if (!isDrawn) return null;
  const shown = value === null ? t.noValue : field === 'succeeded' ? outcomeText(value, t) : value;
  const label = `${labels[field]} ${shown}`;
  const page = valuePage(field, value);
  const actions = [
    { sign: '+', name: t.only(label), edit: only },
    { sign: '−', name: t.exclude(label), edit: exclude },
  ];
  return (
    <span className={isInTable ? classes.cellActions : classes.actions}>
      {actions.map(({ sign, name, edit }) => (
        <button
          key={sign}
          type="button"
          className={classes.action}
          // The symbols are drawn, not text, so that a copied row holds only its values.
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
      {page && (
        <Link
          href={page}
          className={classes.action ?? ''}
          data-sign="→"
          aria-label={t.pageOf(label)}
          tabIndex={isInTable ? -1 : undefined}
          onClick={(event) => event.stopPropagation()}
        />
      )}
    </span>
  );
}
