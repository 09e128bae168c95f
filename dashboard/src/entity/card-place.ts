import { type EntityId, isEntityKind } from './entity-links';

/** The entity whose page a link leads to; null: the link leads elsewhere. @param base of all pages, as `/dashboard` */
export function entityOf(href: string, base: string): EntityId | null {
  const { pathname, searchParams } = new URL(href, 'http://page');
  const kind = pathname.startsWith(`${base}/entity/`) ? pathname.slice(`${base}/entity/`.length) : '';
  const value = searchParams.get('value');
  if (!isEntityKind(kind) || value === null) return null;
  return {
    kind,
    value,
    databaseName: searchParams.get('databaseName'),
    schemaName: searchParams.get('schemaName'),
  };
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}
interface Size {
  readonly width: number;
  readonly height: number;
}
const GAP = 4;

/** Where a card lies beside what it is about: below it, else above it, and always within the screen. */
export function placeOf(
  about: Box,
  card: Size,
  screen: Size,
): { readonly left: number; readonly top: number } {
  const fitsBelow = about.bottom + GAP + card.height <= screen.height;
  const top = fitsBelow ? about.bottom + GAP : about.top - GAP - card.height;
  return {
    left: Math.max(GAP, Math.min(about.left, screen.width - card.width - GAP)),
    top: Math.max(GAP, top),
  };
}
