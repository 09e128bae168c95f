const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
};

/** Minutes since midnight by the clock on the wall. @param timeZone default: that of the host */
function localMinutes(nowMs: number, timeZone?: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return minutesOf(format.format(nowMs));
}

/**
 * Whether it is time. Where clocks go back, the hour that comes twice is in the window twice; where they go forward, a
 * window within the hour that is left out opens a day later.
 * @param window `02:00-04:00`, over midnight if it ends before it begins, the whole day if both are the same; null: at any time
 */
export function isInWindow(window: string | null, nowMs: number, timeZone?: string): boolean {
  if (window === null) return true;
  const [from = 0, to = 0] = window.split('-').map(minutesOf);
  const now = localMinutes(nowMs, timeZone);
  return from < to ? now >= from && now < to : now >= from || now < to;
}
