import type { Step } from '../../../database/clients';
import { idBytes } from '../../../event/record-id';
import { sealOf } from './batch-seal';
import type { CheckpointKey } from './note-key';

const ENTER = `
INSERT INTO audit_log_queue (tenant_id, batch_id, received_at, leaves, accepted, events, key_id, mac, refused)
SELECT t.tenant_id, $2::uuid, statement_timestamp(), decode($3, 'hex'), NULL, 1, $4::text, decode($5, 'hex'), false
FROM tenant t WHERE t.tenant_id = $1::int`;

/** Lets an entry of the service wait for its turn in the log. */
export async function enterOwn(
  step: Step,
  key: CheckpointKey,
  tenantId: number,
  { id, leaf }: { readonly id: string; readonly leaf: Buffer },
): Promise<void> {
  const leaves = Buffer.concat([idBytes(id), leaf]);
  const mac = sealOf(key, tenantId, id, leaves);
  await step(ENTER, [tenantId, id, leaves.toString('hex'), key.keyId, mac.toString('hex')]);
}
