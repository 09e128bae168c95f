import { parseTicks } from '../../src/event/event-time';

interface Event {
  readonly eventTime: string;
  readonly succeeded: boolean;
}

const textAt = (event: Event, field: string | undefined): string =>
  String((event as unknown as Readonly<Record<string, unknown>>)[field ?? ''] ?? '');

const ticksOf = ({ eventTime }: Event) => parseTicks(eventTime) ?? 0n;

/** For each group its events in each bucket, in memory. */
export const seriesByHand = (
  events: readonly Event[],
  fields: readonly (string | undefined)[],
  groups: readonly { readonly values: readonly string[] }[],
  buckets: readonly { readonly from: bigint; readonly to: bigint }[],
) =>
  groups.map(({ values }) =>
    buckets.map(
      ({ from, to }) =>
        events.filter(
          (event) =>
            ticksOf(event) >= from &&
            ticksOf(event) < to &&
            fields.every((field, i) => textAt(event, field) === values[i]),
        ).length,
    ),
  );

/** All events by few values of each field, in memory. */
export function gridByHand(
  events: readonly Event[],
  fields: readonly string[],
  valuesMax: number,
  sumOf: string | null = null,
) {
  const sumOfAll = (some: readonly Event[]): bigint | null => {
    const texts = sumOf ? some.map((event) => textAt(event, sumOf)).filter((text) => text !== '') : [];
    return texts.length > 0 ? texts.reduce((sum, text) => sum + BigInt(text), 0n) : null;
  };
  const axes = fields.map((field) => {
    const values = [...new Set(events.map((event) => textAt(event, field)))];
    const size = (value: string) => {
      const own = events.filter((event) => textAt(event, field) === value);
      return sumOf ? (sumOfAll(own) ?? 0n) : BigInt(own.length);
    };
    const sorted = values.sort((a, b) => Number(size(b) - size(a)) || (a < b ? -1 : 1));
    return { field, values: sorted.slice(0, valuesMax), distinct: values.length };
  });
  const placesOf = (event: Event) =>
    axes.map(({ field, values }) => {
      const place = values.indexOf(textAt(event, field));
      return place < 0 ? values.length : place;
    });
  const keys = [...new Set(events.map((event) => JSON.stringify(placesOf(event))))];
  const cells = keys.map((key) => {
    const own = events.filter((event) => JSON.stringify(placesOf(event)) === key);
    const failed = own.filter(({ succeeded }) => !succeeded).length;
    return { places: JSON.parse(key) as number[], n: own.length, failed, sum: sumOfAll(own) };
  });
  const groups = new Set(events.map((event) => JSON.stringify(fields.map((field) => textAt(event, field)))));
  const order = (a: readonly number[], b: readonly number[]) =>
    a.map((place, i) => place - (b[i] ?? 0)).find((sign) => sign !== 0) ?? 0;
  return {
    totalCount: events.length,
    groupCount: groups.size,
    axes,
    cells: cells.sort((a, b) => order(a.places, b.places)),
  };
}

/** A grid as `gridByHand` has it: sums of any size are of one type. */
export const plainGrid = <T extends { readonly cells: readonly { readonly sum: number | bigint | null }[] }>(
  grid: T,
) => ({
  ...grid,
  cells: grid.cells.map((cell) => ({ ...cell, sum: cell.sum === null ? null : BigInt(cell.sum) })),
});

/** The hours of the week, Monday first, in memory. @param aheadMinutes by which the clock is ahead of UTC */
export function weekHoursByHand(events: readonly Event[], aheadMinutes: number) {
  const local = (event: Event) => new Date(Number(ticksOf(event) / 10_000n) + aheadMinutes * 60_000);
  const placeOf = (event: Event) => {
    const at = local(event);
    return ((at.getUTCDay() + 6) % 7) * 24 + at.getUTCHours();
  };
  return Array.from({ length: 168 }, (_, place) => {
    const own = events.filter((event) => placeOf(event) === place);
    const hours = own.map((event) => local(event).toISOString().slice(0, 13));
    const sizes = [...new Set(hours)].map((hour) => hours.filter((other) => other === hour).length);
    const failed = own.filter(({ succeeded }) => !succeeded).length;
    return { succeeded: own.length - failed, failed, busiest: Math.max(0, ...sizes) };
  });
}
