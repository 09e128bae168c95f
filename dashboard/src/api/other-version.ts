import { entryOf } from '../lib/page-entry';

/** Whether the service now has another page than the one that is open; false also where it gives no page. */
export async function isOtherVersionThere(): Promise<boolean> {
  const open = document.querySelector('script[type="module"]')?.getAttribute('src');
  const response = await fetch('/dashboard/', { cache: 'no-store' }).catch(() => null);
  const there = response?.ok ? entryOf(await response.text().catch(() => '')) : null;
  return there !== null && there !== open;
}
