import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { ServiceDoor } from '../../database/clients';
import { PostgresExportSource } from './export.source';
import { type BeginExport, exporter } from './export-events';
import { PostgresExportLeases } from './leases';

/** The export has no root field and no background task. The module only provides the function that begins one. */
export const beginExports = (service: ServiceDoor, fairShare: FairShare): BeginExport =>
  exporter(new PostgresExportSource(service), new PostgresExportLeases(service), fairShare);
