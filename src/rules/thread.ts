import { answerWith } from '../asked-thread';
import { LocalHost } from './host';

/** Engines run on this thread. */
answerWith(new LocalHost());
