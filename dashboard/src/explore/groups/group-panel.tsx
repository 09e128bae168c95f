import { Button, Group } from '@mantine/core';
import { Suspense } from 'react';
import { useClient } from 'urql';
import { LIMITS } from '../../../../src/limits';
import { useTexts } from '../../lib/language';
import { part } from '../../lib/part';
import type { TimeZone } from '../../lib/time';
import { useAnswer } from '../../lib/use-answer';
import { useStable } from '../../lib/use-stable';
import { Boundary } from '../../shell/boundary';
import { Failed, Loading } from '../../shell/states';
import type { Stretch } from '../coverage/missing';
import type { ExploreFilter } from '../explore-filter';
import { type ExploreState, LARGEST } from '../explore-state';
import type { FacetField } from '../facets/facet-field';
import { isFacetField } from '../facets/facet-field';
import { only } from '../filter/edit';
import { EXPLORE } from '../texts';
import { before } from '../time-range';
import type { Change } from '../use-explore-state';
import { GroupControls, ShapeChoice } from './group-controls';
import { orderBy } from './group-order';
import { type GroupQuestion, loadGroups } from './group-rows';
import { GroupTable } from './group-table';
import { csvOf, extentOf } from './group-text';
import { SaveCsv } from './save-csv';
import { fieldsOf } from './shape-fields';

const GroupChart = part('group-chart', () => import('./group-chart'));

interface Props {
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly filter: ExploreFilter;
  readonly zone: TimeZone;
  /** Stretches in which events may be missing. */
  readonly missing: readonly Stretch[];
}

const ROWS_MAX = 50;

/** The events by the values of up to three fields, as a table or a chart. */
export function GroupPanel({ state, change, filter, zone, missing }: Props) {
  const t = useTexts(EXPLORE);
  const { shape, sumOf } = state;
  const fields = fieldsOf(shape, state.groupBy);
  const hasBefore = before(filter) !== null;
  const order = meant(state, fields, hasBefore);
  const asked = { fields, sumOf, ...order };
  const controls = (
    <>
      <GroupControls state={state} order={order} hasBefore={hasBefore} change={change} />
      <Button variant="default" onClick={() => change({ groupBy: [] })}>
        {t.showEvents}
      </Button>
    </>
  );
  return (
    <section aria-label={t.byGroup}>
      <Group gap="xs" mb={6}>
        <ShapeChoice state={state} change={change} />
      </Group>
      {shape === 'table' ? (
        <TableOfGroups asked={asked} filter={filter} state={state} change={change} controls={controls} />
      ) : (
        <Boundary key={shape}>
          <Suspense fallback={<Loading what={t.theGroups} rows={1} height={300} />}>
            <GroupChart
              shape={shape}
              asked={asked}
              filter={filter}
              state={state}
              zone={zone}
              missing={missing}
              controls={controls}
            />
          </Suspense>
        </Boundary>
      )}
    </section>
  );
}

/** The order, if it means something for these groups: a field of theirs, a sum or a period that is asked for. */
function meant(
  { groupOrder, sumOf }: Pick<ExploreState, 'groupOrder' | 'sumOf'>,
  fields: readonly FacetField[],
  hasBefore: boolean,
) {
  const { sortBy } = groupOrder;
  if (isFacetField(sortBy)) return fields.includes(sortBy) ? groupOrder : LARGEST;
  if (sortBy === 'sum') return sumOf ? groupOrder : LARGEST;
  if (sortBy === 'change' || sortBy === 'before') return hasBefore ? groupOrder : LARGEST;
  return groupOrder;
}

function TableOfGroups(props: {
  readonly asked: Omit<GroupQuestion, 'limit'>;
  readonly filter: ExploreFilter;
  readonly state: ExploreState;
  readonly change: Props['change'];
  readonly controls: React.ReactNode;
}) {
  const { asked, filter, state, change, controls } = props;
  const t = useTexts(EXPLORE);
  const client = useClient();
  const { fields, sumOf, sortBy, descending } = asked;
  const order = { sortBy, descending };
  // Another order of the same groups is not another question: they stay until it is answered.
  const question = useStable({ filter, fields, sumOf });
  const answered = useAnswer({ question, order }, ({ question: of, order: by }) =>
    loadGroups(client, of.filter, { fields: of.fields, sumOf: of.sumOf, ...by, limit: ROWS_MAX }),
  );
  const known = answered.question?.question === question ? answered : null;
  const load = async () => {
    const groups = await loadGroups(client, filter, { ...asked, limit: LIMITS.groupsListedMax });
    return { ...csvOf(fields, sumOf, groups), extent: extentOf(groups, t) };
  };
  return (
    <>
      <Group gap="xs" mb="xs">
        {controls}
        <SaveCsv key={JSON.stringify(question)} load={load} />
      </Group>
      {!known && <Loading what={t.theGroups} />}
      {known?.error && <Failed error={known.error} />}
      {known?.answer && (
        <GroupTable
          fields={fields}
          sumOf={sumOf}
          groups={known.answer}
          order={order}
          onSort={(by) => change({ groupOrder: orderBy(by, order) })}
          onChoose={(values) =>
            change({
              filter: values.reduce<string>(
                (text, value, i) => only(text, fields[i] as FacetField, value),
                state.filter,
              ),
            })
          }
        />
      )}
    </>
  );
}
