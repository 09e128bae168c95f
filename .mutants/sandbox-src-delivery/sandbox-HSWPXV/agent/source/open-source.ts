import type { AuditSource } from './audit-source';
import { type AuditGlob, LocalFolder } from './local-folder';

/** A source in the configuration. `type` is published with each event as its `sourceType`. */
export interface SourceConfig {
  readonly type: 'DirectFile';
  readonly glob: AuditGlob;
}

export function openSource(config: SourceConfig): AuditSource {
  switch (config.type) {
    case 'DirectFile':
      return new LocalFolder(config.glob);
  }
}
