import type { RequestHandler } from 'express';

type SpanAttributes = Readonly<Record<string, string | number>>;

/**
 * Port through which the entrances and the database report how a request is processed. They never report a caller's
 * values.
 */
export interface Tracing {
  /** Begins the span of a request, within the caller's own trace if the request names one. */
  readonly request: RequestHandler;
  /** Runs the work in a span within the present span. */
  span<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** Adds attributes to the present span. */
  note(attributes: SpanAttributes): void;
  /** Sends the spans that are left, for a limited time. */
  close(): Promise<void>;
}
