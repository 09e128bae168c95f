import { IconBuilding, IconChartBar, IconHistory, IconKey, IconSend, IconServer } from '@tabler/icons-react';
import { type ComponentType, lazy } from 'react';
import type { Session } from '../api/session';
// Not lazy, as it is what nearly everybody comes for: each further file takes a browser 10 ms or more.
import { Explore } from '../explore/explore';

export interface View {
  readonly path: string;
  readonly title: string;
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  readonly for: readonly Session['kind'][];
  readonly component: ComponentType<{ readonly session: Session }>;
}

/** The pages and who has them: operators administer and read no events, by the service's own rules. */
export const VIEWS: readonly View[] = [
  {
    path: '/explore',
    title: 'Explore',
    icon: IconChartBar,
    for: ['public'],
    component: Explore,
  },
  {
    path: '/sources',
    title: 'Sources',
    icon: IconServer,
    for: ['operator'],
    component: lazy(() => import('../sources/sources')),
  },
  {
    path: '/tenants',
    title: 'Tenants',
    icon: IconBuilding,
    for: ['operator'],
    component: lazy(() => import('../operate/tenants')),
  },
  {
    path: '/keys',
    title: 'Keys',
    icon: IconKey,
    for: ['operator'],
    component: lazy(() => import('../operate/keys')),
  },
  {
    path: '/destinations',
    title: 'Destinations',
    icon: IconSend,
    for: ['operator'],
    component: lazy(() => import('../operate/destinations')),
  },
  {
    path: '/access-log',
    title: 'Access log',
    icon: IconHistory,
    for: ['operator'],
    component: lazy(() => import('../operate/access-log')),
  },
];
