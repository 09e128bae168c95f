import { Text } from '@mantine/core';
import type { FilterProblem } from '../explore-filter';
import classes from './filter.module.css';

/** How many characters around the place of the problem are shown. */
const SHOWN_CHARS = 40;

interface Props {
  readonly id: string;
  readonly text: string;
  readonly problem: FilterProblem;
}

/** Shows what is wrong with a filter, and where. */
export function ProblemText({ id, text, problem: { problem, at } }: Props) {
  const before = text.slice(Math.max(0, at - SHOWN_CHARS), at);
  const after = text.slice(at, at + SHOWN_CHARS);
  return (
    <Text id={id} role="alert" size="sm" c="red" mt={4}>
      The filter is not understood {problem}.
      <code className={classes.place}>
        {at > SHOWN_CHARS && '…'}
        {before}
        <mark>▸</mark>
        {after}
      </code>
    </Text>
  );
}
