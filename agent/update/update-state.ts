import { join } from 'node:path';
import { z } from 'zod';
import { compareVersions, PACKAGE_CHARS_MAX, SHA256 } from '../../src/event/agent-package';
import { readIfThere, replaceFile } from '../durable-file';
import { AGENT_BUILD, AGENT_VERSION } from '../version';
import { signedPackage } from './offer';

/** A package in the data folder, and the installed version at the time: a later installation takes its place. */
const keptPackage = signedPackage.extend({
  over: z.object({ version: z.string(), build: z.int().nullable() }),
});
export type KeptPackage = Readonly<z.infer<typeof keptPackage>>;

/** A package that has come to its end here. It is never tried again. */
export const endedPackage = z.object({
  sha256: z.string().regex(SHA256),
  version: z.string(),
  reason: z.string().max(PACKAGE_CHARS_MAX.reason),
});
export type EndedPackage = Readonly<z.infer<typeof endedPackage>>;

const ENDED_MAX = 20;

const content = z.object({
  /** It runs, and is not proved. */
  trial: keptPackage.nullable(),
  installed: keptPackage.nullable(),
  /** What ran before the installed one, if that was a package too. */
  before: keptPackage.nullable(),
  /** How often the package that runs was started since it was last proved. */
  starts: z.int().min(0),
  ended: z.array(endedPackage).max(ENDED_MAX),
});
export type UpdateState = Readonly<z.infer<typeof content>>;

export const NO_PACKAGE: UpdateState = { trial: null, installed: null, before: null, starts: 0, ended: [] };

/** Which package runs, on disk. Only the launcher writes it. */
export class UpdateFile {
  private readonly path: string;

  constructor(dataDir: string) {
    this.path = join(dataDir, 'updates', 'state.json');
  }

  /** Without a readable file, the installed agent runs. */
  async load(): Promise<UpdateState> {
    try {
      const text = await readIfThere(this.path);
      return text === null ? NO_PACKAGE : content.parse(JSON.parse(text));
    } catch {
      return NO_PACKAGE;
    }
  }

  async save(state: UpdateState): Promise<void> {
    await replaceFile(this.path, `${JSON.stringify(state)}\n`);
  }
}

/** What runs next; null: the installed agent. */
export const currentOf = ({ trial, installed }: UpdateState): KeptPackage | null => trial ?? installed;

/** Without packages that are older than the installed agent, unless that was installed when they were taken. */
export function withoutOlder(state: UpdateState): UpdateState {
  const own = { version: AGENT_VERSION, build: AGENT_BUILD };
  const stays = (kept: KeptPackage | null) => {
    if (kept === null) return null;
    const isSameAsThen = kept.over.version === own.version && kept.over.build === own.build;
    return isSameAsThen || compareVersions(kept, own) > 0 ? kept : null;
  };
  return {
    ...state,
    trial: stays(state.trial),
    installed: stays(state.installed),
    before: stays(state.before),
  };
}

/** The current package is not tried again, and the one before it is the current one. */
export function withoutCurrent(state: UpdateState, reason: string): UpdateState {
  const current = currentOf(state);
  if (current === null) return state;
  const { sha256, version } = current;
  const ended = [...state.ended, { sha256, version, reason: reason.slice(0, PACKAGE_CHARS_MAX.reason) }];
  const left =
    state.trial === null ? { trial: null, installed: state.before, before: null } : { ...state, trial: null };
  return { ...left, starts: 0, ended: ended.slice(-ENDED_MAX) };
}

/** The service has acknowledged what the current package sent. */
export const withProved = (state: UpdateState): UpdateState =>
  state.trial === null
    ? { ...state, starts: 0 }
    : { ...state, trial: null, installed: state.trial, before: state.installed, starts: 0 };
