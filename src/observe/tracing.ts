import type { RequestHandler } from 'express';

type SpanAttributes = Readonly<Record<string, string | number>>;

/** Port: what the entrances and the database tell of the way of a request. Values of the caller are no part of it. */
export interface Tracing {
  /** Begins the span of a request, within the caller's own trace if it names one. */
  readonly request: RequestHandler;
  /** Does the work in a span within the present one. */
  span<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** Says more of the present span. */
  note(attributes: SpanAttributes): void;
  /** Sends what is not sent yet, for a bounded time. */
  close(): Promise<void>;
}
