import { eventOf } from './explore/event';
import { filtersOf } from './explore/filters';
import { groupsOf } from './explore/groups';
import { tableOf } from './explore/table';
import { timesOf } from './explore/times';
import { useExplore } from './support/exploring';

// The concepts share one service and one browser.
describe('exploring events', () => {
  const opened = useExplore();
  describe('times', () => timesOf(opened));
  describe('filters', () => filtersOf(opened));
  describe('groups', () => groupsOf(opened));
  describe('table', () => tableOf(opened));
  describe('event', () => eventOf(opened));
});
