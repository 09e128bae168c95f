import type { OpenServer, ServerKind, SkippedServer } from '../scripts/lib/server-client.cjs';

/** The facts about the machine that `scripts/bench.mjs` passes on. */
export interface Machine {
  readonly argv: readonly string[];
  readonly root: string;
  /** `.bench`, the folder for the files that a run leaves. */
  readonly work: string;
  readonly build: string;
  /** Path of a Chromium of this machine. */
  findBrowser(): string | undefined;
  ensureBinary(kind: ServerKind): { readonly found?: string; readonly skipped?: string };
  unprivilegedIds(): { readonly uid: number; readonly gid: number } | undefined;
  openServer(kind: ServerKind): Promise<OpenServer | SkippedServer>;
}
