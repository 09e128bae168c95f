import { ScrollArea, Table } from '@mantine/core';
import { useRef } from 'react';
import { Link } from 'wouter';
import type { NumberField } from '../../../../src/event/fields';
import { COMMON } from '../../lib/common';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { formatCount, formatDigits } from '../../lib/numbers';
import { useOneStop } from '../../lib/use-one-stop';
import { Failed, Loading } from '../../shell/states';
import { EXPLORE } from '../texts';
import { ChartHead } from './chart-head';
import type { ChartProps } from './chart-props';
import { type FlowLink, type FlowNode, layFlow } from './flow-layout';
import { cellsOf, fieldAt, type Grid, gridCsv, markAt } from './grid-data';
import { markHref } from './group-links';
import classes from './groups.module.css';
import { useGrid, useGridTexts } from './use-grid';

/** With the others, three fields have at most 30 nodes. */
const VALUES = 9;
const HEIGHT = 420;
/** The width of a node, in percent of the chart. */
const NODE_WIDE = 24;
const PATHS_MAX = 50;

/** Events from one field's values to the next one's: from login to host to object, or any three fields. */
export function Flow(props: ChartProps) {
  const { state, controls, asked } = props;
  const t = useTexts(EXPLORE);
  const { extent } = useGridTexts(asked.sumOf);
  const { answer: grid, error } = useGrid(props, VALUES);
  return (
    <>
      <ChartHead
        controls={controls}
        extent={grid && extent(grid)}
        csv={grid && (() => gridCsv('flow', grid, asked.sumOf))}
      />
      {error && <Failed error={error} />}
      {!grid && !error && <Loading what={t.theGroups} rows={1} height={300} />}
      {grid && grid.totalCount > 0 && (
        <>
          <Chart grid={grid} state={state} sumOf={asked.sumOf} />
          <Paths grid={grid} state={state} sumOf={asked.sumOf} />
        </>
      )}
    </>
  );
}

interface GridProps {
  readonly grid: Grid;
  readonly state: ChartProps['state'];
  /** What is added up; null: events are counted. */
  readonly sumOf: NumberField | null;
}

function Chart({ grid, state, sumOf }: GridProps) {
  const t = useTexts(EXPLORE);
  const { markOf, nameOf } = useGridTexts(sumOf);
  const place = useRef<HTMLDivElement>(null);
  useOneStop(place, '[data-nodes]');
  const { nodes, links, height } = layFlow(cellsOf(grid), grid.axes.length, HEIGHT);
  const leftOf = (axis: number) => (axis * (100 - NODE_WIDE)) / Math.max(1, grid.axes.length - 1);
  const at = (axis: number, own: number): (number | undefined)[] =>
    grid.axes.map((_, i) => (i === axis ? own : undefined));
  const labelOf = (node: FlowNode) => markOf(nameOf(grid, node.axis, node.place), node.weight);
  const linkPlaces = ({ axis, from, to }: FlowLink) => {
    const places = at(axis, from);
    places[axis + 1] = to;
    return places;
  };
  return (
    <ScrollArea viewportProps={{ 'aria-label': t.shapeFlow, role: 'region', tabIndex: -1 }}>
      <div ref={place} className={classes.flow} style={{ height }} data-testid="flow">
        <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {links.map((link) => {
            const href = markHref(state, markAt(grid, linkPlaces(link)));
            const path = (
              <path d={ribbon(leftOf(link.axis) + NODE_WIDE, leftOf(link.axis + 1), link)}>
                <title>
                  {markOf(
                    `${nameOf(grid, link.axis, link.from)} → ${nameOf(grid, link.axis + 1, link.to)}`,
                    link.weight,
                  )}
                </title>
              </path>
            );
            const key = `${link.axis} ${link.from} ${link.to}`;
            if (href === null) return <g key={key}>{path}</g>;
            return (
              <Link key={key} href={href} tabIndex={-1} data-ribbon>
                {path}
              </Link>
            );
          })}
        </svg>
        <div data-nodes>
          {nodes.map((node) => {
            const href = markHref(state, markAt(grid, at(node.axis, node.place)));
            const style = {
              left: `${leftOf(node.axis)}%`,
              width: `${NODE_WIDE}%`,
              top: node.top,
              height: node.height,
            };
            const text = (
              <>
                <span className={classes.text}>{nameOf(grid, node.axis, node.place)}</span>{' '}
                <span className={classes.count}>{formatCount(node.weight)}</span>
              </>
            );
            const key = `${node.axis} ${node.place}`;
            return href === null ? (
              <div key={key} className={classes.node} style={style} title={labelOf(node)}>
                {text}
              </div>
            ) : (
              <Link key={key} href={href} className={classes.node} style={style} title={labelOf(node)}>
                {text}
              </Link>
            );
          })}
        </div>
      </div>
    </ScrollArea>
  );
}

/** A ribbon between two nodes, its ends at the sides of them. */
function ribbon(x0: number, x1: number, { left, right }: FlowLink): string {
  const middle = (x0 + x1) / 2;
  return [
    `M${x0},${left[0]} C${middle},${left[0]} ${middle},${right[0]} ${x1},${right[0]}`,
    `L${x1},${right[1]} C${middle},${right[1]} ${middle},${left[1]} ${x0},${left[1]} Z`,
  ].join(' ');
}

/** The flow as a table: the paths that weigh most. */
function Paths({ grid, state, sumOf }: GridProps) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const { nameOf } = useGridTexts(sumOf);
  const all = cellsOf(grid).toSorted((a, b) => b.weight - a.weight);
  const shown = all.slice(0, PATHS_MAX);
  return (
    <ScrollArea.Autosize
      mah={260}
      mt="xs"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t.flowTable }}
    >
      <Table withTableBorder striped fz="xs" verticalSpacing={1} className={classes.numbers}>
        <Table.Caption>{t.pathsExtent(shown.length, all.length)}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {grid.axes.map(({ field }, axis) => (
              <Table.Th key={field}>{labels[fieldAt(grid, axis)]}</Table.Th>
            ))}
            {sumOf && <Table.Th ta="right">{labels[sumOf]}</Table.Th>}
            <Table.Th ta="right">{common.events}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ places, events, sum }) => {
            const href = markHref(state, markAt(grid, places));
            return (
              <Table.Tr key={places.join()}>
                {places.map((place, axis) => (
                  <Table.Td key={grid.axes[axis]?.field}>{nameOf(grid, axis, place)}</Table.Td>
                ))}
                {sumOf && <Table.Td ta="right">{sum === null ? '' : formatDigits(sum)}</Table.Td>}
                <Table.Td ta="right">
                  {href === null ? formatCount(events) : <Link href={href}>{formatCount(events)}</Link>}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
