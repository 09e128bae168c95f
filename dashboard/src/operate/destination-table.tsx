import { Badge } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { LIST_TABLE, NoteCell } from '../lib/listed';
import { NameCell } from '../lib/name-cell';
import { useOpenRows } from '../lib/open-rows';
import { Opener } from '../lib/opener';
import { type NamedTenant, nameOf } from '../lib/tenant-name';
import { formatSpan } from '../lib/time';
import { formatRate } from '../lib/use-rates';
import { DestinationDetails } from './destination-details';
import type { Destination } from './rows';
import { OPERATE } from './texts';

interface Props {
  readonly destinations: readonly Destination[];
  readonly tenants: readonly NamedTenant[];
  /** Events a minute. */
  readonly rateOf: (destinationId: string) => number | undefined;
  readonly onChange: () => void;
  readonly onOpen: (dialog: 'change' | 'replay' | 'remove', destination: Destination) => void;
}

const COLORS = { active: 'green', failing: 'red', paused: 'gray' } as const;
const isState = (state: string): state is keyof typeof COLORS => Object.hasOwn(COLORS, state);
const idOf = ({ destinationId }: Destination) => destinationId;

/** The destinations, a row each. A row opens to all that is known of its destination, and what can be done with it. */
export function DestinationTable({ destinations, tenants, rateOf, onChange, onOpen }: Props) {
  const t = useTexts(OPERATE);
  const common = useTexts(COMMON);
  const rows = useOpenRows(idOf, (destination: Destination) => (
    <DestinationDetails
      destination={destination}
      onChange={onChange}
      onOpen={(dialog) => onOpen(dialog, destination)}
    />
  ));
  return (
    <DataTable
      {...LIST_TABLE}
      {...rows.props}
      records={[...destinations]}
      columns={[
        {
          accessor: 'state',
          title: common.state,
          render: ({ state }) => (
            <Badge size="sm" color={isState(state) ? COLORS[state] : 'gray'} variant="light" tt="none">
              {isState(state) ? t[state] : state}
            </Badge>
          ),
        },
        {
          accessor: 'name',
          title: common.name,
          render: (destination) => (
            <Opener onOpen={() => rows.toggle(destination)} isOpen={rows.isOpen(destination)}>
              <NameCell name={destination.name} />
            </Opener>
          ),
        },
        {
          accessor: 'tenantId',
          title: common.tenant,
          render: ({ tenantId }) => <NameCell name={nameOf(tenants, tenantId)} />,
        },
        { accessor: 'type', title: t.type, noWrap: true },
        {
          accessor: 'lagEvents',
          title: t.behind,
          noWrap: true,
          textAlign: 'right',
          render: ({ lagEvents }) => t.eventCount(lagEvents),
        },
        {
          accessor: 'lagSeconds',
          title: t.lag,
          noWrap: true,
          render: ({ lagEvents, lagSeconds }) => (lagEvents === 0 ? t.none : formatSpan(lagSeconds * 1000)),
        },
        {
          accessor: 'rate',
          title: t.throughput,
          noWrap: true,
          textAlign: 'right',
          render: (destination) => formatRate(rateOf(idOf(destination)), common),
        },
        {
          accessor: 'note',
          title: t.note,
          render: (destination) => <Note destination={destination} />,
        },
      ]}
    />
  );
}

/** What is wrong with a destination, or else where it is. */
const Note = ({ destination }: { readonly destination: Destination }) => {
  const t = useTexts(OPERATE);
  const { state, pauseReason, lastError, behindRetention, setAside, url } = destination;
  const isFailing = state !== 'active' && lastError;
  const notes = [
    ...(pauseReason === null ? [] : [`${t.pausedBecause} ${pauseReason}`]),
    ...(behindRetention > 0 ? [t.behindRetention(behindRetention)] : []),
    ...(setAside > 0 ? [t.setAside(setAside)] : []),
  ];
  return (
    <NoteCell>
      {isFailing && <span lang="en">{lastError}</span>}
      {isFailing && notes.length > 0 && ' · '}
      {notes.length > 0 || isFailing ? notes.join(' · ') : url}
    </NoteCell>
  );
};
