import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Call } from '../src/caller/call';
import { askerOf, tenantSetOf } from '../src/caller/principal';
import { isCallerGone } from '../src/errors';
import { clampTicks, formatTicks } from '../src/event/event-time';
import { conditionsOf } from '../src/event/expression/conditions';
import type { Expression } from '../src/event/expression/expression';
import type { WholeTexts } from '../src/event/marks';
import { parseParameters, refuseHidden } from '../src/event/parse-parameters';
import { toAuditEventFilter, toTimeRange } from '../src/event/query';
import { admitAgain } from '../src/graphql/guard';
import { LIMITS } from '../src/limits';
import {
  type MakePackage,
  packageIsMasked,
  refuseTooMany,
} from '../src/modules/evidence/package/evidence-package';
import { PACKAGE_OPERATION, PACKAGE_RULE } from '../src/modules/evidence/package/package-rule';
import { PACKAGE_PARAMETERS } from '../src/modules/evidence/package/parameters';
import type { BeginExport } from '../src/modules/export/export-events';
import { EXPORT_FORMATS } from '../src/modules/export/formats';
import { bytesOf, piecesOf } from '../src/modules/export/pieces';
import { ShownEvents } from '../src/store/rows/masked';
import { oneTenant, type TenantSet, tenantMeant } from '../src/tenant-set';
import { API_BASE_PATH } from '../src/version';
import { streamed } from './streamed';

export const PACKAGE_PATH = `${API_BASE_PATH}/audit-activity/package`;

/** Makes evidence packages, and says how complete the events of a question are. */
export interface PackageEntrance {
  readonly make: MakePackage;
  /** @throws DomainError `service_unavailable` while this instance cannot sign packages */
  readonly assertSigns: () => void;
  readonly coverage: (
    tenants: TenantSet,
    question: {
      readonly from: string | null;
      readonly to: string | null;
      readonly filter: Expression | null;
    },
  ) => Promise<object>;
}

/**
 * Answers with an evidence package while it is made. It is bounded as an export is, and counts as one. A failure after
 * the first byte breaks the connection: a zip file without its end cannot be opened.
 */
export function answerPackage(
  begin: BeginExport,
  packages: PackageEntrance,
  large: Pick<WholeTexts, 'written'>,
  contextOf: (request: Request, response: Response) => Promise<Call>,
): RequestHandler {
  const of = { operation: PACKAGE_OPERATION, rule: PACKAGE_RULE };
  return streamed(of, contextOf, async (call, running, request, response) => {
    const { tenantId: given, reason, ...filters } = parseParameters(PACKAGE_PARAMETERS, request.query);
    refuseHidden(PACKAGE_PARAMETERS, filters, call);
    const tenantId = tenantMeant(tenantSetOf(call), given);
    if (call.masked?.has(String(tenantId))) throw packageIsMasked(tenantId);
    packages.assertSigns();
    const tenants = oneTenant(tenantId);
    const asker = { ...askerOf(call), tenants };
    const assertAllowed = async () => {
      await admitAgain(call, PACKAGE_RULE, 'while the package was made', tenants);
    };
    const filter = toAuditEventFilter(filters);
    const begun = await begin({ ...asker, filter, cursor: null, assertAllowed });
    const shown = new ShownEvents(call, PACKAGE_OPERATION);
    try {
      refuseTooMany(begun.totalCount);
      const name = `audit-activity-evidence-${new Date().toISOString().replace(/\W/g, '')}.zip`;
      response.set({
        'Content-Type': 'application/zip',
        'Content-Disposition': `attachment; filename="${name}"`,
        'Cache-Control': 'no-store',
      });
      if (request.method === 'HEAD') return void response.end();
      const { from, to } = toTimeRange(filters);
      const text = (ticks: bigint | null) => (ticks === null ? null : formatTicks(clampTicks(ticks)));
      const made = packages.make({
        tenantId,
        question: questionOf({ reason, ...filters }),
        createdBy: call.principal.session?.user ?? call.principal.name,
        events: begun.batches,
        write: async function* (events) {
          for (const few of piecesOf(events)) {
            if ((await shown.look()).masked?.has(String(tenantId))) throw packageIsMasked(tenantId);
            yield* bytesOf(shown.all(few), EXPORT_FORMATS.ndjson, (line) =>
              large.written(line, 'json', asker, LIMITS.exportWaitMs),
            );
          }
        },
        gaps: () =>
          packages.coverage(tenants, { from: text(from), to: text(to), filter: conditionsOf(filters) }),
        assertAllowed,
      });
      running.begins();
      await pipeline(Readable.from(released(made, begun.end)), response);
    } catch (error) {
      if (!isCallerGone(error)) throw error;
    } finally {
      running.rows = begun.handedOver;
      await begun.end();
    }
  });
}

/** The last piece leaves after the lease has ended: a caller who has it may ask again at once. */
async function* released(pieces: AsyncIterable<Buffer>, end: () => Promise<void>): AsyncGenerator<Buffer> {
  let last: Buffer | null = null;
  for await (const piece of pieces) {
    if (last) yield last;
    last = piece;
  }
  await end();
  if (last) yield last;
}

const questionOf = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
