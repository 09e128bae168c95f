import { Button, Text } from '@mantine/core';
import { showHidden } from '../event/marks';
import { hintsOf } from './hints';

interface Props {
  readonly text: string;
  readonly onSearch: (text: string) => void;
}

/** Says which parts of the filter may mean something else than their author thinks, and offers what may be meant. */
export const FilterHints = ({ text, onSearch }: Props) =>
  hintsOf(text).map(({ typed, why, meant, filter }, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may stand there twice
    <Text key={`${i} ${typed}`} size="sm" mt={4} role="note">
      <code>{shorten(typed)}</code>: {why}
      {meant && filter && (
        <>
          {' '}
          Did you mean{' '}
          <Button size="compact-xs" variant="default" onClick={() => onSearch(filter)}>
            {shorten(meant)}
          </Button>
        </>
      )}
    </Text>
  ));

const SHOWN_CHARS = 60;
const shorten = (text: string) =>
  showHidden(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
