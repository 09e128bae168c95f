import { useTexts } from '../lib/language';
import classes from './skip-links.module.css';
import { SHELL } from './texts';

/** A part of a view, by the id of its element. */
export interface SkipTarget {
  readonly id: string;
  readonly label: string;
}

/** The first stops of the keyboard, which lead past what is the same in all views. They show when they have the focus. */
export const SkipLinks = ({ to }: { readonly to: readonly SkipTarget[] }) => (
  <nav aria-label={useTexts(SHELL).skip} data-skip>
    {to.map(({ id, label }) => (
      <a
        key={id}
        href={`#${id}`}
        className={classes.skip}
        onClick={(event) => {
          // The address keeps the view, without a part of it.
          event.preventDefault();
          focusOn(id);
        }}
      >
        {label}
      </a>
    ))}
  </nav>
);

/** Moves the focus to the first row of a list, or to a part as a whole. */
function focusOn(id: string): void {
  const part = document.getElementById(id);
  (part?.querySelector<HTMLElement>('tbody :is(a, button)') ?? part)?.focus();
}
