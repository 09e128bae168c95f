import type { LogEpoch } from '../../../store/log/epoch/log-epoch';
import type { WitnessClient } from './witness-client';
import { type RoundParts, WitnessRounds } from './witness-rounds';

interface CosigningParts extends RoundParts {
  readonly epoch: Pick<LogEpoch, 'unlessPaused'>;
}

/** Has the newest checkpoint of each log signed by each witness. The service goes on when none answers, and says so. */
export class Cosigning {
  readonly #rounds: readonly WitnessRounds[];

  constructor(
    private readonly parts: CosigningParts,
    private readonly witnesses: readonly WitnessClient[],
  ) {
    this.#rounds = witnesses.map((witness) => new WitnessRounds(parts, witness));
  }

  /** Whether every witness has signed what it was to sign. */
  get healthy(): boolean {
    return this.#rounds.every(({ late }) => late.length === 0);
  }

  /** The number of logs that each witness has not signed for too long. */
  get late(): readonly { readonly witness: string; readonly logs: number }[] {
    return this.#rounds.map(({ name, late }) => ({ witness: name, logs: late.length }));
  }

  /** A silent witness keeps none of the others waiting. Nothing is sent in a drill, nor before an operator's go. */
  async run(): Promise<void> {
    if (this.#rounds.length === 0) return;
    await this.parts.epoch.unlessPaused(async () => {
      const done = await Promise.allSettled(this.#rounds.map((one) => one.round()));
      for (const one of done) if (one.status === 'rejected') throw one.reason;
    });
  }

  close(): void {
    for (const witness of this.witnesses) witness.close();
  }
}
