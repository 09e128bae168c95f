import type { ReactNode } from 'react';
import type { TimeZone } from '../../lib/time';
import type { Stretch } from '../coverage/missing';
import type { ExploreFilter } from '../explore-filter';
import type { ExploreState, Shape } from '../explore-state';
import { Bars } from './bars';
import { Flow } from './flow';
import type { GroupQuestion } from './group-rows';
import { HeatGrid } from './heat-grid';
import { WeekHours } from './week-hours';

export interface ChartProps {
  readonly asked: Omit<GroupQuestion, 'limit'>;
  readonly filter: ExploreFilter;
  readonly state: ExploreState;
  readonly zone: TimeZone;
  readonly missing: readonly Stretch[];
  /** What stands above the chart, before the button that saves it. */
  readonly controls: ReactNode;
}

const CHARTS = { bars: Bars, heat: HeatGrid, hours: WeekHours, flow: Flow } as const;

/** The groups as a chart. */
export default function GroupChart({
  shape,
  ...props
}: ChartProps & { readonly shape: Exclude<Shape, 'table'> }) {
  const Chart = CHARTS[shape];
  return <Chart {...props} />;
}
