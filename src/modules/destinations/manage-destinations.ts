import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../caller/access-log';
import type { TenantStore } from '../../caller/tenant.store';
import { within } from '../../deadline';
import { type NetworkGuard, RefusedAddress } from '../../delivery/network-guard';
import type { Outcome } from '../../delivery/outcome';
import type { SecretBox } from '../../delivery/secret-box';
import { newSigningSecret, publicKeyOf, type SignatureVersion } from '../../delivery/standard-webhooks';
import { DomainError, refusal as refused } from '../../errors';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';

import { isUuid } from '../../event/uuid';
import { LIMITS } from '../../limits';
import { parseTenantId } from '../../tenant-set';
import type { ArrivalReader } from '../../trail/arrivals/arrival-reader';
import type { LogEpoch } from '../../trail/epoch/log-epoch';
import type { Deliveries } from './deliveries';
import { type Destination, ownerOfSecrets } from './destination';
import type { DestinationStore } from './destination.store';
import { checkRequest, checkSecrets, type DestinationRequest } from './destination-request';
import { testItem } from './to-item';
import type { SigningSecret, StoredSecrets } from './types';

interface ShownSecret {
  /** Null if nobody may see it. */
  readonly secret: string | null;
  readonly publicKey: string | null;
}

const NO_SECRET: ShownSecret = { secret: null, publicKey: null };
const LOOKUP_MS = 3_000;

/** The operations on destinations for operators. */
export class DestinationManager {
  constructor(
    private readonly parts: {
      readonly store: DestinationStore;
      readonly tenants: Pick<TenantStore, 'existing'>;
      readonly feed: Pick<ArrivalReader, 'sizes' | 'positionAt'>;
      readonly deliveries: Pick<Deliveries, 'sendOne'>;
      readonly box: SecretBox;
      readonly guard: NetworkGuard;
      readonly epoch: Pick<LogEpoch, 'look'>;
      readonly nowMs: () => number;
    },
  ) {}

