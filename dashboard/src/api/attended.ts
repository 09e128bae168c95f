import { MINUTE_MS } from '../lib/time';
import { PAGE_HEADER, UNATTENDED_HEADER } from './session';

/** Without an act for so long, the page asks by itself. */
const ATTENDED_MS = 5 * MINUTE_MS;
const ACTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
let actedMs = Date.now();

interface Target {
  addEventListener(type: string, listener: () => void, options: object): void;
}

/** Notes what a person does in the page. */
export function noteActs(page: Target): void {
  const note = () => {
    actedMs = Date.now();
  };
  for (const act of ACTS) page.addEventListener(act, note, { passive: true, capture: true });
}

/**
 * The headers of a question. They say whether a person acts in the page: what an open page asks by itself is no use of the
 * session, which would otherwise not end while nobody is there.
 */
export const askingHeaders = (nowMs = Date.now()): Record<string, string> =>
  nowMs - actedMs < ATTENDED_MS ? PAGE_HEADER : UNATTENDED_HEADER;
