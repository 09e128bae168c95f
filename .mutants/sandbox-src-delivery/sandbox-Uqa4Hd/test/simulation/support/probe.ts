import fs from 'node:fs';
import { AuditFiles } from '../../../agent/tail/audit-files';
import { FileKeeper } from '../../../agent/tail/file-keeper';
import { AGENT_TIMES } from '../../../agent/times';

/** Tells the parent process what an agent under test is about to do, or which answer it just got. */
export interface Signal {
  /**
   * look: the agent lists the audit files, before it reads them or while it waits. tick: it looks at its configuration.
   * delivering, delivered: a batch, from its first attempt until its bookmarks are saved. saving: it renames the new
   * bookmarks into place. blocked, free: reading waits for a delivery, or continues.
   */
  readonly kind: 'look' | 'tick' | 'saving' | 'delivering' | 'delivered' | 'blocked' | 'free';
  readonly atMs: number;
}

/** Settings that the agent's process gets beside its command line. */
export interface ProbeSettings {
  readonly configPath: string;
  readonly times: Partial<typeof AGENT_TIMES>;
}

const settings: ProbeSettings = JSON.parse(process.env.SIMULATION_PROBE ?? '');
Object.assign(AGENT_TIMES, settings.times);
const tell = (kind: Signal['kind']) => void process.send?.({ kind, atMs: Date.now() } satisfies Signal);

type Call = (...args: unknown[]) => unknown;

/** Sends a signal before each call for whose arguments `kindOf` gives a kind. */
function watch(
  functions: object,
  names: readonly string[],
  kindOf: (args: string[]) => Signal['kind'] | null,
) {
  const table = functions as Record<string, Call>;
  for (const name of names) {
    const call = table[name];
    if (!call) continue;
    table[name] = (...args) => {
      const kind = kindOf(args.map(String));
      if (kind !== null) tell(kind);
      return call.apply(table, args);
    };
  }
}

for (const functions of [fs, fs.promises]) {
  watch(functions, ['readFile', 'stat'], ([path]) => (path === settings.configPath ? 'tick' : null));
  watch(functions, ['rename'], ([, path]) => (path?.includes('checkpoints') ? 'saving' : null));
}

const { look, lookFor } = AuditFiles.prototype;
let isSearching = false;
AuditFiles.prototype.look = function () {
  if (!isSearching) tell('look');
  return look.call(this);
};
// This search runs in the middle of reading: its files may be read only after the next look.
AuditFiles.prototype.lookFor = function (file) {
  isSearching = true;
  const found = lookFor.call(this, file);
  isSearching = false;
  return found;
};

const { delivering, watchDuring } = FileKeeper.prototype;
FileKeeper.prototype.delivering = function (delivery) {
  tell('delivering');
  const delivered = () => tell('delivered');
  delivery.then(delivered, delivered);
  return delivering.call(this, delivery) as typeof delivery;
};
FileKeeper.prototype.watchDuring = async function (delivery, stop) {
  tell('blocked');
  const result = await watchDuring.call(this, delivery, stop);
  tell('free');
  return result as Awaited<typeof delivery>;
};
