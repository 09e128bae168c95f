// The order matters: the probe must be loaded before the agent.
import './probe';
import '../../../agent/main';
