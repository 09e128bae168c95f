import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../caller/access-log';
import type { TenantStore } from '../../caller/tenant.store';
import type { NetworkGuard } from '../../delivery/network-guard';
import type { Outcome } from '../../delivery/outcome';
import type { SecretBox } from '../../delivery/secret-box';
import { newSigningSecret, publicKeyOf, type SignatureVersion } from '../../delivery/standard-webhooks';
import { DomainError, refusal, refuseIf } from '../../errors';
import { msOfTime } from '../../event/event-time';
import type { DestinationFormat } from '../../event/formats/formats';
import type { GivenValues, ParameterValues } from '../../event/parameter-specs';
import { parseParameters } from '../../event/parse-parameters';
import { LIMITS } from '../../limits';
import { conflict, problem } from '../../problem';
import type { ArrivalReader } from '../../store/log/arrivals/arrival-reader';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import { parseTenantId } from '../../tenant-set';
import type { Deliveries } from './deliveries';
import { type Destination, ownerOfSecrets } from './destination';
import type { DestinationStore } from './destination.store';
import {
  type DestinationChange,
  type DestinationRequest,
  ONE_DESTINATION,
  REPLAY_DESTINATION,
  ROTATE_SECRET,
  type TRY_DESTINATION,
} from './destination-parameters';
import { type CheckedRequest, checkChange, checkRequest, checkSecrets } from './destination-request';
import { addressProblems, noSuchTenantNamed } from './request-problems';
import { ending, type ShownSecret, secretsOfNew, shownOf } from './signing-secrets';
import { testItem } from './to-item';
import type { StoredSecrets } from './types';

/** Attempts at a change while others change the same destination. */
const UPDATES_MAX = 3;

const keyIsLost = () => {
  const message =
    'the secrets of the destination are sealed by a key that this instance does not have: bring its key file back, or ' +
    'make new secrets by destination rotate-secret first (docs/operate.md, "The key of secrets")';
  return refusal([{ code: 'refused', field: null, message, detail: {} }]);
};

const othersChange = () =>
  new DomainError('service_unavailable', { public: 'Others change the destination. Repeat the request.' });

/** The operations on destinations for operators. */
export class DestinationManager {
  constructor(
    private readonly parts: {
      readonly store: DestinationStore;
      readonly tenants: Pick<TenantStore, 'existing'>;
      readonly feed: Pick<ArrivalReader, 'sizes' | 'positionAt'>;
      readonly deliveries: Pick<Deliveries, 'sendOne' | 'tryOut'>;
      readonly box: SecretBox;
      readonly guard: NetworkGuard;
      readonly epoch: Pick<LogEpoch, 'look'>;
      readonly nowMs: () => number;
    },
  ) {}

  /** @throws DomainError `invalid_parameter`, naming every problem */
  async create(
    request: Omit<DestinationRequest, 'from'>,
    from: DestinationRequest['from'],
    attempt: Attempt,
  ): Promise<ShownSecret & { readonly destinationId: string }> {
    const { store } = this.parts;
    const { tenantId, checked } = await this.#checked({ ...request, from });
    const { name, type, format, filter, url, settings } = checked;
    const { signing, stored } = secretsOfNew(checked);
    url.search = '';
    const key = { tenantId, destinationId: randomUUID() };
    const row = {
      ...key,
      name,
      type,
      format,
      filter,
      settings: { ...settings, url: url.href },
      secrets: this.#seal(key, stored),
      position: await this.#positionOf(tenantId, checked.from),
      goEpoch: (await this.parts.epoch.look()).epoch,
    };
    const max = LIMITS.destinationsPerTenantMax;
    if (!(await store.insert(row, max, attempt))) {
      const message = `a tenant has at most ${max} destinations`;
      throw refusal([{ code: 'too_many', field: null, message, detail: { max } }]);
    }
    return { destinationId: key.destinationId, ...shownOf(signing) };
  }

