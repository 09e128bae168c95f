import type { components, operations } from './api.js';
import { type ExportLine, type ExportOptions, exportEvents } from './export.js';
import { type ClientOptions, Http } from './http.js';
import { type Follows, type Page, Pages } from './pages.js';
import { type TailBatch, type TailItem, type TailOptions, tail } from './tail.js';

export type { components, operations, paths } from './api.js';
export * from './errors.js';
export type { ExportLine, ExportOptions } from './export.js';
export type { CallOptions, ClientOptions } from './http.js';
export { type Page, Pages } from './pages.js';
export {
  type CursorStore,
  isCursorRefused,
  MemoryCursorStore,
  type TailBatch,
  type TailItem,
  type TailOptions,
} from './tail.js';

type Schemas = components['schemas'];
type QueryOf<O extends keyof operations> = NonNullable<operations[O]['parameters']['query']>;

/** The public API of one service, with one key. */
export class AuditActivityClient {
  readonly #http: Http;

  constructor(options: ClientOptions) {
    this.#http = new Http(options);
  }

  /**
   * Events without their whole statements, newest first unless sorted otherwise. Events that arrive meanwhile move
   * others to the next page; in the order of time, the client still gives each event only once.
   */
  events(query: Omit<QueryOf<'listAuditActivity'>, 'page'> = {}): Pages<Schemas['AuditActivityListItem']> {
    const { sortBy = 'Timestamp', sortDirection = 'desc' } = query;
    const isByTime = sortBy === 'Timestamp' || sortBy === 'eventTime';
    return this.#pages<Schemas['AuditActivityListItem']>(
      '/audit-activity',
      { pageSize: 100, ...query },
      // Record ids sort as times do.
      isByTime
        ? (one, last) =>
            sortDirection === 'asc' ? one.recordId > last.recordId : one.recordId < last.recordId
        : undefined,
    );
  }

  /** One event in full. @throws NotFoundError */
  async event(recordId: string): Promise<Schemas['AuditActivityDetail']> {
    return (
      await this.#json<{ data: Schemas['AuditActivityDetail'] }>(
        `/audit-activity/${encodeURIComponent(recordId)}`,
      )
    ).data;
  }

  /** Counts over a time range. */
  async summary(query: QueryOf<'getAuditActivitySummary'> = {}): Promise<Schemas['AuditActivitySummary']> {
    return (await this.#json<{ data: Schemas['AuditActivitySummary'] }>('/audit-activity/summary', query))
      .data;
  }

  /** The databases that agents read, and how far the events of each are complete. */
  sources(query: Omit<QueryOf<'listAuditSources'>, 'page'> = {}): Pages<Schemas['AuditSource']> {
    return this.#pages('/audit-sources', { pageSize: 100, ...query });
  }

  /** Events in the order of arrival, each once, without end: see the README. */
  tail<T = TailItem>(options: TailOptions = {}): AsyncGenerator<TailBatch<T>, void, undefined> {
    return tail<T>(this.#http, options);
  }

  /** All events that match, in full, oldest first. */
  export(options: ExportOptions = {}): AsyncGenerator<ExportLine, void, undefined> {
    return exportEvents(this.#http, options);
  }

  #pages<T>(path: string, query: object, follows?: Follows<T>): Pages<T> {
    return new Pages((page) => this.#json<Page<T>>(path, { ...query, page }), follows);
  }

  #json<T>(path: string, query: object = {}): Promise<T> {
    return this.#http.json<T>(path, query as never);
  }
}
