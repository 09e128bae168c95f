import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { dataDirOf } from '../agent-context';
import { OwnKey } from '../config/own-key';
import {
  type AgentConfig,
  NOTHING_SOUND,
  parseConfig,
  type SoundParts,
  withOwnKey,
} from '../config/parse-config';
import { errorText } from '../log';
import { withSettings } from '../settings/apply-settings';
import { KeptSettings } from '../settings/kept-settings';

type ReadConfig =
  | {
      readonly kind: 'config';
      readonly path: string;
      readonly config: AgentConfig;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'invalid';
      readonly path: string;
      readonly problems: readonly string[];
      readonly warnings: readonly string[];
      readonly sound: SoundParts;
    };

/** The configuration for a command that reads it once. Every problem names the file, and none repeats a value. */
export async function readConfig(given: string, dataDir: string | null = null): Promise<ReadConfig> {
  const path = resolve(given);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const problems = [`${path}: cannot be read: ${errorText(error)}`];
    return { kind: 'invalid', path, problems, warnings: [], sound: NOTHING_SOUND };
  }
  const parsed = parseConfig(text, path);
  const named = (lines: readonly string[]) => lines.map((line) => `${path}: ${line}`);
  const warnings = named(parsed.warnings);
  if (parsed.kind === 'invalid') return { ...parsed, path, problems: named(parsed.problems), warnings };
  const folder = dataDirOf(path, dataDir);
  const ownKey = await new OwnKey(folder).text().catch(() => null);
  const kept = await new KeptSettings(folder).text().catch(() => null);
  return {
    kind: 'config',
    path,
    config: withSettings(withOwnKey(parsed.config, ownKey), kept),
    warnings,
  };
}
