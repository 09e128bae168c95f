import { BUILD_VERSION } from './generated/version';

/** Version of this build of the agent. */
export const AGENT_VERSION: string = BUILD_VERSION;
