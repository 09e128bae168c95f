import { Button, Pill, Text } from '@mantine/core';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import type { In } from '../../lib/texts';
import { showHidden, showValue } from '../event/marks';
import type { ExploreState } from '../explore-state';
import { NO_FILTERS } from '../explore-state';
import { outcomeText } from '../outcomes';
import { EXPLORE } from '../texts';
import type { Change } from '../use-explore-state';
import { joinParts, type Part, partsOf } from './parts';

interface Props {
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
}

/** Each condition of the filter, with a button that removes it. */
export function FilterPills({ state, change }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const parts = partsOf(state.filter);
  if (parts.length === 0 && !state.search) return null;
  return (
    <>
      {state.search && (
        <RemovablePill name={t.theWords} onRemove={() => change({ search: '' })}>
          {t.words(showHidden(state.search))}
        </RemovablePill>
      )}
      {parts.map((part, i) => (
        <RemovablePill
          // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may stand there twice
          key={`${i} ${part.text}`}
          name={part.selection ? labels[part.selection.field] : part.text}
          onRemove={() => change({ filter: joinParts(parts.filter((each) => each !== part)) })}
        >
          {labelOf(part, t, labels)}
        </RemovablePill>
      ))}
      <Button size="compact-xs" variant="subtle" onClick={() => change(NO_FILTERS)}>
        {t.clearAll}
      </Button>
    </>
  );
}

const RemovablePill = (props: {
  readonly name: string;
  readonly onRemove: () => void;
  readonly children: React.ReactNode;
}) => {
  const t = useTexts(EXPLORE);
  return (
    <Pill
      withRemoveButton
      maw="100%"
      onRemove={props.onRemove}
      removeButtonProps={{
        'aria-label': t.removeFilter(props.name),
        'aria-hidden': false,
        tabIndex: 0,
      }}
    >
      {props.children}
    </Pill>
  );
};

function labelOf({ text, selection }: Part, t: In<typeof EXPLORE>, labels: In<typeof FIELD_LABELS>) {
  if (!selection) return showHidden(text);
  const { field, values, isExcluded } = selection;
  const shown = values.map((value) => {
    if (value === null) return t.absent;
    return field === 'succeeded' ? outcomeText(value, t) : showValue(value);
  });
  return (
    <>
      {isExcluded && (
        <Text span inherit fw={700} tt="uppercase">
          {t.not}{' '}
        </Text>
      )}
      {labels[field]}: {shown.join(` ${t.or} `)}
    </>
  );
}
