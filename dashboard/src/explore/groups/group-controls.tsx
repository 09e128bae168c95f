import { Button, NativeSelect } from '@mantine/core';
import { NUMBER_FIELDS } from '../../../../src/event/fields';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import type { In } from '../../lib/texts';
import { Toolbar } from '../../lib/toolbar';
import { type ExploreState, LARGEST, numberFieldOf, SHAPES } from '../explore-state';
import { FACET_FIELDS, type FacetField, isFacetField } from '../facets/facet-field';
import { EXPLORE } from '../texts';
import type { Change } from '../use-explore-state';
import type { GroupOrder } from './group-order';
import { fieldsOf, mayLeaveOut, placesOf } from './shape-fields';
import { SHAPE_TEXTS } from './shape-texts';

interface Props {
  readonly state: ExploreState;
  readonly order: GroupOrder;
  /** Whether the range has a period before. */
  readonly hasBefore: boolean;
  readonly change: (change: Change) => void;
}

/** The shape of the groups. */
export function ShapeChoice({ state, change }: Pick<Props, 'state' | 'change'>) {
  const t = useTexts(EXPLORE);
  return (
    <Toolbar label={t.shape} gap={2}>
      {SHAPES.map((shape) => (
        <Button
          key={shape}
          size="compact-xs"
          variant={shape === state.shape ? 'light' : 'subtle'}
          color="gray"
          c="inherit"
          aria-pressed={shape === state.shape}
          onClick={() => change({ shape })}
        >
          {t[SHAPE_TEXTS[shape]]}
        </Button>
      ))}
    </Toolbar>
  );
}

/** The fields, the sum and the order of the groups, as far as the shape has them. */
export function GroupControls({ state, order, hasBefore, change }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const { shape, sumOf } = state;
  const fields = fieldsOf(shape, state.groupBy);
  const choose = (place: number, text: string) => {
    const chosen: (FacetField | undefined)[] = [...fields];
    chosen[place] = isFacetField(text) ? text : undefined;
    // Of two places with the same field, the one that was chosen now has it.
    const kept = chosen.filter((field, i) => field && (i === place || field !== text));
    change({ groupBy: kept as FacetField[] });
  };
  const names = [t.groupBy, t.andBy, t.andThen];
  const places = Math.min(placesOf(shape), fields.length + 1);
  const hasOrder = shape === 'table' || shape === 'bars';
  return (
    <>
      {names.slice(0, places).map((name, place) => (
        <NativeSelect
          key={name}
          aria-label={name}
          data={[
            ...(place > 0 && mayLeaveOut(shape, place) ? [{ value: '', label: t.andNothing }] : []),
            ...FACET_FIELDS.filter((field) => !fields.slice(0, place).includes(field)).map((field) => ({
              value: field,
              label: labels[field],
            })),
          ]}
          value={fields[place] ?? ''}
          onChange={(event) => choose(place, event.currentTarget.value)}
        />
      ))}
      {(shape === 'table' || shape === 'heat' || shape === 'flow') && (
        <NativeSelect
          aria-label={t.addUp}
          data={[
            { value: '', label: t.noSum },
            ...NUMBER_FIELDS.map((field) => ({ value: field, label: t.sumOf(labels[field]) })),
          ]}
          value={sumOf ?? ''}
          onChange={(event) => change({ sumOf: numberFieldOf(event.currentTarget.value) })}
        />
      )}
      {hasOrder && <OrderChoice order={order} hasBefore={hasBefore} t={t} sumOf={sumOf} change={change} />}
    </>
  );
}

const ORDERS = {
  most: LARGEST,
  rarest: { sortBy: 'count', descending: false },
  rows: { sortBy: 'sum', descending: true },
  grown: { sortBy: 'change', descending: true },
  shrunk: { sortBy: 'change', descending: false },
} as const satisfies Record<string, GroupOrder>;
const ORDER_TEXTS = {
  most: 'orderMost',
  rarest: 'orderRarest',
  rows: 'orderRows',
  grown: 'orderGrown',
  shrunk: 'orderShrunk',
} as const;
type OrderName = keyof typeof ORDERS;
const ORDER_NAMES = Object.keys(ORDERS) as OrderName[];

function OrderChoice(props: {
  readonly order: GroupOrder;
  readonly hasBefore: boolean;
  readonly t: In<typeof EXPLORE>;
  readonly sumOf: ExploreState['sumOf'];
  readonly change: Props['change'];
}) {
  const { order, hasBefore, t, sumOf, change } = props;
  const names = ORDER_NAMES.filter((name) => hasBefore || ORDERS[name].sortBy !== 'change');
  const current = names.find(
    (name) => ORDERS[name].sortBy === order.sortBy && ORDERS[name].descending === order.descending,
  );
  const choose = (name: string) => {
    const chosen = ORDERS[name as OrderName];
    if (!chosen) return;
    const rows = name === 'rows' ? { sumOf: sumOf ?? ('responseRows' as const) } : {};
    change({ groupOrder: chosen, ...rows });
  };
  return (
    <NativeSelect
      aria-label={t.order}
      data={[
        ...names.map((name) => ({ value: name, label: t[ORDER_TEXTS[name]] })),
        // A heading of the table has been clicked.
        ...(current ? [] : [{ value: '', label: t.orderOther }]),
      ]}
      value={current ?? ''}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}
