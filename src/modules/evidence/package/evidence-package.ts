import { setTimeout } from 'node:timers/promises';
import { DomainError } from '../../../errors';
import { idBytes } from '../../../event/record-id';
import { LIMITS } from '../../../limits';
import {
  FILES,
  manifestNoteBody,
  PACKAGE_VERSION,
  type PackageFile,
  type PackageManifest,
  type StampFile,
} from '../../../package-check/layout';
import { consistencyProof, type NodeAt } from '../../../store/log/evidence/merkle';
import type { NoteSigner } from '../../../store/log/evidence/note-key';
import { signed } from '../../../store/log/evidence/signed-note';
import { MissingNode, nodesOf, type TileId, tilesFor } from '../../../store/log/evidence/tiles';
import type { StoredAuditEvent } from '../../../store/rows/audit-event-reader';
import { oneTenant } from '../../../tenant-set';
import { parseNote } from '../checkpoint';
import type { EvidenceStore, LogState } from '../evidence.store';
import { PackageRecords, type PlaceReader } from './places';
import { proofLines } from './write-proofs';
import { type ZipFile, ZipWriter } from './zip-writer';

/** What a package is made of. */
export interface PackageRequest {
  readonly tenantId: number;
  readonly question: Readonly<Record<string, string>>;
  /** The key or the person who asks. */
  readonly createdBy: string;
  /** In the order of their ids. */
  readonly events: AsyncIterable<readonly StoredAuditEvent[]>;
  /** Lines of events, whole. */
  readonly write: (events: readonly StoredAuditEvent[]) => AsyncIterable<string | Buffer>;
  /** What is missing from the sources that may concern the question. */
  readonly gaps: () => Promise<object>;
  /** Called while the package waits. @throws DomainError if the caller may no longer have it */
  readonly assertAllowed: () => Promise<void>;
}

/** Makes an evidence package: one zip file, in pieces. @throws Error in the middle, so that no part passes for the whole */
export type MakePackage = (request: PackageRequest) => AsyncIterable<Buffer>;

interface Parts {
  readonly store: Pick<EvidenceStore, 'states' | 'tiles' | 'newestStamped'> & PlaceReader;
  readonly signer: NoteSigner & { readonly verifierKey: string };
  /** The page that verifies packages. */
  readonly page: () => Promise<Buffer>;
  readonly nowMs: () => number;
  /** Of a clock that nobody sets, by which waits are measured. */
  readonly elapsedMs?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** @throws DomainError `invalid_parameter` */
export function refuseTooMany(events: number | null): void {
  if (events === null || events <= LIMITS.packageEventsMax) return;
  throw new DomainError('invalid_parameter', {
    public: `A package has at most ${LIMITS.packageEventsMax} events. Give a shorter period, or a filter.`,
  });
}

export const packageIsMasked = (tenantId: number) =>
  new DomainError('forbidden', {
    public:
      `Tenant ${tenantId} masks its statements, and masked events cannot be proven: ` +
      'a package of it needs a key with the scope unmask.',
  });

export const packageMaker =
  (parts: Parts): MakePackage =>
  (request) =>
    new Making(parts, request).pieces();

class Making {
  readonly #records = new PackageRecords();
  readonly #files: PackageFile[] = [];
  readonly #zip: ZipWriter;
  readonly #createdAt: string;

  constructor(
    private readonly parts: Parts,
    private readonly request: PackageRequest,
  ) {
    const now = new Date(parts.nowMs());
    this.#createdAt = now.toISOString();
    this.#zip = new ZipWriter(now);
  }

