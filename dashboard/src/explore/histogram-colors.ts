import { useComputedColorScheme } from '@mantine/core';
import { useContrast, useForcedColors, useIsPrinted } from '../lib/contrast';

/** Each at least 3:1 against its background, and the two apart in lightness too. */
const HISTOGRAM_COLORS = {
  usual: {
    light: { succeeded: '#7d91a8', failed: '#c92a2a', text: '#495057', grid: '#dee2e6' },
    dark: { succeeded: '#64788f', failed: '#ff8787', text: '#ced4da', grid: '#373a40' },
  },
  more: {
    light: { succeeded: '#4a5b6d', failed: '#b00000', text: '#000', grid: '#8a8a8a' },
    dark: { succeeded: '#8fa3b8', failed: '#ff6b6b', text: '#fff', grid: '#6b6b6b' },
  },
} as const;
/** Colours of the system, for those who set their own. */
const OF_SYSTEM = { succeeded: 'CanvasText', failed: 'Highlight', text: 'CanvasText', grid: 'GrayText' };

export type HistogramColors = Readonly<Record<keyof typeof OF_SYSTEM, string>>;

/** The colours of the histogram for the scheme and the contrast of the page; paper is light. */
export function useHistogramColors(): HistogramColors {
  const ofScreen = useComputedColorScheme('light');
  const scheme = useIsPrinted() ? 'light' : ofScreen;
  const [contrast] = useContrast();
  return useForcedColors() ? OF_SYSTEM : HISTOGRAM_COLORS[contrast][scheme];
}
