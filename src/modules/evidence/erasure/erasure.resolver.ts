import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { TenantStore } from '../../../caller/tenant.store';
import type { Prisma } from '../../../database/clients';
import { DomainError } from '../../../errors';
import type { Expression } from '../../../event/expression/expression';
import type { ParameterValues } from '../../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../../event/parameters';
import { parseParameters } from '../../../event/parse-parameters';
import { type AuditEventFilter, toAuditEventFilter } from '../../../event/query';
import type { Answer } from '../../../event/shape';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { LIMITS } from '../../../limits';
import type { ErasureFiles } from '../../../store/log/evidence/erasure-files';
import { noSuchTenant, parseTenantId } from '../../../tenant-set';
import type { ErasureStore, StoredErasure } from './erasure.store';
import {
  ERASE_PARAMETERS,
  ERASURE,
  ERASURE_PREVIEW,
  ERASURES_PARAMETERS,
  PREVIEW_PARAMETERS,
  REPEAT_PARAMETERS,
} from './parameters';

const ErasureType = objectType(ERASURE);
type ErasureType = Answer<typeof ERASURE>;
const ErasurePreviewType = objectType(ERASURE_PREVIEW);
type ErasurePreviewType = Answer<typeof ERASURE_PREVIEW>;

/** What legal holds keep. */
export interface Holds {
  /** What they keep of a tenant now. */
  of(tenantId: number): Promise<'nothing' | 'everything' | Expression>;
  /** The number of some stored events that they keep. One that is made later waits for the end of the transaction. */
  count(tx: Prisma.TransactionClient, tenantId: number, recordIds: readonly string[]): Promise<number>;
}

/** Erases events, for operators. */
@Resolver()
export class ErasureResolver {
  constructor(
    private readonly store: ErasureStore,
    private readonly tenants: Pick<TenantStore, 'existing'>,
    private readonly holds: Pick<Holds, 'of'>,
    private readonly files: Pick<ErasureFiles, 'lost'>,
  ) {}

  @Query(() => ErasurePreviewType, { description: 'How many events an erasure would erase now.' })
  @Access({ principal: 'operator' })
  @Takes(PREVIEW_PARAMETERS)
  async erasurePreview({
    tenantId: given,
    erased,
  }: ParameterValues<typeof PREVIEW_PARAMETERS>): Promise<ErasurePreviewType> {
    const tenantId = await this.#tenant(given);
    const found = await this.store.find(tenantId, filterOf(erased));
    return { tenantId: given, events: found.length };
  }

  @Mutation(() => ErasureType, {
    description:
      'Erases events of a tenant for good, with all that was made of them. It goes on in the background: see `erasures`. The entries of the evidence log stay, without record ids, and an entry names the erased ones.',
  })
  @Access({ principal: 'operator' })
  @Takes(ERASE_PARAMETERS)
  async eraseEvents(
    { tenantId: given, erased, reason, events }: ParameterValues<typeof ERASE_PARAMETERS>,
    context: Call,
  ): Promise<ErasureType> {
    const tenantId = await this.#tenant(given);
    const filter = filterOf(erased);
    const found = await this.store.find(tenantId, filter);
    await this.#assertFree(tenantId, filter, found.length);
    if (found.length !== events)
      throw new DomainError('invalid_parameter', {
        public: `The filter finds ${found.length} events, and ${events} were confirmed. Nothing is erased.`,
      });
    return toType(await this.store.begin(tenantId, found, reason, attemptOf(context)));
  }

  @Mutation(() => ErasureType, {
    description:
      'Erases again what `logEpoch` names under `lostErasures`: events of a tenant that a restored database has again. One erasure begins, for all that are given. Events that a legal hold keeps wait for its end.',
  })
  @Access({ principal: 'operator' })
  @Takes(REPEAT_PARAMETERS)
  async repeatErasures(
    { tenantId: given, erasureIds }: ParameterValues<typeof REPEAT_PARAMETERS>,
    context: Call,
  ): Promise<ErasureType> {
    const tenantId = await this.#tenant(given);
    const lost = await this.files.lost(new Set(erasureIds));
    const own = lost.filter((erasure) => erasure.tenantId === String(tenantId));
    const found = new Set(own.map(({ erasureId }) => erasureId));
    const others = erasureIds.filter((id) => !found.has(id));
    if (others.length > 0)
      throw new DomainError('invalid_parameter', {
        public: `${others.length} of the erasures are not to be made again, such as ${others[0]}. Nothing is erased: see lostErasures of logEpoch.`,
      });
    const recordIds = [...new Set(own.flatMap((erasure) => erasure.recordIds))];
    if (recordIds.length > LIMITS.erasureEventsMax)
      throw new DomainError('invalid_parameter', {
        public: `One erasure has at most ${LIMITS.erasureEventsMax} events, and these have ${recordIds.length}. Give fewer of them.`,
      });
    const reason = [...new Set(own.map((erasure) => erasure.reason))].join('; ');
    return toType(
      await this.store.begin(tenantId, recordIds, reason.slice(0, LIMITS.nameCharsMax), attemptOf(context)),
    );
  }

  @Query(() => [ErasureType], { description: 'The erasures of a tenant, newest first.' })
  @Access({ principal: 'operator' })
  @Takes(ERASURES_PARAMETERS)
  async erasures({ tenantId, first }: ParameterValues<typeof ERASURES_PARAMETERS>): Promise<ErasureType[]> {
    return (await this.store.newest(await this.#tenant(tenantId), first)).map(toType);
  }

  /** The eraser asks again for each event, so that no hold that is made meanwhile is overtaken. */
  async #assertFree(tenantId: number, filter: AuditEventFilter, found: number): Promise<void> {
    const held = await this.holds.of(tenantId);
    if (held === 'nothing') return;
    const kept = held === 'everything' ? found : (await this.store.find(tenantId, both(filter, held))).length;
    if (kept === 0) return;
    throw new DomainError('invalid_parameter', {
      public: `Legal holds keep ${kept} of these ${found} events. Nothing is erased: end the holds first, or give another filter.`,
    });
  }

  async #tenant(given: string): Promise<number> {
    const tenantId = parseTenantId(given);
    if (tenantId === null || (await this.tenants.existing([tenantId])).length === 0) throw noSuchTenant();
    return tenantId;
  }
}

const both = (filter: AuditEventFilter, held: Expression): AuditEventFilter => ({
  ...filter,
  expression: filter.expression === null ? held : { kind: 'and', of: [filter.expression, held] },
});

/** Without a filter and a time, everything would be meant. */
function filterOf(erased: ParameterValues<typeof PREVIEW_PARAMETERS>['erased']): AuditEventFilter {
  if (Object.values(erased).every((value) => value === undefined || value === ''))
    throw new DomainError('invalid_parameter', {
      public: 'Give a filter or a time: otherwise all events of the tenant would be erased.',
    });
  return toAuditEventFilter(parseParameters(FILTER_PARAMETERS, erased));
}

const toType = ({ tenantId, at, endedAt, ...erasure }: StoredErasure): ErasureType => ({
  ...erasure,
  tenantId: String(tenantId),
  at: at.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
});
