import { answerWith } from '../../asked-thread';
import { LocalFileMaker } from './run-files';

/** The files of reports are made on this thread. */
answerWith(new LocalFileMaker());