  /** @param from beginning, now or a time of arrival @throws DomainError `invalid_parameter`, naming every problem */
  async create(
    request: DestinationRequest,
    from: string,
    attempt: Attempt,
  ): Promise<ShownSecret & { readonly destinationId: string }> {
    const { store, tenants } = this.parts;
    const tenantId = parseTenantId(request.tenantId) ?? 0;
    const isKnown = (await tenants.existing([tenantId])).length > 0;
    const result = checkRequest(request);
    const problems = [
      ...(isKnown ? [] : [`tenant ${request.tenantId.slice(0, 20)} does not exist`]),
      ...startProblems(from, 'from'),
      ...('problems' in result ? result.problems : await this.#addressProblems(result.checked.url)),
    ];
    if (problems.length > 0 || 'problems' in result) throw refusal(problems);
    const { name, type, format, url, settings, secrets } = result.checked;
    const signing = type === 'webhook' ? newSigningSecret(settings.signature as SignatureVersion) : null;
    const stored = {
      ...secrets,
      ...(url.search !== '' && { query: url.search }),
      ...(signing !== null && { signing: [{ secret: signing }] }),
    };
    url.search = '';
    const key = { tenantId, destinationId: randomUUID() };
    const row = {
      ...key,
      name,
      type,
      format,
      filter: request.filter,
      settings: { ...settings, url: url.href },
      secrets: this.#seal(key, stored),
      position: await this.#positionOf(tenantId, from),
      goEpoch: (await this.parts.epoch.look()).epoch,
    };
    const max = LIMITS.destinationsPerTenantMax;
    if (!(await store.insert(row, max, attempt))) throw refusal([`a tenant has at most ${max} destinations`]);
    return { destinationId: key.destinationId, ...shownOf(signing) };
  }

  async list(tenantId: string | null): Promise<readonly Destination[]> {
    if (tenantId === null) return this.parts.store.list(null);
    const id = parseTenantId(tenantId);
    return id === null ? [] : this.parts.store.list(id);
  }

  /** Sends one marked event in any state. */
  async test(destinationId: string, attempt: Attempt): Promise<Outcome> {
    const destination = await this.find(destinationId);
    const id = `test_${randomUUID().replaceAll('-', '')}`;
    const item = testItem(destination.tenantId, destination.format, new Date(this.parts.nowMs()));
    const outcome = await this.parts.deliveries.sendOne(destination, id, item);
    await this.parts.store.note(destination, attempt);
    return outcome;
  }

  async pause(destinationId: string, attempt: Attempt): Promise<Destination> {
    const destination = await this.find(destinationId);
    await this.parts.store.pause(destination, attempt);
    return this.find(destinationId);
  }

  async resume(destinationId: string, attempt: Attempt): Promise<Destination> {
    const destination = await this.find(destinationId);
    const { epoch } = await this.parts.epoch.look();
    await this.parts.store.resume(destination, epoch, attempt);
    return this.find(destinationId);
  }

  /** @param to exactly one of: a position of the log; or `from` as beginning, now or a time of arrival */
  async replay(
    destinationId: string,
    to: { readonly position: string | null; readonly from: string | null },
    attempt: Attempt,
  ): Promise<Destination> {
    if ((to.position === null) === (to.from === null)) throw refusal(['give either position or from']);
    const problems = [
      ...(to.from === null ? [] : startProblems(to.from, 'from')),
      ...(to.position === null || /^\d{1,15}$/.test(to.position)
        ? []
        : ['position must be a position of the log']),
    ];
    if (problems.length > 0) throw refusal(problems);
    const destination = await this.find(destinationId);
    const { tenantId, logSize } = destination;
    const position = to.from === null ? Number(to.position) : await this.#positionOf(tenantId, to.from);
    if (position > logSize) throw refusal([`position must be at most ${logSize}, where the log ends`]);
    await this.parts.store.replay(destination, position, attempt);
    return this.find(destinationId);
  }

  /**
   * Makes a new secret for a webhook, and the old one also signs until the overlap ends. For other types, the given
   * secrets replace the old ones at once.
   */
  async rotateSecret(
    destinationId: string,
    { overlapMinutes, secrets }: { readonly overlapMinutes: number; readonly secrets: unknown },
    attempt: Attempt,
  ): Promise<ShownSecret & { readonly destinationId: string; readonly overlapEndsAt: Date | null }> {
    const destination = await this.find(destinationId);
    const { box, store, nowMs } = this.parts;
    const max = LIMITS.keyOverlapMinutesMax;
    if (overlapMinutes < 0 || overlapMinutes > max)
      throw refusal([`overlapMinutes must be from 0 to ${max}`]);
    const isWebhook = destination.type === 'webhook';
    if (!isWebhook && (secrets === null || secrets === undefined))
      throw refusal([`a destination of type ${destination.type} needs its new secrets`]);
    const given = checkSecrets(destination.type, secrets ?? {});
    if (given.problems.length > 0) throw refusal(given.problems);
    const old = JSON.parse(box.open(destination.secrets, ownerOfSecrets(destination))) as StoredSecrets;
    const overlapEndsAt = new Date(nowMs() + overlapMinutes * 60_000);
    const made = isWebhook ? newSigningSecret(destination.settings.signature as SignatureVersion) : null;
    const next = {
      ...(secrets === null || secrets === undefined
        ? old
        : { ...(old.query && { query: old.query }), ...given.value }),
      ...(made !== null && {
        signing: [{ secret: made }, ...ending(old.signing ?? [], overlapEndsAt, nowMs())],
      }),
    };
    await store.putSecrets(destination, this.#seal(destination, next), attempt);
    return {
      destinationId: destination.destinationId,
      ...shownOf(made),
      overlapEndsAt: isWebhook ? overlapEndsAt : null,
    };
  }

  async remove(destinationId: string, attempt: Attempt): Promise<Destination> {
    const destination = await this.find(destinationId);
    await this.parts.store.remove(destination, attempt);
    return destination;
  }

  async setAside(destinationId: string, first: number) {
    const max = LIMITS.destinationSetAsidePageMax;
    if (first < 1 || first > max) throw refusal([`first must be from 1 to ${max}`]);
    return this.parts.store.setAside(await this.find(destinationId), first);
  }

  /** The public key of a webhook that signs with v1a, else null. */
  publicKey(destination: Destination): string | null {
    const { settings, secrets } = destination;
    if (settings.signature !== 'v1a' || !this.parts.box.opens(secrets)) return null;
    const { signing } = JSON.parse(
      this.parts.box.open(destination.secrets, ownerOfSecrets(destination)),
    ) as StoredSecrets;
    return publicKeyOf(signing?.[0]?.secret ?? '');
  }

  /** @throws DomainError `not_found` */
  async find(destinationId: string): Promise<Destination> {
    if (!isUuid(destinationId)) throw refusal(['destinationId must be the id of a destination']);
    const found = await this.parts.store.find(destinationId.toLowerCase());
    if (!found) throw new DomainError('not_found', { public: 'There is no such destination.' });
    return found;
  }

  #seal = (key: { tenantId: number; destinationId: string }, secrets: object) =>
    this.parts.box.seal(JSON.stringify(secrets), ownerOfSecrets(key));

  async #positionOf(tenantId: number, from: string): Promise<number> {
    const { feed } = this.parts;
    if (from === 'beginning') return 0;
    if (from === 'now') return (await feed.sizes([tenantId])).get(tenantId) ?? 0;
    return feed.positionAt(tenantId, new Date(Number((parseTicks(from) ?? 0n) / TICKS_PER_MS)));
  }

  /** A name that cannot be resolved yet is a problem only for a connection without encryption. */
  async #addressProblems({ hostname, protocol }: URL): Promise<string[]> {
    const isPlain = protocol === 'http:' || protocol === 'relp:';
    const late = () => new Error('the name was not resolved in time');
    try {
      await within(LOOKUP_MS, late, () =>
        this.parts.guard.addressesOf(hostname.replace(/^\[|\]$/g, ''), isPlain),
      );
    } catch (error) {
      if (error instanceof RefusedAddress) return [`url: ${error.message}`];
      if (isPlain)
        return [
          `url: ${hostname} is not known, and without encryption only networks of DESTINATION_ALLOW_NETWORKS are reached`,
        ];
    }
    return [];
  }
}

const startProblems = (from: string, name: string): string[] =>
  from === 'beginning' || from === 'now' || parseTicks(from) !== null
    ? []
    : [`${name} must be beginning, now or an ISO 8601 time`];

const shownOf = (signing: string | null): ShownSecret => {
  if (signing === null) return NO_SECRET;
  const publicKey = publicKeyOf(signing);
  return { secret: publicKey === null ? signing : null, publicKey };
};

const SIGNING_MAX = 3;

/** The previous secrets, each of which signs at most until the given time. */
function ending(signing: readonly SigningSecret[], at: Date, nowMs: number): SigningSecret[] {
  return signing
    .filter(({ until }) => until === undefined || Date.parse(until) > nowMs)
    .map(({ secret, until }) => ({
      secret,
      until: until && until < at.toISOString() ? until : at.toISOString(),
    }))
    .slice(0, SIGNING_MAX - 1);
}

const refusal = (problems: readonly string[]) =>
  refused(problems.map((message) => ({ code: 'refused', field: null, message, detail: {} })));
