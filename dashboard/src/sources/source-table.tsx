import { Badge } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { Ago } from '../lib/ago';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { LIST_TABLE, NoteCell } from '../lib/listed';
import { NameCell } from '../lib/name-cell';
import { useOpenRows } from '../lib/open-rows';
import { Opener } from '../lib/opener';
import { useTimeZone } from '../lib/preferences';
import { formatSpan, formatTime } from '../lib/time';
import { formatRate } from '../lib/use-rates';
import { SourceDetails, useNotes } from './source-details';
import { keyOf, type Source, STATES } from './source-state';
import { SOURCES } from './texts';

interface Props {
  readonly sources: readonly Source[];
  /** Events a minute. */
  readonly rateOf: (key: string) => number | undefined;
}

/** The sources, a row each. A row opens to all that is known of its source. */
export function SourceTable({ sources, rateOf }: Props) {
  const t = useTexts(SOURCES);
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const [zone] = useTimeZone();
  const rows = useOpenRows(keyOf, (source: Source) => <SourceDetails source={source} />);
  return (
    <DataTable
      {...LIST_TABLE}
      {...rows.props}
      records={[...sources]}
      columns={[
        { accessor: 'state', title: common.state, render: (source) => <State source={source} /> },
        {
          accessor: 'databaseName',
          title: labels.databaseName,
          render: (source) => (
            <Opener onOpen={() => rows.toggle(source)} isOpen={rows.isOpen(source)}>
              {source.databaseName}
            </Opener>
          ),
        },
        {
          accessor: 'hostName',
          title: labels.hostName,
          render: ({ hostName }) => <NameCell name={hostName} />,
        },
        {
          accessor: 'tenantName',
          title: common.tenant,
          render: ({ tenantName }) => <NameCell name={tenantName} />,
        },
        {
          accessor: 'lastEventTime',
          title: common.lastEvent,
          noWrap: true,
          render: ({ lastEventTime }) => (lastEventTime ? formatTime(lastEventTime, zone) : t.noneYet),
        },
        {
          accessor: 'lastReported',
          title: t.lastReport,
          noWrap: true,
          render: ({ lastReported }) => <Ago time={lastReported} />,
        },
        {
          accessor: 'lag',
          title: t.lag,
          noWrap: true,
          render: ({ lag }) => (lag === null ? t.notCaughtUp : formatSpan(lag * 1000)),
        },
        {
          accessor: 'rate',
          title: t.rate,
          noWrap: true,
          textAlign: 'right',
          render: (source) => formatRate(rateOf(keyOf(source)), common),
        },
        { accessor: 'note', title: t.note, render: (source) => <Notes source={source} /> },
      ]}
    />
  );
}

const State = ({ source: { state } }: { readonly source: Source }) => {
  const t = useTexts(SOURCES);
  return (
    <Badge size="sm" color={STATES[state].color} variant="light" tt="none">
      {t[state]}
    </Badge>
  );
};

function Notes({ source }: { readonly source: Source }) {
  const t = useTexts(SOURCES);
  const { gapCount } = source;
  const gaps = gapCount > 0 ? [{ key: 'gaps', text: t.gapsInTrail(gapCount), said: null }] : [];
  const notes = [...gaps, ...useNotes(source)];
  return (
    <NoteCell>
      {notes.map(({ key, text, said }, i) => (
        <span key={key}>
          {i > 0 && ' · '}
          {text}
          {said !== null && <span lang="en">{said}</span>}
        </span>
      ))}
    </NoteCell>
  );
}
