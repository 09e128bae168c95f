import type { ServiceDoor } from '../../../database/clients';
import { Prisma } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { oneTenant } from '../../../tenant-set';
import { PROGRESS_COLUMNS, type ProgressRow, toProgress } from './progress';
import type { ProgressSeal } from './progress-seal';

/** Looks for findings and alerts that are gone, and for rules that somebody moved on in the log. */
export class FindingsCheck {
  constructor(
    private readonly service: ServiceDoor,
    private readonly seal: ProgressSeal,
  ) {}

  /** @returns sentences; none: all is well */
  async problems(tenantId: number): Promise<readonly string[]> {
    const [row] = await this.#rows<ProgressRow>(
      Prisma.sql`SELECT ${Prisma.raw(PROGRESS_COLUMNS)} FROM detection_position WHERE tenant_id = ${tenantId}::int`,
      tenantId,
    );
    const known = this.seal.known(tenantId);
    if (!row) return known ? [CHANGED] : [];
    const progress = toProgress(row);
    const origin = this.seal.originOf(tenantId, progress);
    if (origin === 'unsealed') return [];
    const made = Math.max(known?.findings ?? 0, origin === 'sealed' ? progress.findings : 0);
    // Read after the progress, so that what rules find meanwhile is among them.
    const [there] = await this.#rows<{ findings: bigint | number; alerts: bigint | number }>(
      Prisma.sql`SELECT (SELECT count(*) FROM finding f WHERE f.tenant_id = ${tenantId}::int) AS findings,
        (SELECT count(DISTINCT f.alert_id) FROM finding f WHERE f.tenant_id = ${tenantId}::int AND NOT EXISTS (
          SELECT FROM alert a WHERE a.tenant_id = ${tenantId}::int AND a.alert_id = f.alert_id)) AS alerts`,
      tenantId,
    );
    const [findings, alerts] = [Number(there?.findings ?? 0), Number(there?.alerts ?? 0)];
    return [
      ...(origin === 'changed' ? [CHANGED] : []),
      ...(findings < made
        ? [
            `${made - findings} findings are not there any more: rules made ${made}, and ${findings} are there.`,
          ]
        : []),
      ...(alerts > 0 ? [`${alerts} alerts are not there any more, whose findings are.`] : []),
    ];
  }

  #rows<R extends object>(statement: Prisma.Sql, tenantId: number): Promise<readonly R[]> {
    return guarded(() => this.service.ask<R>(statement, oneTenant(tenantId)));
  }
}

const CHANGED = 'How far the rules are was changed in the database.';
