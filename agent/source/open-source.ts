import type { Clock } from '../clock';
import type { AgentTimes } from '../times';
import type { AuditSource } from './audit-source';
import type { AzureConfig } from './azure/azure-config';
import { AzureStore } from './azure/azure-store';
import type { Environment } from './environment';
import { type AuditGlob, LocalFolder } from './local-folder';
import { ObjectSource } from './objects/object-source';
import type { Acknowledged } from './objects/waiting-objects';
import type { S3Config } from './s3/s3-config';
import { S3Store } from './s3/s3-store';

/** A source in the configuration. `type` is published with each event as its `sourceType`. */
export type SourceConfig =
  | {
      readonly type: 'DirectFile';
      readonly glob: AuditGlob;
      /** Whether agents of several hosts read the files, and the folder may be away here. */
      readonly isShared: boolean;
    }
  | S3Config
  | AzureConfig;

export interface SourceOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly times: Pick<AgentTimes, 'storeTimeoutMs' | 'metadataTimeoutMs' | 'storeRetryMs'>;
  readonly bookmarks: Acknowledged;
  readonly once: boolean;
  /** Ends what is being read from a store. */
  readonly stop: AbortSignal;
  /** Where a source keeps what is its own. */
  readonly folder: string;
}

export function openSource(config: SourceConfig, options: SourceOptions): AuditSource {
  switch (config.type) {
    case 'DirectFile':
      return new LocalFolder(config.glob);
    case 'S3':
    case 'AzureBlob': {
      const { storeTimeoutMs: timeoutMs, metadataTimeoutMs, storeRetryMs: retryMs } = options.times;
      const { clock, env, stop } = options;
      const access = { clock, env, stop, timeoutMs, metadataTimeoutMs, retryMs };
      const store =
        config.type === 'S3' ? new S3Store({ ...access, config }) : new AzureStore({ ...access, config });
      return new ObjectSource({ ...options, store, listIntervalMs: config.listIntervalMs });
    }
  }
}

/** Whether the files are objects in a store, from which nothing removes them because newer ones come. */
export const isStored = ({ type }: SourceConfig): boolean => type !== 'DirectFile';

/** Whether agents of several hosts read the files, and the folder may be away here. */
export const isShared = (config: SourceConfig): boolean => config.type === 'DirectFile' && config.isShared;
