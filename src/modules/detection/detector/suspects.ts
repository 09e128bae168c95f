import { ThreadFailure } from '../../../asked-thread';
import { LIMITS } from '../../../limits';
import type { Evaluated } from '../../../rules/host';
import type { ArrivedRow } from '../../../store/log/arrivals/row-text';

export type Done = Pick<Evaluated, 'seen' | 'findings' | 'changes' | 'unread'>;
export type Rows = readonly ArrivedRow[];
/** Gives events to an engine. @param isPart whether further events of the step follow */
export type Ask<T> = (some: Rows, isPart: boolean) => Promise<T>;

/**
 * What is known of the event at which the thread of an engine ended: it is among those up to a position; it failed
 * behind others; or it failed twice, the second time before any other one, and is passed.
 */
type Suspect =
  | { readonly is: 'among'; readonly until: number }
  | { readonly is: 'known' | 'passed'; readonly recordId: string };

/**
 * Narrows a step that does not end, or takes the memory of its thread, down to the event that is the cause. No engine
 * gets this event any more: it counts as one at which rules failed, and the log goes on behind it.
 */
export class Suspects {
  readonly #of = new Map<string, Suspect>();

  /** @param engine names an engine @throws ThreadFailure; the next call for this engine then gives events otherwise */
  async work<T extends Done>(engine: string, items: Rows, ask: Ask<T>): Promise<T> {
    const suspect = this.#of.get(engine);
    if (suspect?.is === 'among') {
      const some = items.filter(({ position }) => position <= suspect.until);
      if (some.length > 0) return this.#oneByOne(engine, some, ask);
    } else if (suspect) {
      const at = items.findIndex(({ recordId }) => recordId === suspect.recordId);
      if (at > 0) return this.#whole(engine, items.slice(0, at), ask, true);
      if (at === 0 && suspect.is === 'known') return this.#oneByOne(engine, items.slice(0, 1), ask);
      if (at === 0) {
        const unread = [{ recordId: suspect.recordId, error: ThreadFailure.name }];
        return { ...(await ask([], true)), seen: 1, unread };
      }
    }
    this.#of.delete(engine);
    return this.#whole(engine, items, ask, false);
  }

  async #whole<T extends Done>(engine: string, items: Rows, ask: Ask<T>, isPart: boolean): Promise<T> {
    try {
      return await ask(items, isPart);
    } catch (error) {
      const last = items.at(-1);
      if (last && error instanceof ThreadFailure) this.#of.set(engine, { is: 'among', until: last.position });
      throw error;
    }
  }

  async #oneByOne<T extends Done>(engine: string, items: Rows, ask: Ask<T>): Promise<T> {
    const began = performance.now();
    const all: T[] = [];
    for (const item of items) {
      if (all.length > 0 && performance.now() - began >= LIMITS.detectionWorkMs) break;
      try {
        all.push(await ask([item], true));
      } catch (error) {
        if (error instanceof ThreadFailure)
          this.#of.set(engine, { is: all.length > 0 ? 'known' : 'passed', recordId: item.recordId });
        throw error;
      }
    }
    return {
      ...(all.at(-1) as T),
      seen: all.length,
      findings: all.flatMap(({ findings }) => findings),
      changes: all.flatMap(({ changes }) => changes),
      unread: all.flatMap(({ unread }) => unread),
    };
  }
}
