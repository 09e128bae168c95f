import { answerParentWith } from '../../../store/archive/asked-process';
import { FolderPlace } from './folder-place';

/** The calls of a folder of files are made in this process. */
answerParentWith(new FolderPlace(process.argv[2] ?? ''));
