import { useLocalStorage } from '@mantine/hooks';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { parseZone, type TimeZone, zoneName } from './time';
import { useQueryString } from './use-address';

type Chosen = readonly [TimeZone, (zone: TimeZone) => void];

const Zone = createContext<Chosen>(['UTC', () => undefined]);

/** The parameter of the address that names the zone. */
export const ZONE_PARAMETER = 'zone';

/**
 * Keeps the zone of all times that the page shows. The address names it, so that a link shows the same times; it stays
 * while the page is open. What a person chooses is kept in this browser: it says nothing about the data, so it may
 * outlive the session.
 */
export function ZoneProvider({ children }: { readonly children: ReactNode }) {
  const [kept, keep] = useLocalStorage<string | null>({
    key: 'time-zone',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const search = useQueryString();
  const [path, navigate] = useLocation();
  const given = new URLSearchParams(search).get(ZONE_PARAMETER);
  const named = parseZone(given);
  const [ofPage, setOfPage] = useState(named);
  if (named !== null && named !== ofPage) setOfPage(named);
  const chosen = named ?? ofPage ?? parseZone(kept);
  const name = chosen === null ? null : zoneName(chosen);

  useEffect(() => {
    if (given === name) return;
    const parts = new URLSearchParams(search);
    if (name === null) parts.delete(ZONE_PARAMETER);
    else parts.set(ZONE_PARAMETER, name);
    navigate(`${path}${parts.size > 0 ? `?${parts}` : ''}`, { replace: true, state: history.state });
  }, [given, name, search, path, navigate]);

  const value = useMemo((): Chosen => {
    const choose = (zone: TimeZone) => {
      keep(zone);
      setOfPage(zone);
      const parts = new URLSearchParams(location.search);
      parts.set(ZONE_PARAMETER, zoneName(zone));
      navigate(`${path}?${parts}`, { replace: true, state: history.state });
    };
    return [chosen ?? 'UTC', choose];
  }, [chosen, keep, navigate, path]);
  return <Zone value={value}>{children}</Zone>;
}

/** The zone of all shown times, and how to choose another one. */
export const useTimeZone = (): Chosen => useContext(Zone);
