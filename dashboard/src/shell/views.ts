import { IconBuilding, IconChartBar, IconHistory, IconKey, IconServer } from '@tabler/icons-react';
import { type ComponentType, lazy } from 'react';
import type { Session } from '../api/session';

/** Below it stand all views. */
export const BASE_PATH = '/dashboard';

export interface View {
  readonly path: string;
  readonly title: string;
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  readonly for: readonly Session['kind'][];
  readonly load: () => Promise<{ readonly default: ViewComponent }>;
  readonly component: ViewComponent;
}
type ViewComponent = ComponentType<{ readonly session: Session }>;

const view = (parts: Omit<View, 'component'>): View => ({ ...parts, component: lazy(parts.load) });

/** The pages and who has them: operators administer and read no events, by the service's own rules. */
export const VIEWS: readonly View[] = [
  view({
    path: '/explore',
    title: 'Explore',
    icon: IconChartBar,
    for: ['public'],
    load: () => import('../explore/explore'),
  }),
  view({
    path: '/sources',
    title: 'Sources',
    icon: IconServer,
    for: ['operator'],
    load: () => import('../sources/sources'),
  }),
  view({
    path: '/tenants',
    title: 'Tenants',
    icon: IconBuilding,
    for: ['operator'],
    load: () => import('../operate/tenants'),
  }),
  view({
    path: '/keys',
    title: 'Keys',
    icon: IconKey,
    for: ['operator'],
    load: () => import('../operate/keys'),
  }),
  view({
    path: '/access-log',
    title: 'Access log',
    icon: IconHistory,
    for: ['operator'],
    load: () => import('../operate/access-log'),
  }),
];

/** Begins to fetch the code of an address, while it is still asked who is signed in. */
export function preloadView(pathname: string): void {
  const path = pathname.slice(BASE_PATH.length).replace(/^\/?$/, '/explore');
  // A failure is told by the view itself, when it is shown.
  VIEWS.find((each) => each.path === path)
    ?.load()
    .catch(() => {});
}
