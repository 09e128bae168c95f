// The order counts: the probe must be in place before the agent is.
import './probe';
import '../../../agent/main';
