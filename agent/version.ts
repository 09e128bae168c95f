import project from '../package.json';

/** Of this build of the agent. */
export const AGENT_VERSION: string = project.version;
