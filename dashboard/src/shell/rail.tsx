import { useRef } from 'react';
import { Link } from 'wouter';
import { useOneStop } from '../lib/use-one-stop';
import classes from './rail.module.css';
import type { View } from './views';

interface Props {
  readonly views: readonly (Pick<View, 'path' | 'icon'> & { readonly title: string })[];
  readonly path: string;
  /** What needs attention, by the path of the view. */
  readonly attention: Readonly<Record<string, string>>;
  readonly onGo: () => void;
}

/** The links to the views, one stop of Tab: a narrow rail beside them, or a list in the menu of a small screen. */
export function Rail({ views, path, attention, onGo }: Props) {
  const place = useRef<HTMLUListElement>(null);
  useOneStop(place);
  return (
    <ul ref={place} className={classes.rail}>
      {views.map(({ path: to, title, icon: Icon }) => (
        <li key={to}>
          <Link
            href={to}
            className={classes.way ?? ''}
            aria-current={to === path ? 'page' : undefined}
            title={attention[to]}
            onClick={onGo}
          >
            <Icon size={20} aria-hidden />
            <span>{title}</span>
            {attention[to] && <span className={classes.attention}>{attention[to]}</span>}
          </Link>
        </li>
      ))}
    </ul>
  );
}
