import { Button, Pill, Text } from '@mantine/core';
import { FIELD_LABELS } from '../../lib/field-labels';
import { showHidden, showValue } from '../event/marks';
import type { ExploreState } from '../explore-state';
import { NO_FILTERS } from '../explore-state';
import { OUTCOMES } from '../outcomes';
import type { Change } from '../use-explore-state';
import { joinParts, type Part, partsOf } from './parts';

interface Props {
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
}

/** Each condition of the filter, with a button that removes it. */
export function FilterPills({ state, change }: Props) {
  const parts = partsOf(state.filter);
  if (parts.length === 0 && !state.search) return null;
  return (
    <>
      {state.search && (
        <RemovablePill name="words" onRemove={() => change({ search: '' })}>
          Words: {showHidden(state.search)}
        </RemovablePill>
      )}
      {parts.map((part, i) => (
        <RemovablePill
          // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may stand there twice
          key={`${i} ${part.text}`}
          name={part.selection ? FIELD_LABELS[part.selection.field] : part.text}
          onRemove={() => change({ filter: joinParts(parts.filter((each) => each !== part)) })}
        >
          {labelOf(part)}
        </RemovablePill>
      ))}
      <Button size="compact-xs" variant="subtle" onClick={() => change(NO_FILTERS)}>
        Clear all
      </Button>
    </>
  );
}

const RemovablePill = (props: {
  readonly name: string;
  readonly onRemove: () => void;
  readonly children: React.ReactNode;
}) => (
  <Pill
    withRemoveButton
    maw="100%"
    onRemove={props.onRemove}
    removeButtonProps={{
      'aria-label': `Remove the filter ${props.name}`,
      'aria-hidden': false,
      tabIndex: 0,
    }}
  >
    {props.children}
  </Pill>
);

function labelOf({ text, selection }: Part) {
  if (!selection) return showHidden(text);
  const { field, values, isExcluded } = selection;
  const shown = values.map((value) => {
    if (value === null) return '(none)';
    return field === 'succeeded' ? (OUTCOMES[value] ?? value) : showValue(value);
  });
  return (
    <>
      {isExcluded && (
        <Text span inherit fw={700} tt="uppercase">
          not{' '}
        </Text>
      )}
      {FIELD_LABELS[field]}: {shown.join(' or ')}
    </>
  );
}