  async *pieces(): AsyncGenerator<Buffer> {
    const { parts, request } = this;
    yield* this.#listed(FILES.page, [await parts.page()]);
    yield* this.#listed(FILES.events, this.#eventLines());
    yield* this.#listed(FILES.key, [`${parts.signer.verifierKey}\n`]);
    const { checkpoint } = await this.#covering();
    const covered = checkpoint === null ? null : parseNote(checkpoint);
    const size = covered?.size ?? 0;
    yield* this.#listed(FILES.checkpoints, [checkpoint ?? '']);
    yield* this.#listed(FILES.proofs, this.#proofs(size));
    yield* this.#listed(FILES.gaps, [`${JSON.stringify(await request.gaps())}\n`]);
    const stamp = await this.#stamp(size);
    if (stamp) yield* this.#listed(FILES.timeStamp, [`${JSON.stringify(stamp)}\n`]);
    const manifest: PackageManifest = {
      version: PACKAGE_VERSION,
      tenantId: String(request.tenantId),
      createdAt: this.#createdAt,
      createdBy: request.createdBy,
      question: request.question,
      events: this.#records.count,
      unproven: this.#records.missing(size).length,
      log: { size, root: covered?.root.toString('base64') ?? null },
      files: this.#files,
    };
    const text = `${JSON.stringify(manifest, null, 1)}\n`;
    const { sha256 } = yield* this.#zip.file({ name: FILES.manifest, content: [text] });
    const note = signed(manifestNoteBody(sha256, manifest), parts.signer);
    yield* this.#zip.file({ name: FILES.note, content: [note] });
    yield this.#zip.end();
  }

  async *#listed(name: string, content: ZipFile['content']): AsyncGenerator<Buffer> {
    this.#files.push(yield* this.#zip.file({ name, content }));
  }

  async *#eventLines(): AsyncGenerator<string | Buffer> {
    for await (const events of this.request.events) {
      for (const { recordId } of events) this.#records.add(idBytes(recordId));
      refuseTooMany(this.#records.count);
      yield* this.request.write(events);
    }
  }

  /** The log, as soon as a checkpoint covers the events that are in it or wait for it; or as it is after some time. */
  async #covering(): Promise<Pick<LogState, 'checkpoint'>> {
    const { parts, request } = this;
    const elapsedMs = parts.elapsedMs ?? (() => performance.now());
    const end = elapsedMs() + LIMITS.packageWaitMs;
    for (;;) {
      const [state] = await parts.store.states(oneTenant(request.tenantId));
      const signedSize = sizeOf(state?.checkpoint ?? null);
      const open = this.#records.missing(signedSize);
      await this.#records.find(parts.store, request.tenantId, open, signedSize);
      const isSettled = state === undefined || (signedSize === state.size && state.waitingEvents === 0);
      if (isSettled || this.#records.missing(signedSize).length === 0 || elapsedMs() >= end)
        return { checkpoint: state?.checkpoint ?? null };
      await (parts.pause ?? setTimeout)(LIMITS.packageAskMs);
      await request.assertAllowed();
    }
  }

  async *#proofs(size: number): AsyncGenerator<string> {
    if (size === 0) return;
    try {
      yield* proofLines(this.#records, size, (ids) => this.#tiles(ids));
    } catch (error) {
      throw this.#ofLog(error);
    }
  }

  /** The newest time stamp, with the proof that the log of the package goes on from what was stamped. */
  async #stamp(size: number): Promise<StampFile | null> {
    const stamped = await this.parts.store.newestStamped(this.request.tenantId);
    const from = sizeOf(stamped?.note ?? null);
    if (!stamped?.token || from === 0 || from > size) return null;
    const compute = (node: NodeAt) => consistencyProof(from, size, node);
    try {
      const consistency = compute(nodesOf(await this.#tiles(tilesFor(compute))));
      return {
        checkpoint: stamped.note,
        token: stamped.token.toString('base64'),
        consistency: consistency.map((hash) => hash.toString('base64')),
      };
    } catch (error) {
      throw this.#ofLog(error);
    }
  }

  #tiles(ids: readonly TileId[]) {
    return this.parts.store.tiles(this.request.tenantId, ids);
  }

  #ofLog(error: unknown): unknown {
    if (!(error instanceof MissingNode)) return error;
    return new DomainError('internal_error', {
      public: `The evidence log of tenant ${this.request.tenantId} was changed in the database: ${error.message}.`,
      cause: error,
    });
  }
}

const sizeOf = (note: string | null): number => (note === null ? 0 : (parseNote(note)?.size ?? 0));
