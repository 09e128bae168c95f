import { Button, Group, NativeSelect, Progress, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { FIELD_LABELS } from '../../lib/field-labels';
import { counted, formatCount } from '../../lib/numbers';
import { useTimeZone } from '../../lib/preferences';
import { saveFile } from '../../lib/save-file';
import { formatTime, zoneName } from '../../lib/time';
import { Failed, Loading } from '../../shell/states';
import classes from '../explore.module.css';
import type { ExploreFilter } from '../explore-filter';
import { FACET_FIELDS, type FacetField, isFacetField } from '../facets/facet-field';
import { only } from '../filter/edit';
import { before } from '../time-range';
import { keyOf } from './former';
import { type Former, type Groups, loadFormer, loadGroups, OUTER_MAX } from './group-rows';
import { csvOf, valueText } from './group-text';

interface Props {
  readonly filter: ExploreFilter;
  readonly by: readonly [FacetField, FacetField | null];
  readonly onBy: (first: FacetField | null, second: FacetField | null) => void;
  readonly onText: (text: string) => void;
}

type State =
  | { kind: 'loading' }
  | { kind: 'failed'; error: Error }
  | { kind: 'known'; now: Groups; then: Former | null };

/** The events by the values of one or two fields, beside the period before. */
export function GroupPanel({ filter, by: [first, second], onBy, onText }: Props) {
  const client = useClient();
  const [state, setState] = useState<State>({ kind: 'loading' });
  const key = JSON.stringify([filter, first, second]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the question
  useEffect(() => {
    let isOver = false;
    setState({ kind: 'loading' });
    const earlier = before(filter);
    const load = async () => {
      const now = await loadGroups(client, filter, [first, second]);
      const then = earlier ? await loadFormer(client, { ...filter, ...earlier }, [first, second], now) : null;
      if (!isOver) setState({ kind: 'known', now, then });
    };
    load().catch((error: Error) => !isOver && setState({ kind: 'failed', error }));
    return () => {
      isOver = true;
    };
  }, [client, key]);
  const options = FACET_FIELDS.map((field) => ({ value: field, label: FIELD_LABELS[field] }));
  const chosen = (text: string) => (isFacetField(text) ? text : null);
  return (
    <section aria-label="Events by group">
      <Group gap="xs" mb="xs">
        <NativeSelect
          aria-label="Group by"
          size="xs"
          data={options}
          value={first}
          onChange={(event) => onBy(chosen(event.currentTarget.value), second)}
        />
        <NativeSelect
          aria-label="And by"
          size="xs"
          data={[{ value: '', label: 'and nothing else' }, ...options.filter(({ value }) => value !== first)]}
          value={second ?? ''}
          onChange={(event) => onBy(first, chosen(event.currentTarget.value))}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          disabled={state.kind !== 'known'}
          onClick={() => state.kind === 'known' && saveFile(csvOf([first, second], state.now, state.then))}
        >
          Groups as CSV
        </Button>
        <Button size="xs" variant="default" onClick={() => onBy(null, null)}>
          Show events
        </Button>
      </Group>
      {state.kind === 'loading' && <Loading what="the groups" />}
      {state.kind === 'failed' && <Failed error={state.error} />}
      {state.kind === 'known' && (
        <GroupTable
          fields={second ? [first, second] : [first]}
          now={state.now}
          before={state.then}
          onChoose={(values) =>
            onText(
              values.reduce<string>(
                (text, value, i) => only(text, (i === 0 ? first : second) ?? first, value),
                filter.filter ?? '',
              ),
            )
          }
        />
      )}
    </section>
  );
}

interface TableProps {
  readonly fields: readonly FacetField[];
  readonly now: Groups;
  /** Counts of the period before; null: there is none. */
  readonly before: Former | null;
  readonly onChoose: (values: readonly (string | null)[]) => void;
}

function GroupTable({ fields, now, before: then, onChoose }: TableProps) {
  const [zone] = useTimeZone();
  if (now.distinct === null)
    return <Text c="dimmed">Too many events to count: choose a shorter time range.</Text>;
  const share = (count: number) => (now.totalCount === 0 ? 0 : (100 * count) / now.totalCount);
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {extentOf(fields, now)}
      </Text>
      <Table.ScrollContainer minWidth={500}>
        <Table fz="sm" withTableBorder striped>
          <Table.Thead>
            <Table.Tr>
              {fields.map((field) => (
                <Table.Th key={field}>{FIELD_LABELS[field]}</Table.Th>
              ))}
              <Table.Th ta="right">Events</Table.Th>
              <Table.Th>Share</Table.Th>
              <Table.Th ta="right">Failed</Table.Th>
              {then && <Table.Th ta="right">Period before</Table.Th>}
              <Table.Th>First seen ({zoneName(zone)})</Table.Th>
              <Table.Th>Last seen ({zoneName(zone)})</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {now.rows.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {fields.map((field, i) => (
                  <Table.Td key={field}>
                    {i === 0 ? (
                      <Button
                        size="compact-xs"
                        variant="subtle"
                        maw={320}
                        title={valueText(field, row.values[i] ?? null)}
                        onClick={() => onChoose(row.values)}
                      >
                        {valueText(field, row.values[i] ?? null)}
                      </Button>
                    ) : (
                      <span className={classes.value} title={valueText(field, row.values[i] ?? null)}>
                        {valueText(field, row.values[i] ?? null)}
                      </span>
                    )}
                  </Table.Td>
                ))}
                <Table.Td ta="right">{formatCount(row.count)}</Table.Td>
                <Table.Td miw={120}>
                  <Group gap={6} wrap="nowrap">
                    <Progress value={share(row.count)} flex={1} aria-hidden />
                    <Text span size="xs">
                      {share(row.count).toFixed(1)} %
                    </Text>
                  </Group>
                </Table.Td>
                <Table.Td ta="right">{formatCount(row.failed)}</Table.Td>
                {then && <Table.Td ta="right">{formerText(then.get(keyOf(row)))}</Table.Td>}
                {[row.firstTime, row.lastTime].map((time, i) => (
                  <Table.Td key={i === 0 ? 'first' : 'last'} style={{ whiteSpace: 'nowrap' }}>
                    {time ? formatTime(time, zone) : '–'}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

const formerText = (count: number | undefined) => (count === undefined ? '–' : formatCount(count));

/** Says which part of all groups the table shows. */
function extentOf([first, second]: readonly FacetField[], { rows, distinct }: Groups): string {
  const label = first ? FIELD_LABELS[first] : '';
  const all = `${counted(distinct ?? 0, 'value')} of ${label}`;
  if (second === undefined)
    return rows.length < (distinct ?? 0) ? `The ${rows.length} largest of ${all}.` : `${all}.`;
  const outer = (distinct ?? 0) > OUTER_MAX ? `The ${OUTER_MAX} largest of ${all}` : all;
  return `${outer}; of each the ${OUTER_MAX} largest values of ${FIELD_LABELS[second]} at most.`;
}
