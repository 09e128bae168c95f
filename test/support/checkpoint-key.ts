import { CheckpointKey, newCheckpointKeyPem } from '../../src/trail/evidence/note-key';

/** For stores without a service before them. */
export const TEST_CHECKPOINT_KEY = CheckpointKey.ofPem(newCheckpointKeyPem());
