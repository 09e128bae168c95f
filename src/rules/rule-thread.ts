import { answerWith } from '../asked-thread';
import { LocalReader } from './rule-reader';

/** Rule files are read on this thread. */
answerWith(new LocalReader());
