import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';

/** The checkpoint key of stores that run without a service. */
export const TEST_CHECKPOINT_KEY = CheckpointKey.ofPem(newCheckpointKeyPem());