  async #checked(
    request: DestinationRequest,
  ): Promise<{ readonly tenantId: number; readonly checked: CheckedRequest }> {
    const tenantId = parseTenantId(request.tenantId) ?? 0;
    const isKnown = (await this.parts.tenants.existing([tenantId])).length > 0;
    const result = checkRequest(request);
    const problems = [
      ...(isKnown ? [] : [noSuchTenantNamed(request.tenantId)]),
      ...('problems' in result
        ? result.problems
        : await addressProblems(this.parts.guard, result.checked.url)),
    ];
    if (problems.length > 0 || 'problems' in result) throw refusal(problems);
    return { tenantId, checked: result.checked };
  }

  /**
   * Sends one marked event to a receiver that is not stored. A webhook signs it with a secret of this test alone.
   * @throws DomainError `invalid_parameter`, naming every problem
   */
  async tryNew(request: GivenValues<typeof TRY_DESTINATION>, attempt: Attempt): Promise<Outcome> {
    const { tenantId, checked } = await this.#checked({ ...request, name: 'test', filter: '', from: 'now' });
    return this.#tryOut(tenantId, checked, secretsOfNew(checked).stored, attempt);
  }

  /** As `test`, with a change that is not stored. @throws DomainError `invalid_parameter`, `not_found` */
  async tryChange(destinationId: string, change: DestinationChange, attempt: Attempt): Promise<Outcome> {
    parseParameters(ONE_DESTINATION, { destinationId });
    const was = await this.find(destinationId);
    const { checked, stored } = await this.#changed(was, change);
    return this.#tryOut(was.tenantId, checked, stored, attempt);
  }

  async #tryOut(
    tenantId: number,
    { type, format, url: { href }, settings }: CheckedRequest,
    secrets: StoredSecrets,
    attempt: Attempt,
  ): Promise<Outcome> {
    const [url = ''] = href.split('?');
    const { id, item } = this.#testOf(tenantId, format);
    const given = { type, settings: { ...settings, url }, secrets };
    const outcome = await this.parts.deliveries.tryOut(given, tenantId, id, item);
    await this.parts.store.noteTrial(tenantId, attempt);
    return outcome;
  }

  #testOf(tenantId: number, format: DestinationFormat) {
    const id = `test_${randomUUID().replaceAll('-', '')}`;
    return { id, item: testItem(tenantId, format, new Date(this.parts.nowMs())) };
  }

  /** @throws DomainError `invalid_parameter`, naming every problem */
  async #changed(was: Destination, change: DestinationChange) {
    if (!this.parts.box.opens(was.secrets)) throw keyIsLost();
    const open = this.#open(was);
    const result = checkChange(was, open, change);
    const problems =
      'problems' in result
        ? result.problems
        : change.url == null
          ? []
          : await addressProblems(this.parts.guard, result.checked.url);
    if (problems.length > 0 || 'problems' in result) throw refusal(problems);
    const query = change.url == null ? open.query : result.checked.url.search;
    const stored: StoredSecrets = {
      ...result.checked.secrets,
      ...(query && { query }),
      ...(open.signing !== undefined && { signing: open.signing }),
    };
    return { checked: result.checked, stored };
  }

  /** @throws DomainError `invalid_parameter`, naming every problem; `not_found` */
  async update(destinationId: string, change: DestinationChange, attempt: Attempt): Promise<Destination> {
    parseParameters(ONE_DESTINATION, { destinationId });
    for (let n = 0; n < UPDATES_MAX; n++) {
      const was = await this.find(destinationId);
      const { checked, stored } = await this.#changed(was, change);
      const { url, settings, secrets: _, ...next } = checked;
      url.search = '';
      const isOpenSame = change.url == null && change.secrets == null;
      const row = {
        ...next,
        settings: { ...settings, url: url.href },
        secrets: isOpenSame ? was.secrets : this.#seal(was, stored),
      };
      if (await this.parts.store.update(was, row, attempt)) return this.find(destinationId);
    }
    throw othersChange();
  }

  async list(tenantId: string | null): Promise<readonly Destination[]> {
    if (tenantId === null) return this.parts.store.list(null);
    const id = parseTenantId(tenantId);
    return id === null ? [] : this.parts.store.list(id);
  }

  /** Sends one marked event in any state. */
  async test(destinationId: string, attempt: Attempt): Promise<Outcome> {
    const destination = await this.find(destinationId);
    const { id, item } = this.#testOf(destination.tenantId, destination.format);
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
    to: Omit<GivenValues<typeof REPLAY_DESTINATION>, 'destinationId'>,
    attempt: Attempt,
  ): Promise<Destination> {
    const isOne = (to.position == null) !== (to.from == null);
    const values = parseParameters(
      REPLAY_DESTINATION,
      { ...to, destinationId },
      isOne ? [] : [conflict('position', 'give either position or from')],
    );
    const destination = await this.find(values.destinationId);
    const { tenantId, logSize } = destination;
    const { from } = values;
    const position = from === undefined ? Number(values.position) : await this.#positionOf(tenantId, from);
    if (position > logSize) {
      const says = `must be at most ${logSize}, where the log ends`;
      throw refusal([problem('position', 'out_of_range', says, { min: 0, max: logSize })]);
    }
    await this.parts.store.replay(destination, position, attempt);
    return this.find(destinationId);
  }

  /**
   * Makes a new secret for a webhook, and the old one also signs until the overlap ends. For other types, the given
   * secrets replace the old ones at once.
   */
  async rotateSecret(
    destinationId: string,
    how: Omit<GivenValues<typeof ROTATE_SECRET>, 'destinationId'>,
    attempt: Attempt,
  ): Promise<ShownSecret & { readonly destinationId: string; readonly overlapEndsAt: Date | null }> {
    const asked = parseParameters(ROTATE_SECRET, { ...how, destinationId });
    for (let n = 0; n < UPDATES_MAX; n++) {
      const rotated = await this.#rotated(await this.find(destinationId), asked, attempt);
      if (rotated) return rotated;
    }
    throw othersChange();
  }

  /** @returns null: somebody has changed the secrets meanwhile, and they stay */
  async #rotated(
    destination: Destination,
    { overlapMinutes, secrets }: ParameterValues<typeof ROTATE_SECRET>,
    attempt: Attempt,
  ) {
    const { store, nowMs } = this.parts;
    const isWebhook = destination.type === 'webhook';
    if (!isWebhook && (secrets === null || secrets === undefined)) {
      const message = `a destination of type ${destination.type} needs its new secrets`;
      throw refusal([{ code: 'missing', field: 'secrets', message, detail: {} }]);
    }
    const checked = checkSecrets(destination.type, secrets ?? {});
    refuseIf(checked.problems);
    // Of secrets whose key is lost, nothing is left: these are new ones.
    const old = this.parts.box.opens(destination.secrets) ? this.#open(destination) : {};
    const overlapEndsAt = new Date(nowMs() + overlapMinutes * 60_000);
    const made = isWebhook ? newSigningSecret(destination.settings.signature as SignatureVersion) : null;
    const next = {
      ...(secrets === null || secrets === undefined
        ? old
        : { ...(old.query && { query: old.query }), ...checked.value }),
      ...(made !== null && {
        signing: [{ secret: made }, ...ending(old.signing ?? [], overlapEndsAt, nowMs())],
      }),
    };
    if (!(await store.putSecrets(destination, this.#seal(destination, next), attempt))) return null;
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
    return this.parts.store.setAside(await this.find(destinationId), first);
  }

  /** The public key of a webhook that signs with v1a, else null. */
  publicKey(destination: Destination): string | null {
    const { settings, secrets } = destination;
    if (settings.signature !== 'v1a' || !this.parts.box.opens(secrets)) return null;
    const { signing } = this.#open(destination);
    return publicKeyOf(signing?.[0]?.secret ?? '');
  }

  /** @throws DomainError `not_found` */
  async find(destinationId: string): Promise<Destination> {
    const found = await this.parts.store.find(destinationId.toLowerCase());
    if (!found) throw new DomainError('not_found', { public: 'There is no such destination.' });
    return found;
  }

  #open = (destination: Destination) =>
    JSON.parse(this.parts.box.open(destination.secrets, ownerOfSecrets(destination))) as StoredSecrets;

  #seal = (key: { tenantId: number; destinationId: string }, secrets: object) =>
    this.parts.box.seal(JSON.stringify(secrets), ownerOfSecrets(key));

  async #positionOf(tenantId: number, from: string): Promise<number> {
    const { feed } = this.parts;
    if (from === 'beginning') return 0;
    if (from === 'now') return (await feed.sizes([tenantId])).get(tenantId) ?? 0;
    return feed.positionAt(tenantId, new Date(msOfTime(from)));
  }
}
