import { Text } from '@mantine/core';
import { useTexts } from '../../lib/language';
import type { FilterProblem } from '../explore-filter';
import { EXPLORE } from '../texts';
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
  const t = useTexts(EXPLORE);
  const before = text.slice(Math.max(0, at - SHOWN_CHARS), at);
  const after = text.slice(at, at + SHOWN_CHARS);
  return (
    <Text id={id} role="alert" size="sm" c="red" mt={4}>
      {t.notUnderstood} <span lang="en">{problem}</span>.
      <code className={classes.place}>
        {at > SHOWN_CHARS && '…'}
        {before}
        <mark>▸</mark>
        {after}
      </code>
    </Text>
  );
}
