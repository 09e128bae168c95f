import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { ServiceDoor } from '../../database/clients';
import { PostgresExportSource } from './export.source';
import { type BeginExport, type BeginValues, exporter, valuesExporter } from './export-events';
import { PostgresExportLeases } from './leases';

/** The export has no root field and no background task. The module only provides the functions that begin one. */
export function exportModule(
  service: ServiceDoor,
  fairShare: FairShare,
): { readonly beginExport: BeginExport; readonly beginValues: BeginValues } {
  const parts = [new PostgresExportSource(service), new PostgresExportLeases(service), fairShare] as const;
  return { beginExport: exporter(...parts), beginValues: valuesExporter(...parts) };
}
