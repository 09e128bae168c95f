import { z } from 'zod';
import { SHA256 } from '../../src/event/agent-package';
import type { Environment } from '../source/environment';
import { type SignedPackage, signedPackage } from './offer';
import { endedPackage } from './update-state';

/**
 * What a launcher and the agent that it has started tell each other. They may be of different releases: a message that
 * one of them does not know is no mistake, and none may change its meaning.
 */
const told = z.object({
  /** The package that runs; null: the installed agent. */
  running: z.object({ sha256: z.string().regex(SHA256), isTrial: z.boolean() }).nullable(),
  ended: z.array(endedPackage),
});
export type Told = Readonly<z.infer<typeof told>>;

/** Of the environment: `Told` as JSON. An agent without it has no launcher. */
export const LAUNCHED = 'AUDIT_AGENT_LAUNCHED';

export const fromAgent = z.discriminatedUnion('kind', [
  /** Publishing begins. */
  z.object({ kind: z.literal('ready') }),
  /** The service has acknowledged what the agent sent. */
  z.object({ kind: z.literal('acknowledged') }),
  /** A package is in the data folder, and is to run from now on. */
  z.object({ kind: z.literal('install'), offer: signedPackage }),
]);
export type FromAgent = z.infer<typeof fromAgent>;

export const fromLauncher = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stop') }),
  /** The trial is over. */
  z.object({ kind: z.literal('proved') }),
]);
export type FromLauncher = z.infer<typeof fromLauncher>;

/** The launcher, as the agent sees it that it has started. */
export interface Launcher extends Told {
  ready(): void;
  acknowledged(): void;
  install(offer: SignedPackage): void;
  /** Calls back when the trial is over. */
  onProved(then: () => void): void;
}

/** @param stop is called when the launcher wants it, or is gone @returns null: nobody launched this process */
export function launcherOf(env: Environment, stop: (reason: string) => void): Launcher | null {
  if (process.send === undefined || env[LAUNCHED] === undefined) return null;
  const say = (message: FromAgent) => {
    // Where the launcher is gone, the agent ends anyway.
    if (process.connected) process.send?.(message, () => {});
  };
  let proved = () => {};
  process.on('message', (message) => {
    const known = fromLauncher.safeParse(message).data;
    if (known?.kind === 'stop') stop('the launcher');
    else if (known?.kind === 'proved') proved();
  });
  process.once('disconnect', () => stop('the launcher has ended'));
  return {
    ...told.parse(JSON.parse(env[LAUNCHED] ?? '')),
    ready: () => say({ kind: 'ready' }),
    acknowledged: () => say({ kind: 'acknowledged' }),
    install: ({ version, build, size, sha256, signature, allowsOlder }) =>
      say({ kind: 'install', offer: { version, build, size, sha256, signature, allowsOlder } }),
    onProved: (then) => {
      proved = then;
    },
  };
}

/** Lets the process end: the messages of the launcher keep it. */
export const leaveLauncher = (): void => {
  if (process.connected) process.disconnect?.();
};
