import type { AddressList } from '../address-list';
import type { Layout } from '../database/each-tenant';
import { DomainError } from '../errors';
import { Rests } from '../rests';
import { type NoTenants, noTenant, type TenantSet, tenantSet, tenantsOrNone } from '../tenant-set';
import type { Asker } from './rate-limit/fair-share';
import { READ_ALERTS_SCOPE, type Scope } from './scopes';

/** The caller, made from the key or session of a request. Access rules need nothing else. */
export type Principal =
  | (Caller & {
      readonly kind: 'public';
      readonly scopes: readonly string[];
      readonly tenantIds: TenantSet | NoTenants;
      /** Set for a caller of other tenants too, which an operator has disabled: it reads none of them now. */
      readonly disabledTenantIds?: TenantSet;
      readonly rateLimitPerMinute: number | null;
    })
  | (Caller & { readonly kind: 'agent'; readonly tenantId: number })
  | (Caller & { readonly kind: 'operator' })
  /** An agent that has a token, and fetches a key of its own. */
  | (Caller & { readonly kind: 'enroll'; readonly tenantId: number; readonly keyDays: number | null });

interface Caller {
  readonly keyId: string;
  /** The name of the key. */
  readonly name: string;
  /** The networks from which the key may be used; absent: any. */
  readonly allowedFrom?: AddressList;
  /** Set if an operator has disabled every tenant for which it may act. */
  readonly isDisabled?: true;
  /** Set for a dashboard session. */
  readonly session?: {
    /** The person who signed in; null: the holder of the key. */
    readonly user: string | null;
  };
}

/** The holder for whom bounds are counted: a key, including sessions signed in with it, or a person. */
export const holderOf = ({ keyId, session }: Principal): string =>
  session?.user ? `user ${session.user}` : `key ${keyId}`;

/** Tenants a principal may act for. */
export function tenantsOf(principal: Principal): readonly number[] {
  if (principal.kind === 'public') return principal.tenantIds;
  return principal.kind === 'operator' ? [] : [principal.tenantId];
}

/** What a caller of tenants reads now. @param inUse those of them that are not disabled */
export function tenantsReadBy(tenantIds: readonly number[], inUse: readonly number[]) {
  const disabled = tenantIds.filter((tenantId) => !inUse.includes(tenantId));
  return {
    tenantIds: tenantsOrNone(inUse),
    ...(disabled.length > 0 && { disabledTenantIds: tenantSet(disabled) }),
  };
}

/** The callers that may use an operation. A root field of GraphQL states the rule with `@Access`. */
export type AccessRule =
  | {
      readonly principal: 'public';
      readonly scope: Scope;
      /** Only for sessions of the dashboard. Over /graphql, a key can reach only what it can over REST. */
      readonly via?: 'session';
      /** With `via`: keys may use it at /mcp too, where its answers are bounded rows. */
      readonly assistants?: true;
      /** Operators may use it too, if they name the tenant. */
      readonly operators?: true;
    }
  | { readonly principal: 'agent' }
  | { readonly principal: 'enroll' }
  | { readonly principal: 'operator' };

/** The ways into the service. */
export type Entrance = 'rest' | 'graphql' | 'dashboard' | 'mcp';

/** @throws DomainError `forbidden` */
export function enforce(
  rule: AccessRule,
  { principal, entrance }: { readonly principal: Principal; readonly entrance: Entrance },
): void {
  if (rule.principal === 'public' && rule.operators && principal.kind === 'operator') return;
  if (principal.kind !== rule.principal) {
    throw new DomainError('forbidden', { public: 'This API key does not permit this operation.' });
  }
  if (rule.principal !== 'public' || principal.kind !== 'public') return;
  const isAssistant = rule.assistants === true && entrance === 'mcp';
  if (rule.via === 'session' && !principal.session && !isAssistant) {
    throw new DomainError('forbidden', { public: 'This operation is for those signed in to the dashboard.' });
  }
  if (!principal.scopes.includes(rule.scope)) {
    throw new DomainError('forbidden', { public: `This API key lacks the scope ${rule.scope}.` });
  }
  if (principal.tenantIds.length === 0) {
    throw noTenant();
  }
}

