import type { Logger } from 'pino';
import type { MarkedTenants } from '../../caller/principal';
import type { TenantStore } from '../../caller/tenant.store';
import type { Config } from '../../config';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { NetworkGuard } from '../../delivery/network-guard';
import type { Outcome } from '../../delivery/outcome';
import { loadSecretBox } from '../../delivery/secret-box';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { GoneSeal } from '../../store/log/arrivals/gone-seal';
import { PostgresArrivalReader } from '../../store/log/arrivals/stored-arrivals';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { Message, SentFile } from './batch';
import { Deliveries } from './deliveries';
import { DeliveryStore } from './delivery-store';
import type { Destination } from './destination';
import { DestinationResolver } from './destination.resolver';
import { DestinationStore } from './destination.store';
import { DestinationManager } from './manage-destinations';
import { declareMetrics } from './metrics';
import { messageItem } from './to-item';

/**
 * Sends a message to a destination of a tenant: once, now, independent of its events and in any state. The sender keeps
 * the message until it is accepted.
 * @returns null if the tenant has no such destination
 */
export type SendMessage = (
  tenantId: number,
  destinationId: string,
  message: Message,
) => Promise<Outcome | null>;

/** Sends a file. @returns null if the tenant has no such destination, or it keeps no files */
export type SendFile = (tenantId: number, destinationId: string, file: SentFile) => Promise<Outcome | null>;

/** Destinations, and the delivery of events to them. */
export async function openDestinations(parts: {
  readonly config: Pick<Config, 'dataDir' | 'secretsKeyFile' | 'destinationAllowNetworks'>;
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly epoch: LogEpoch;
  readonly tenants: TenantStore;
  readonly maskedTenants: Pick<MarkedTenants, 'among'>;
  readonly disabledTenants: Pick<MarkedTenants, 'among'>;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly goneSeal: GoneSeal;
}): Promise<
  Module & {
    readonly sendMessage: SendMessage;
    readonly sendFile: SendFile;
    readonly hasDestination: (tenantId: number, destinationId: string) => Promise<boolean>;
  }
> {
  const { config, service, owner, epoch, tenants, nowMs, log, goneSeal } = parts;
  const box = await loadSecretBox(config.dataDir, config.secretsKeyFile);
  const guard = new NetworkGuard(config.destinationAllowNetworks);
  const feed = new PostgresArrivalReader(owner, nowMs, goneSeal);
  const store = new DestinationStore(service);
  const deliveries = new Deliveries({
    store: new DeliveryStore(owner),
    feed,
    box,
    guard,
    epoch,
    maskedTenants: parts.maskedTenants,
    disabledTenants: parts.disabledTenants,
    nowMs,
    log,
  });
  const manager = new DestinationManager({ store, tenants, feed, deliveries, box, guard, epoch, nowMs });
  return {
    resolvers: [new DestinationResolver(manager, epoch, nowMs)],
    tasks: [
      {
        name: 'destinations',
        doc: 'sending to destinations',
        everyMs: LIMITS.destinationMs,
        run: () => deliveries.round(),
      },
    ],
    metrics: (metrics) => {
      const isHeld = ({ goEpoch }: Destination) => epoch.pauseOf(goEpoch) !== null;
      declareMetrics(metrics, () => deliveries.listed, isHeld, nowMs);
    },
    health: [
      {
        get healthy() {
          const since = nowMs() - LIMITS.pastTroubleShownMs;
          return (
            deliveries.hasKeys &&
            deliveries.mayReachAll &&
            deliveries.listed.every(({ overtakenAt }) => (overtakenAt?.getTime() ?? 0) < since)
          );
        },
      },
    ],
    stop: () => deliveries.stop(),
    hasDestination: async (tenantId, destinationId) => (await store.find(destinationId, tenantId)) !== null,
    sendFile: async (tenantId, destinationId, file) => {
      const destination = await store.find(destinationId, tenantId);
      return destination && deliveries.putFile(destination, file);
    },
    sendMessage: async (tenantId, destinationId, message) => {
      const destination = await store.find(destinationId, tenantId);
      return (
        destination && deliveries.sendOne(destination, message.id, messageItem(message, destination.format))
      );
    },
  };
}
