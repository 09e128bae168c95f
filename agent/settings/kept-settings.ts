import { join } from 'node:path';
import { z } from 'zod';
import type { WantedSettings } from '../../src/event/agent-settings';
import { readIfThere, replaceFile } from '../durable-file';
import { Turns } from '../turns';

/** What the service wants the agent to run. The values are not checked. */
const wanted = z.object({ version: z.int(), settings: z.record(z.string(), z.unknown()) });
export type Wanted = Readonly<z.infer<typeof wanted>>;

const content = z.object({ tenantId: z.string(), wanted });

/** In the answer to a report. */
export const wantedAnswer = z.object({
  settingsVersion: z.int().nullish(),
  settings: z.record(z.string(), z.unknown()).nullish(),
});

const NAMES: readonly (keyof WantedSettings)[] = [
  'pollIntervalMs',
  'batchMaxEvents',
  'logLevel',
  'databasesOn',
  'databasesOff',
];
/** Of one value: more than a sound one takes. */
const CHARS_MAX = 16_384;

/** @returns undefined: the service does not say */
export function toWanted(
  version: number | null | undefined,
  settings: Wanted['settings'] | null | undefined,
): Wanted | null | undefined {
  if (version === undefined) return undefined;
  return version === null ? null : { version, settings: bounded(settings ?? {}) };
}

/** In place of a value that is too long stands one that no setting takes. */
const bounded = (settings: Wanted['settings']): Wanted['settings'] =>
  Object.fromEntries(
    NAMES.map((name) => {
      const value = settings[name] ?? null;
      return [name, JSON.stringify(value).length <= CHARS_MAX ? value : {}];
    }),
  );

/**
 * What the service last wanted, in the data folder: a restart without the service runs it too. Whoever follows the
 * configuration notices a change there.
 */
export class KeptSettings {
  private readonly path: string;
  private readonly turns = new Turns();
  private questions = 0;
  /** The newest question whose answer is kept. */
  private answered = 0;

  constructor(dataDir: string) {
    this.path = join(dataDir, 'settings.json');
  }

  /** @returns the text that holds it; null: the service has never said anything */
  text(): Promise<string | null> {
    return readIfThere(this.path);
  }

  /** @returns null: nothing is wanted for this tenant */
  static wanted(text: string | null, tenantId: string | null): Wanted | null {
    if (text === null) return null;
    try {
      const read = content.safeParse(JSON.parse(text));
      return read.success && read.data.tenantId === tenantId ? read.data.wanted : null;
    } catch {
      return null;
    }
  }

  /**
   * To be called before the service is asked: each database asks by itself. What it returns keeps the answer, unless a
   * later question has its answer already, which may be of other settings.
   */
  asking(tenantId: string): (wants: Wanted | null) => Promise<void> {
    const question = ++this.questions;
    return async (wants) => {
      if (question < this.answered) return;
      this.answered = question;
      await this.keep(tenantId, wants);
    };
  }

  /** Keeps what the service wants; null: nothing. From here on the agent runs it, also after a crash. */
  keep(tenantId: string, wants: Wanted | null): Promise<void> {
    return this.turns.take(async () => {
      const before = await this.text();
      const text = `${JSON.stringify({ tenantId, wanted: wants })}\n`;
      if (text === before || (before === null && wants === null)) return;
      await replaceFile(this.path, text);
    });
  }
}
