import type { AuditSource } from './audit-source';
import { type AuditGlob, LocalFolder } from './local-folder';

/** What the configuration says of a source. `type` is published with each event as its `sourceType`. */
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
