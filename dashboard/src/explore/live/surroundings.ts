import { useDocumentVisibility } from '@mantine/hooks';

export const useVisible = (): boolean => useDocumentVisibility() === 'visible';

/** Waits, and no longer once the browser has a network again. */
export function restUntilOnline(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}