/** The asker of a statement that may take long. */
export const askerOf = (call: {
  readonly principal: Principal;
  readonly gone: AbortSignal;
}): Asker & { readonly tenants: TenantSet } => ({
  holder: holderOf(call.principal),
  tenants: tenantSetOf(call),
  gone: call.gone,
});

/** The tenants of a public principal. The access rule has made sure that there is one. */
export function tenantSetOf({ principal }: { readonly principal: Principal }): TenantSet {
  if (principal.kind !== 'public' || isNone(principal.tenantIds)) throw noTenant();
  return principal.tenantIds;
}

const isNone = (tenantIds: TenantSet | NoTenants): tenantIds is NoTenants => tenantIds.length === 0;

/** After a node of a cluster was found away, tenants are asked about one by one for so long. */
const ONE_BY_ONE_MS = 2_000;

/** The tenants that have a mark, such as that an operator has disabled them, as they were a short time ago at most. */
export class MarkedTenants {
  #read: { readonly at: number; readonly ids: Promise<readonly number[]> } | null = null;
  /** Null: no node was away yet. */
  #rests: Rests<'all' | number> | null = null;

  /**
   * @param marked those with the mark. It is asked about all tenants, or about one and then only its own node.
   * @param isUnknownMarked whether one of several tenants counts as marked while its node is away
   * @param nowMs a clock that nobody sets
   */
  constructor(
    private readonly marked: (only?: number) => Promise<readonly number[]>,
    private readonly layout: Layout,
    private readonly options: { readonly keptMs: number; readonly isUnknownMarked: boolean },
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /**
   * Those of the tenants that have the mark. While a node of a cluster is away, each tenant's own node is asked.
   * @throws DomainError `service_unavailable`
   */
  async among(tenantIds: readonly number[]): Promise<readonly number[]> {
    const [one] = tenantIds;
    if (one === undefined) return [];
    if (!this.#rests?.isResting('all')) {
      try {
        const all = await this.#all();
        return tenantIds.filter((tenantId) => all.includes(tenantId));
      } catch (error) {
        if (!this.layout.isDistributed) throw error;
        this.#rests ??= new Rests();
        this.#rests.failed('all', () => ONE_BY_ONE_MS);
      }
    }
    if (tenantIds.length === 1) return this.marked(one);
    const found: number[] = [];
    for (const tenantId of tenantIds) if (await this.#countsAsMarked(tenantId)) found.push(tenantId);
    return found;
  }

  /** Asks anew the next time, because a mark was changed. */
  forget(): void {
    this.#read = null;
  }

  async #countsAsMarked(tenantId: number): Promise<boolean> {
    const { isUnknownMarked } = this.options;
    if (this.#rests?.isResting(tenantId)) return isUnknownMarked;
    try {
      return (await this.marked(tenantId)).length > 0;
    } catch {
      this.#rests?.failed(tenantId, () => ONE_BY_ONE_MS);
      return isUnknownMarked;
    }
  }

  async #all(): Promise<readonly number[]> {
    const now = this.nowMs();
    if (this.#read && now - this.#read.at < this.options.keptMs) return this.#read.ids;
    const read = { at: now, ids: this.marked() };
    this.#read = read;
    read.ids.catch(() => {
      if (this.#read === read) this.#read = null;
    });
    return read.ids;
  }
}

/** Tenants as events name them. */
export interface Masks {
  /** Those whose statements the caller sees without literals. */
  readonly masked?: ReadonlySet<string>;
  /** Those whose statements the caller sees whole, and others do not. */
  readonly unmasked?: ReadonlySet<string>;
}

/** What is masked for a caller. Agents and operators get no events. */
export async function masksOf(principal: Principal, tenants: Pick<MarkedTenants, 'among'>): Promise<Masks> {
  if (principal.kind !== 'public') return {};
  const ids = (await tenants.among(principal.tenantIds)).map(String);
  if (ids.length === 0) return {};
  return principal.scopes.includes(UNMASK_SCOPE) ? { unmasked: new Set(ids) } : { masked: new Set(ids) };
}
const UNMASK_SCOPE: Scope = 'unmask';

/** Whether an answer may have its part about alerts and incidents. Operators have questions of their own for them. */
export const mayReadAlerts = (principal: Principal): boolean =>
  principal.kind === 'public' && principal.scopes.includes(READ_ALERTS_SCOPE);
