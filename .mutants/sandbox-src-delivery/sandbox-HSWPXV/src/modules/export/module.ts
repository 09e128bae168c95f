import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { Database } from '../../database/clients';
import type { TenantForm } from '../../trail/counts/scope';
import { PostgresExportSource } from './export.source';
import { type BeginExport, exporter } from './export-events';
import { PostgresExportLeases } from './leases';

/** The export has no root field and no background task. The module only provides the function that begins one. */
export const beginExports = (
  { ask, snapshot, prisma }: Pick<Database, 'ask' | 'snapshot' | 'prisma'>,
  form: TenantForm,
  fairShare: FairShare,
): BeginExport =>
  exporter(new PostgresExportSource(ask, form, snapshot), new PostgresExportLeases(prisma), fairShare);
