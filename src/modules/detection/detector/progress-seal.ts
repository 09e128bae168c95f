import { HOUR_MS } from '../../../event/event-time';
import { type EpochState, isBridging } from '../../../store/log/epoch/epoch';
import type { CheckpointKey } from '../../../store/log/evidence/note-key';
import type { SealedProgress, StoredProgress } from './progress';

/**
 * Who put the progress of rules into the database. Sealed: this service. Unsealed: a release without seals, or an
 * instance whose key is gone. Changed: somebody else.
 */
type Origin = 'sealed' | 'unsealed' | 'changed';

/**
 * Seals how far the rules of a tenant are, and how many findings they made. So nobody who can only write to the database
 * has rules pass events, or removes findings, without a trace. Progress that was put back as it was sealed before does no
 * harm: rules find again what they found since.
 */
export class ProgressSeal {
  /** The last progress of each tenant that this process sealed, or saw sealed, and in which epoch. */
  readonly #known = new Map<number, SealedProgress & { readonly epoch: string }>();
  #changedMs = Number.NEGATIVE_INFINITY;

  /** @param keys the first one seals; the others may have sealed before @param epoch its current state */
  constructor(
    private readonly keys: readonly [CheckpointKey, ...CheckpointKey[]],
    private readonly epoch: () => EpochState,
    private readonly nowMs: () => number,
  ) {}

  /** Whether no progress was found to be changed within the last hour. */
  get healthy(): boolean {
    return Math.abs(this.nowMs() - this.#changedMs) >= HOUR_MS;
  }

  get keyId(): string {
    return this.keys[0].keyId;
  }

  macOf(tenantId: number, progress: SealedProgress): Buffer {
    return macOf(this.keys[0], tenantId, progress);
  }

  originOf(tenantId: number, stored: StoredProgress): Origin {
    const key = this.keys.find(({ keyId }) => keyId === stored.keyId);
    if (key && stored.mac && macOf(key, tenantId, stored).equals(stored.mac)) return 'sealed';
    if (isBridging(this.epoch(), this.nowMs())) return 'unsealed';
    return key || this.known(tenantId) ? 'changed' : 'unsealed';
  }

  known(tenantId: number): SealedProgress | null {
    const known = this.#known.get(tenantId);
    return known?.epoch === this.epoch().epoch ? known : null;
  }

  /** To be called with each progress that this process sealed, or found to be sealed. */
  note(tenantId: number, { position, learned, learnUntil, findings }: SealedProgress): void {
    const { epoch } = this.epoch();
    this.#known.set(tenantId, { position, learned, learnUntil, findings, epoch });
  }

  /** To be called when a progress was found to be changed. */
  noteChange(): void {
    this.#changedMs = this.nowMs();
  }
}

function macOf(key: CheckpointKey, tenantId: number, progress: SealedProgress): Buffer {
  const { position, learned, learnUntil, findings } = progress;
  return key.mac('rules', ...[tenantId, position, learned, learnUntil, findings].map(String));
}
