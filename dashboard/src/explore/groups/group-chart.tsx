import type { Shape } from '../explore-state';
import { Bars } from './bars';
import type { ChartProps } from './chart-props';
import { Flow } from './flow';
import { HeatGrid } from './heat-grid';
import { WeekHours } from './week-hours';

const CHARTS = { bars: Bars, heat: HeatGrid, hours: WeekHours, flow: Flow } as const;

/** The groups as a chart. */
export default function GroupChart({
  shape,
  ...props
}: ChartProps & { readonly shape: Exclude<Shape, 'table'> }) {
  const Chart = CHARTS[shape];
  return <Chart {...props} />;
}
