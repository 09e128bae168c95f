import { ScrollArea } from '@mantine/core';
import { HeatTable } from '../../lib/heat-table';
import { useTexts } from '../../lib/language';
import { Failed, Loading } from '../../shell/states';
import { EXPLORE } from '../texts';
import { ChartHead } from './chart-head';
import type { ChartProps } from './chart-props';
import { cellsOf, gridCsv, markAt, placesOf } from './grid-data';
import { markHref } from './group-links';
import { useGrid, useGridTexts } from './use-grid';

/** Values of each field beside the others: as many columns as a screen has room for. */
const VALUES = 20;

/** Events, or a sum of them, by the values of two fields. */
export function HeatGrid(props: ChartProps) {
  const { state, controls, asked } = props;
  const t = useTexts(EXPLORE);
  const { extent, markOf, nameOf } = useGridTexts(asked.sumOf);
  const { answer: grid, error } = useGrid(props, VALUES);
  const weights = new Map(grid && cellsOf(grid).map((cell) => [cell.places.join(), cell.weight]));
  const places = (axis: number) =>
    Array.from({ length: grid ? placesOf(grid, axis) : 0 }, (_, place) => place);
  return (
    <>
      <ChartHead
        controls={controls}
        extent={grid && extent(grid)}
        csv={grid && (() => gridCsv('heat-map', grid, asked.sumOf))}
      />
      {error && <Failed error={error} />}
      {!grid && !error && <Loading what={t.theGroups} rows={1} height={300} />}
      {grid && grid.totalCount > 0 && (
        <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t.shapeHeat }}>
          <HeatTable
            kind="values"
            caption={t.moveByArrows}
            columns={places(1).map((column) => ({
              key: String(column),
              heading: <span title={nameOf(grid, 1, column)}>{nameOf(grid, 1, column)}</span>,
            }))}
            rows={places(0).map((row) => ({
              key: String(row),
              heading: <span title={nameOf(grid, 0, row)}>{nameOf(grid, 0, row)}</span>,
              cells: places(1).map((column) => {
                const n = weights.get(`${row},${column}`) ?? 0;
                return {
                  key: `${row},${column}`,
                  events: n,
                  label: markOf(`${nameOf(grid, 0, row)} · ${nameOf(grid, 1, column)}`, n),
                  href: n > 0 ? markHref(state, markAt(grid, [row, column])) : null,
                };
              }),
            }))}
          />
        </ScrollArea>
      )}
    </>
  );
}
