import { ActionIcon, Button, Group, Pill, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { IconRefresh, IconSearch } from '@tabler/icons-react';
import { type FormEvent, useEffect, useState } from 'react';
import { FILTER_NAMES, FILTERS, isBooleanFilter } from '../../../src/event/filters';
import { LIMITS } from '../../../src/limits';
import { CopyAction } from '../lib/copy-action';
import { FIELD_LABELS } from '../lib/field-labels';
import { formatCount } from '../lib/numbers';
import type { TimeZone } from '../lib/time';
import { type ExploreState, formatState, NO_FILTERS } from './explore-state';
import { ExportButton } from './export-button';
import { OUTCOMES } from './outcome';
import { fixedRange } from './time-range';
import { TimeRangePicker } from './time-range-picker';
import type { ExploreFilter } from './use-explore-data';
import type { Change } from './use-explore-state';

interface Props {
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
  readonly filter: ExploreFilter;
  readonly totalCount: number | undefined;
  readonly refresh: () => void;
  readonly isBusy: boolean;
}

/** What is shown: range, search and filters, how much it is, and what can be done with it as a whole. */
export function FilterBar({ state, change, zone, filter, totalCount, refresh, isBusy }: Props) {
  return (
    <div>
      <Group gap="xs" align="center">
        <TimeRangePicker range={state.range} zone={zone} onChange={(range) => change({ range })} />
        <SearchField value={state.search} onSearch={(search) => change({ search })} />
        <ActionIcon variant="default" size="lg" aria-label="Refresh" onClick={refresh} loading={isBusy}>
          <IconRefresh size={18} aria-hidden />
        </ActionIcon>
        <CopyAction label="Copy link to this view" text={() => linkTo(state, filter)} />
        <ExportButton filter={filter} totalCount={totalCount} />
      </Group>
      <Group gap="xs" mt="xs" mih={26}>
        <Text size="sm" role="status">
          {totalCount === undefined ? 'Counting …' : `${formatCount(totalCount)} events`}
        </Text>
        {FILTER_NAMES.filter((name) => state[name]).map((name) => (
          <Pill
            key={name}
            withRemoveButton
            onRemove={() => change({ [name]: undefined })}
            removeButtonProps={{
              'aria-label': `Remove the filter ${FIELD_LABELS[FILTERS[name].field]}`,
              'aria-hidden': false,
              tabIndex: 0,
            }}
          >
            {FIELD_LABELS[FILTERS[name].field]}:{' '}
            {isBooleanFilter(name) ? OUTCOMES[state[name] ?? ''] : state[name]}
          </Pill>
        ))}
        {(state.search || FILTER_NAMES.some((name) => state[name])) && (
          <Button size="compact-xs" variant="subtle" onClick={() => change({ search: '', ...NO_FILTERS })}>
            Clear search and filters
          </Button>
        )}
      </Group>
    </div>
  );
}

function SearchField(props: { readonly value: string; readonly onSearch: (text: string) => void }) {
  const [text, setText] = useState(props.value);
  useEffect(() => setText(props.value), [props.value]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onSearch(text.trim());
  };
  return (
    <search style={{ flex: '1 1 220px' }}>
      <form onSubmit={submit}>
        <TextInput
          aria-label="Search words in the events"
          placeholder='Words of the event: salary, upd*, "drop table"'
          value={text}
          maxLength={LIMITS.searchCharsMax}
          onChange={(event) => setText(event.currentTarget.value)}
          leftSection={<IconSearch size={16} aria-hidden />}
        />
        <VisuallyHidden>
          <button type="submit" tabIndex={-1}>
            Search
          </button>
        </VisuallyHidden>
      </form>
    </search>
  );
}

/** With the range fixed to what it is now: the colleague opens it later, and should see the same. */
function linkTo(state: ExploreState, { startTime, endTime }: ExploreFilter): string {
  const range = startTime && endTime ? fixedRange(Date.parse(startTime), Date.parse(endTime)) : state.range;
  return `${location.origin}${location.pathname}?${formatState({ ...state, range })}`;
}
