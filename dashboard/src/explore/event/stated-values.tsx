import { useTexts } from '../../lib/language';
import classes from '../explore.module.css';
import { ValueActions } from '../filter/value-actions';
import { showHidden } from './marks';
import { type Stated } from './stated';
import { EVENT } from './texts';

interface Props {
  readonly stated: readonly Stated[];
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** What an event states beyond who, what and where, each with its buttons for the filter. */
export function StatedValues({ stated, text, onText }: Props) {
  const t = useTexts(EVENT);
  if (stated.length === 0) return null;
  return (
    <dl className={classes.stated} aria-label={t.stated}>
      {stated.map(({ field, label, value, text: shown }) => (
        <div key={field}>
          <dt>{label}</dt>
          <dd>
            {showHidden(shown)}
            <ValueActions field={field} value={value} text={text} onText={onText} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
