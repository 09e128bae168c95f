import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Facts with their names, side by side as far as there is room. Each is as wide as it needs. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className={classes.facts}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
