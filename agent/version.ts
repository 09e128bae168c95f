import { BUILD_VERSION } from './generated/version';

/** What the build puts into a bundle; where the agent runs from its sources, there is none. */
declare const AUDIT_AGENT_BUNDLE: { readonly version: string; readonly build: number } | undefined;
const bundle = typeof AUDIT_AGENT_BUNDLE === 'undefined' ? null : AUDIT_AGENT_BUNDLE;

/** Version of this build of the agent. */
export const AGENT_VERSION: string = bundle?.version ?? BUILD_VERSION;

/** Orders the builds of one version; null: nobody knows. */
export const AGENT_BUILD: number | null = bundle?.build ?? null;
