import { ActionIcon, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { SavedSearchesDocument } from '../../generated/operations';
import type { Session } from '../api/session';
import { ProveButton } from '../evidence/prove-button';
import { COMMON } from '../lib/common';
import { CopyAction } from '../lib/copy-action';
import { useTexts } from '../lib/language';
import { ZONE_PARAMETER } from '../lib/preferences';
import { formatTime, type TimeZone, zoneName } from '../lib/time';
import { Toolbar } from '../lib/toolbar';
import { useCommands } from '../lib/use-commands';
import classes from './explore.module.css';
import { type ExploreFilter } from './explore-filter';
import { type ExploreState, formatState, parseState } from './explore-state';
import { ExportButton } from './export-button';
import { FilterPills } from './filter/filter-pills';
import { useRecentSearches } from './filter/recent-searches';
import { FILTER_ID, SearchBox } from './filter/search-box';
import type { Suggestion } from './filter/use-suggestions';
import { LiveNote } from './live/live-note';
import { LiveSwitch } from './live/live-switch';
import type { Live } from './live/use-live';
import { savedQuery } from './saved/saved-query';
import { type Saved, SavedSearches } from './saved/saved-searches';
import { EXPLORE } from './texts';
import type { TimeRange } from './time-range';
import { TimeRangePicker } from './time-range-picker';
import type { Change } from './use-explore-state';

interface Props {
  readonly session: Session;
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
  readonly filter: ExploreFilter;
  /** Undefined: unknown for this question. */
  readonly totalCount: number | undefined;
  /** Called with whether the filter that was typed last is not understood. */
  readonly onRefused: (isRefused: boolean) => void;
  readonly refresh: () => void;
  readonly isBusy: boolean;
  readonly live: Live;
}

/** The range, the filter, the number of events, and the actions on the whole view. */
export function FilterBar(props: Props) {
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  const { session, state, change, zone, filter, totalCount, onRefused } = props;
  const { refresh, isBusy, live } = props;
  const [recent, addRecent] = useRecentSearches(session);
  const [{ data }, askSaved] = useQuery({ query: SavedSearchesDocument });
  const saved = data?.savedSearches ?? [];
  const isNarrowed = state.around !== null || state.live || state.filter !== '' || state.search !== '';
  useCommands({ filter: () => document.getElementById(FILTER_ID)?.focus() });
  const search = (text: string, range?: TimeRange | null) => {
    addRecent(text);
    change({ filter: text, ...(range ? { range } : {}) });
  };
  const choose = ({ filter: text, view }: Saved) => {
    if (view === null || view === undefined) return search(text);
    addRecent(text);
    change({ ...parseState(savedQuery(text, view)) });
  };
  return (
    <div>
      <Group gap="xs" align="flex-start">
        <TimeRangePicker range={state.range} zone={zone} onChange={(range) => change({ range })} />
        <SearchBox
          value={state.filter}
          filter={filter}
          recent={[
            ...saved
              .filter(({ filter: text }) => text !== '')
              .map(({ name, filter: text }) => ({ insert: text, label: name, note: t.isSaved })),
            ...recent.map((text) => ({ insert: text, label: text, note: t.isRecent })),
          ].filter(isFirst)}
          onSearch={search}
          onRefused={onRefused}
        />
        <Toolbar label={t.thisView} gap={4} wrap="nowrap" className={classes.tools}>
          <SavedSearches
            session={session}
            saved={saved}
            state={state}
            onChoose={choose}
            onChanged={askSaved}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            c="inherit"
            aria-label={common.refresh}
            onClick={refresh}
            loading={isBusy}
          >
            <IconRefresh size={18} aria-hidden />
          </ActionIcon>
          <LiveSwitch state={state} change={change} />
          <CopyAction
            isLink
            label={t.copyViewLink}
            command="copyLink"
            text={() => linkTo(state, filter, zone)}
          />
          <ExportButton filter={filter} totalCount={totalCount} />
          <ProveButton session={session} filter={filter} label={t.proveView} isDisabled={!totalCount} />
        </Toolbar>
      </Group>
      {isNarrowed && (
        <Group gap="xs" mt={4} mih={24}>
          {state.around && <Text size="sm">{t.aroundEvent(formatTime(state.around, zone, 3))}</Text>}
          {state.live && <LiveNote live={live} />}
          <FilterPills state={state} change={change} />
        </Group>
      )}
    </div>
  );
}

/** Each text once. */
const isFirst = ({ insert }: Suggestion, i: number, all: readonly Suggestion[]): boolean =>
  all.findIndex((each) => each.insert === insert) === i;

/** A link with the range fixed to its present times, and the zone, so that a colleague who opens it later sees the same. */
function linkTo(state: ExploreState, { startTime, endTime }: ExploreFilter, zone: TimeZone): string {
  const range =
    startTime && endTime ? ({ kind: 'fixed', from: startTime, to: endTime } as const) : state.range;
  const parts = new URLSearchParams(formatState({ ...state, range, live: false }));
  parts.set(ZONE_PARAMETER, zoneName(zone));
  return `${location.origin}${location.pathname}?${parts}`;
}
