import {
  IconArchive,
  IconBellRinging,
  IconBuilding,
  IconChartBar,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListSearch,
  IconReport,
  IconSend,
  IconServer,
  IconShieldCheck,
  IconTimeline,
  IconUser,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Scope } from '../../../src/caller/scopes';
import { hasScope } from '../api/rights';
import type { Session } from '../api/session';
// Not loaded lazily, since nearly every link leads to this view and each further file takes a browser 10 ms or more.
import { Explore } from '../explore/explore';
import { part } from '../lib/part';
import { ZONE_PARAMETER } from '../lib/preferences';

type PageName =
  | ('overview' | 'explore' | 'alerts' | 'incidents' | 'sources' | 'tenants' | 'keys' | 'destinations')
  | ('archive' | 'accessLog' | 'compliance' | 'reports' | 'rules' | 'entity');

export interface View {
  readonly path: string;
  /** Its title, in the catalogue of the shell. */
  readonly name: PageName;
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  readonly for: readonly Session['kind'][];
  /** The scope that an analyst's session needs; operators need none. */
  readonly scope?: Scope;
  /** Whether addresses below the view's own belong to it too. */
  readonly hasPages?: true;
  /** Parts that the keyboard can skip to. */
  readonly skips?: readonly { readonly id: string; readonly label: 'skipToEvents' | 'skipToAlerts' }[];
  /** Whether no link in the rail leads there. */
  readonly isLinkedElsewhere?: true;
  readonly component: ComponentType<{ readonly session: Session }>;
}

/** The pages and who has them. As in the service's own rules, operators administer and read no events. */
const VIEWS: readonly View[] = [
  {
    path: '/',
    name: 'overview',
    icon: IconLayoutDashboard,
    for: ['public'],
    component: part('overview', () => import('../overview/overview')),
  },
  {
    path: '/explore',
    name: 'explore',
    icon: IconChartBar,
    for: ['public'],
    skips: [{ id: 'events', label: 'skipToEvents' }],
    component: Explore,
  },
  {
    path: '/alerts',
    name: 'alerts',
    icon: IconBellRinging,
    for: ['public'],
    scope: 'read:alerts',
    hasPages: true,
    skips: [{ id: 'queue', label: 'skipToAlerts' }],
    component: part('alerts', () => import('../alerts/alerts')),
  },
  {
    path: '/incidents',
    name: 'incidents',
    icon: IconTimeline,
    for: ['public'],
    scope: 'read:alerts',
    hasPages: true,
    component: part('incidents', () => import('../incidents/incidents')),
  },
  {
    path: '/sources',
    name: 'sources',
    icon: IconServer,
    for: ['operator'],
    component: part('sources', () => import('../sources/sources')),
  },
  {
    path: '/tenants',
    name: 'tenants',
    icon: IconBuilding,
    for: ['operator'],
    component: part('tenants', () => import('../operate/tenants')),
  },
  {
    path: '/keys',
    name: 'keys',
    icon: IconKey,
    for: ['operator'],
    component: part('keys', () => import('../operate/keys')),
  },
  {
    path: '/destinations',
    name: 'destinations',
    icon: IconSend,
    for: ['operator'],
    component: part('destinations', () => import('../operate/destinations')),
  },
  {
    path: '/archive',
    name: 'archive',
    icon: IconArchive,
    for: ['operator'],
    component: part('archive', () => import('../operate/archive')),
  },
  {
    path: '/access-log',
    name: 'accessLog',
    icon: IconHistory,
    for: ['operator'],
    component: part('access-log', () => import('../operate/access-log')),
  },
  {
    path: '/compliance',
    name: 'compliance',
    icon: IconShieldCheck,
    for: ['public', 'operator'],
    scope: 'read:compliance',
    hasPages: true,
    component: part('compliance', () => import('../compliance/compliance')),
  },
  {
    path: '/reports',
    name: 'reports',
    icon: IconReport,
    for: ['public', 'operator'],
    scope: 'read:reports',
    component: part('reports', () => import('../reports/reports')),
  },
  {
    path: '/rules',
    name: 'rules',
    icon: IconListSearch,
    for: ['public', 'operator'],
    scope: 'read:alerts',
    component: part('rules', () => import('../rules/rules')),
  },
  {
    path: '/entity',
    name: 'entity',
    icon: IconUser,
    for: ['public'],
    hasPages: true,
    isLinkedElsewhere: true,
    component: part('entity', () => import('../entity/entity')),
  },
];

/** The pages of a session. A session begins on the first one. */
export const viewsOf = (session: Session): readonly View[] =>
  VIEWS.filter(
    ({ for: kinds, scope }) =>
      kinds.includes(session.kind) && (!scope || session.kind === 'operator' || hasScope(session, scope)),
  );

/**
 * Where an address without a page leads: to Explore if it has the state of a view of events, as links from before the
 * overview have, else to the first page. Null: it stays.
 */
export function wayFrom(path: string, search: string, views: readonly View[]): string | null {
  if (path !== '/' && path !== '' && path !== '/sign-in') return null;
  const given = [...new URLSearchParams(search).keys()];
  const explore = views.find((view) => view.path === '/explore');
  if (explore && given.some((name) => name !== 'end' && name !== ZONE_PARAMETER))
    return `${explore.path}?${search}`;
  const home = views[0]?.path ?? '/';
  return home === path ? null : home;
}

/** Whether an address belongs to a page. */
export const isOf = ({ path, hasPages }: View, address: string): boolean =>
  address === path || (hasPages === true && address.startsWith(`${path}/`));
