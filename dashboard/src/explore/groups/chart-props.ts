import type { ReactNode } from 'react';
import type { TimeZone } from '../../lib/time';
import type { Stretch } from '../coverage/missing';
import type { ExploreFilter } from '../explore-filter';
import type { ExploreState } from '../explore-state';
import type { GroupQuestion } from './group-rows';

export interface ChartProps {
  readonly asked: Omit<GroupQuestion, 'limit'>;
  readonly filter: ExploreFilter;
  readonly state: ExploreState;
  readonly zone: TimeZone;
  readonly missing: readonly Stretch[];
  /** What stands above the chart, before the button that saves it. */
  readonly controls: ReactNode;
}
