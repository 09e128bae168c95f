import type { FairShare } from '../../caller/rate-limit/fair-share';
import { DomainError } from '../../errors';
import type { AnyField, LiftedName } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { EventValues } from '../../store/rows/event-values';
import type { TenantSet } from '../../tenant-set';
import type {
  ExportLease,
  ExportLeases,
  ExportPage,
  ExportPlan,
  ExportSource,
  IdSpan,
} from './export-source';

interface ExportRequest {
  readonly tenants: TenantSet;
  /** Who exports. Each holder has one export at a time. */
  readonly holder: string;
  readonly filter: AuditEventFilter;
  /** The fields that are read from `additional`, of which more may be left out; not given: all of it is read. */
  readonly lifted?: readonly LiftedName[];
  /** A record id; null: from the beginning. */
  readonly cursor: string | null;
  /** Called before each page. @throws DomainError if the caller may no longer have the events */
  readonly assertAllowed: () => Promise<void>;
}

/** A running export. Its caller must end it. */
export interface Export<Events = readonly StoredAuditEvent[]> {
  /** The number of all matching events, including those before the cursor; null: not counted. */
  readonly totalCount: number | null;
  /** The events of the batches that were taken, without the last batch, which may still be on its way. */
  readonly handedOver: number;
  /** @throws DomainError; Error if the lease was lost */
  readonly batches: AsyncIterable<Events>;
  /** Lets the holder export again. A second call does nothing. */
  end(): Promise<void>;
}

export type BeginExport = (request: ExportRequest) => Promise<Export>;
/** The same of the values of some fields. */
export type BeginValues = (
  request: Omit<ExportRequest, 'lifted'>,
  fields: readonly AnyField[],
) => Promise<Export<EventValues>>;

const RENEW_MS = LIMITS.exportLeaseMs / 3;

/**
 * Begins exports. It takes the lease and reads the first events, so that an error shows before the answer begins.
 * @throws DomainError `rate_limited`, `service_unavailable`
 */
export const exporter =
  (source: Pick<ExportSource, 'plan' | 'page'>, ...parts: Parts): BeginExport =>
  (request) =>
    begun(source, parts, request, ({ tenants, filter, lifted }, span) =>
      source.page(tenants, filter, span, lifted),
    );

/** The same of the values of some fields. */
export const valuesExporter =
  (source: Pick<ExportSource, 'plan' | 'values'>, ...parts: Parts): BeginValues =>
  (request, fields) =>
    begun(source, parts, request, ({ tenants, filter }, span) =>
      source.values(tenants, filter, span, fields),
    );

type Parts = readonly [leases: ExportLeases, fairShare: Pick<FairShare, 'run'>];
type Some = { readonly length: number };

async function begun<Events extends Some>(
  source: Pick<ExportSource, 'plan'>,
  [leases, fairShare]: Parts,
  request: ExportRequest,
  read: (request: ExportRequest, span: IdSpan) => Promise<ExportPage<Events>>,
): Promise<Export<Events>> {
  const lease = await leases.take(request.holder);
  if (!lease) throw isRunning();
  const held = hold(lease);
  try {
    const plan = await fairShare.run(request, () => source.plan(request.tenants, request.filter));
    const pages = new Pages(request, fairShare, (span) => read(request, span));
    const events = eventsOf(pages, request, plan);
    const first = await events.next();
    let handedOver = 0;
    const batches = whileHeld(held, first, events, (count) => {
      handedOver += count;
    });
    return {
      totalCount: plan.totalCount,
      batches,
      end: held.end,
      get handedOver() {
        return handedOver;
      },
    };
  } catch (error) {
    await held.end();
    throw error;
  }
}

const isRunning = () =>
  new DomainError('rate_limited', {
    public: 'An export of this key is running. There may be one at a time.',
    retryAfterSeconds: LIMITS.exportLeaseMs / 1000,
  });

type Batches<Events> = AsyncGenerator<Events, void>;

/** The pages of an export. Each one is read in its turn, after a check that the caller may still have it. */
class Pages<Events extends Some> {
  #isFirst = true;

  constructor(
    private readonly request: ExportRequest,
    private readonly fairShare: Pick<FairShare, 'run'>,
    private readonly read: (span: IdSpan) => Promise<ExportPage<Events>>,
  ) {}

  async next(span: IdSpan): Promise<ExportPage<Events>> {
    await this.request.assertAllowed();
    // A running export is not broken off after a short wait, which a caller can be told only at the start.
    const waitMs = this.#isFirst ? LIMITS.longStatementWaitMs : LIMITS.exportWaitMs;
    this.#isFirst = false;
    return this.fairShare.run(this.request, () => this.read(span), waitMs);
  }
}

async function* eventsOf<Events extends Some>(
  pages: Pages<Events>,
  { cursor }: ExportRequest,
  plan: ExportPlan,
): Batches<Events> {
  for (const span of plan.spans) {
    let after: string | null = cursor !== null && cursor > span.after ? cursor : span.after;
    let readTo: string | null = null;
    while (after !== null && after < span.upTo) {
      const page = await pages.next({ after, upTo: span.upTo, readTo });
      if (page.events.length > 0) yield page.events;
      after = page.after;
      readTo = page.readTo ?? null;
    }
  }
}

async function* whileHeld<Events extends Some>(
  held: Held,
  first: IteratorResult<Events, void>,
  rest: Batches<Events>,
  onTaken: (count: number) => void,
): Batches<Events> {
  for (let result = first; !result.done; result = await rest.next()) {
    if (held.isLost()) throw new Error('the lease of the export was lost');
    yield result.value;
    onTaken(result.value.length);
  }
}

interface Held {
  isLost(): boolean;
  end(): Promise<void>;
}

/** Renews the lease on a timer, so that a slow caller keeps it. */
function hold(lease: ExportLease): Held {
  let state: 'held' | 'lost' | 'ended' = 'held';
  const timer = setInterval(async () => {
    const isHeld = await lease.renew().catch(() => true); // asked again the next time
    if (!isHeld && state === 'held') state = 'lost';
  }, RENEW_MS);
  return {
    isLost: () => state === 'lost',
    end: async () => {
      clearInterval(timer);
      if (state === 'ended') return;
      state = 'ended';
      await lease.release().catch(() => {}); // it ends by itself
    },
  };
}
