import { Button, Text } from '@mantine/core';
import { otherLanguage } from '../../../../src/event/expression/other-language';
import { useTexts } from '../../lib/language';
import { showHidden } from '../event/marks';
import { EXPLORE } from '../texts';
import type { TimeRange } from '../time-range';
import { hintsOf } from './hints';
import { OtherQuestion } from './other-question';

interface Props {
  readonly text: string;
  readonly onSearch: (text: string, range?: TimeRange | null) => void;
}

/** Says which parts of the filter may mean something else than their author thinks, and offers what may be meant. */
export function FilterHints({ text, onSearch }: Props) {
  const found = otherLanguage(text);
  if (found && found.filter !== null) return <OtherQuestion found={found} onSearch={onSearch} />;
  return (
    <>
      {found && <OtherQuestion found={found} onSearch={onSearch} />}
      <OwnHints text={text} onSearch={onSearch} />
    </>
  );
}

const OwnHints = ({ text, onSearch }: Props) => {
  const t = useTexts(EXPLORE);
  return hintsOf(text, t).map(({ typed, why, meant, filter }, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may stand there twice
    <Text key={`${i} ${typed}`} size="sm" mt={4} role="note">
      <code>{shorten(typed)}</code>: {why}
      {meant && filter && (
        <>
          {' '}
          {t.didYouMean}{' '}
          <Button size="compact-xs" variant="default" onClick={() => onSearch(filter)}>
            {shorten(meant)}
          </Button>
        </>
      )}
    </Text>
  ));
};

const SHOWN_CHARS = 60;
const shorten = (text: string) =>
  showHidden(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
