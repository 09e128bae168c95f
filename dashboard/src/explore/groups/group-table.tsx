import { Button, Group, Progress, Table, Text } from '@mantine/core';
import type { NumberField } from '../../../../src/event/fields';
import { FIELD_LABELS } from '../../lib/field-labels';
import { formatCount, formatDigits } from '../../lib/numbers';
import { useTimeZone } from '../../lib/preferences';
import { formatTime, zoneName } from '../../lib/time';
import classes from '../explore.module.css';
import type { FacetField } from '../facets/facet-field';
import { SortButton } from '../sort-header';
import type { GroupOrder, Groups } from './group-rows';
import { extentOf, valueText } from './group-text';

interface Props {
  readonly fields: readonly FacetField[];
  readonly sumOf: NumberField | null;
  readonly groups: Groups;
  readonly order: GroupOrder;
  readonly onSort: (sortBy: GroupOrder['sortBy']) => void;
  readonly onChoose: (values: readonly (string | null)[]) => void;
}

/** Groups with their counts and times. Each heading sorts all groups, not only those shown. */
export function GroupTable({ fields, sumOf, groups, order, onSort, onChoose }: Props) {
  const [zone] = useTimeZone();
  const { rows, totalCount } = groups;
  const hasBefore = rows.some(({ before }) => before !== null);
  const share = (count: number) => (totalCount === 0 ? 0 : (100 * count) / totalCount);
  const heading = (sortBy: GroupOrder['sortBy'], label: string, isNumber = false) => (
    <Table.Th key={sortBy} ta={isNumber ? 'right' : 'left'}>
      <SortButton
        label={label}
        isSorted={order.sortBy === sortBy}
        descending={order.descending}
        onClick={() => onSort(sortBy)}
      />
    </Table.Th>
  );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs" role="status">
        {extentOf(groups)}
      </Text>
      <Table.ScrollContainer minWidth={500}>
        <Table fz="sm" withTableBorder striped>
          <Table.Thead>
            <Table.Tr>
              {fields.map((field) => heading(field, FIELD_LABELS[field]))}
              {heading('count', 'Events', true)}
              <Table.Th>Share</Table.Th>
              {heading('failed', 'Failed', true)}
              {hasBefore && heading('before', 'Period before', true)}
              {sumOf && heading('sum', FIELD_LABELS[sumOf], true)}
              {heading('firstTime', `First seen (${zoneName(zone)})`)}
              {heading('lastTime', `Last seen (${zoneName(zone)})`)}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={JSON.stringify(row.values)}>
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
                {hasBefore && <Table.Td ta="right">{formatCount(row.before ?? 0)}</Table.Td>}
                {sumOf && <Table.Td ta="right">{row.sum === null ? '' : formatDigits(row.sum)}</Table.Td>}
                {[row.firstTime, row.lastTime].map((time, i) => (
                  <Table.Td key={i === 0 ? 'first' : 'last'} style={{ whiteSpace: 'nowrap' }}>
                    {formatTime(time, zone)}
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
