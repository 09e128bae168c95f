import { useRef } from 'react';

/** The value of the last drawing, as long as this one has the same JSON: so an effect depends on what a value says. */
export function useStable<T>(value: T): T {
  const last = useRef(value);
  if (last.current !== value && JSON.stringify(last.current) !== JSON.stringify(value)) last.current = value;
  return last.current;
}
