import project from '../package.json';

/** Version of this build of the agent. */
export const AGENT_VERSION: string = project.version;
