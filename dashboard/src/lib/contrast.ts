import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useEffect } from 'react';

type Contrast = 'more' | 'usual';

/** How much contrast the page has in this browser: what a person chose here, else what the system asks for. */
export function useContrast(): [Contrast, (contrast: Contrast) => void] {
  const [kept, keep] = useLocalStorage<Contrast | null>({
    key: 'contrast',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const isAsked = useMediaQuery('(prefers-contrast: more)', false, { getInitialValueInEffect: false });
  const contrast = kept === 'more' || kept === 'usual' ? kept : isAsked ? 'more' : 'usual';
  return [contrast, keep];
}

/** Tells the styles how much contrast there is. */
export function useContrastOfPage(): void {
  const [contrast] = useContrast();
  useEffect(() => {
    document.documentElement.dataset.contrast = contrast;
  }, [contrast]);
}

/** Whether the system sets the colours of all pages. */
export const useForcedColors = (): boolean =>
  useMediaQuery('(forced-colors: active)', false, { getInitialValueInEffect: false });

/** Whether the page is on paper. */
export const useIsPrinted = (): boolean => useMediaQuery('print', false, { getInitialValueInEffect: false });
