import { useLocalStorage } from '@mantine/hooks';
import type { Session } from '../../api/session';

const KEPT_MAX = 8;

/** The filters that were used last on this browser by who is signed in, newest first. */
export function useRecentSearches({ name, tenants }: Session): [readonly string[], (text: string) => void] {
  const of = tenants.map(({ tenantId }) => tenantId).join();
  const [stored, store] = useLocalStorage<readonly string[]>({
    key: `recent-searches ${of} ${name}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const recent = Array.isArray(stored) ? stored.filter((text) => typeof text === 'string') : [];
  const add = (text: string) => {
    if (text) store([text, ...recent.filter((each) => each !== text)].slice(0, KEPT_MAX));
  };
  return [recent, add];
}
