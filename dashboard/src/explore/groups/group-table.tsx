import { Button, Group, Progress, Table, Text } from '@mantine/core';
import type { NumberField } from '../../../../src/event/fields';
import { COMMON } from '../../lib/common';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { formatCount, formatDigits, formatTenths } from '../../lib/numbers';
import { useTimeZone } from '../../lib/preferences';
import { formatTime, zoneName } from '../../lib/time';
import classes from '../explore.module.css';
import type { FacetField } from '../facets/facet-field';
import { SortButton } from '../sort-header';
import { EXPLORE } from '../texts';
import type { GroupOrder } from './group-order';
import type { Groups } from './group-rows';
import { changeText, extentOf, valueText } from './group-text';
import own from './groups.module.css';

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
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const [zone] = useTimeZone();
  const { rows, totalCount, hasBefore } = groups;
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
        {extentOf(groups, t)}
      </Text>
      <Table.ScrollContainer minWidth={500}>
        <Table fz="xs" withTableBorder striped verticalSpacing={2} className={own.dense}>
          <Table.Thead>
            <Table.Tr>
              {fields.map((field) => heading(field, labels[field]))}
              {heading('count', common.events, true)}
              <Table.Th>{t.share}</Table.Th>
              {heading('failed', t.failed, true)}
              {hasBefore && heading('before', t.periodBefore, true)}
              {hasBefore && heading('change', t.change, true)}
              {sumOf && heading('sum', labels[sumOf], true)}
              {heading('firstTime', t.firstSeen(zoneName(zone)))}
              {heading('lastTime', t.lastSeen(zoneName(zone)))}
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
                        title={valueText(field, row.values[i] ?? null, t)}
                        onClick={() => onChoose(row.values)}
                      >
                        {valueText(field, row.values[i] ?? null, t)}
                      </Button>
                    ) : (
                      <span className={classes.value} title={valueText(field, row.values[i] ?? null, t)}>
                        {valueText(field, row.values[i] ?? null, t)}
                      </span>
                    )}
                  </Table.Td>
                ))}
                <Table.Td ta="right">{formatCount(row.count)}</Table.Td>
                <Table.Td miw={120}>
                  <Group gap={6} wrap="nowrap">
                    <Progress value={share(row.count)} flex={1} aria-hidden />
                    <Text span size="xs">
                      {formatTenths(share(row.count))} %
                    </Text>
                  </Group>
                </Table.Td>
                <Table.Td ta="right">{formatCount(row.failed)}</Table.Td>
                {hasBefore && (
                  <>
                    <Table.Td ta="right">
                      {row.before === null ? t.notRecorded : formatCount(row.before)}
                    </Table.Td>
                    <Table.Td ta="right">{changeText(row.count, row.before)}</Table.Td>
                  </>
                )}
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
