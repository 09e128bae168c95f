import { createHash } from 'node:crypto';
import type { World } from './world';

/** Makes a group of these hosts, and offers them a small file. @returns id and hash of the package */
export async function offerPackage(
  world: World,
  tenantId: string,
  { name, host, content }: { readonly name: string; readonly host: string; readonly content: Buffer },
): Promise<{ readonly packageId: string; readonly sha256: string }> {
  const { createAgentGroup } = await world.operate(
    `mutation($t: String!, $n: String!, $h: String!) {
      createAgentGroup(tenantId: $t, name: $n, hosts: [$h]) { groupId } }`,
    { t: tenantId, n: name, h: host },
  );
  const { offerAgentPackage } = await world.operate(
    `mutation($groupId: String!, $fileSize: Int!, $sha256: String!, $signature: String!) { offerAgentPackage(
      groupId: $groupId, version: "9.1.0", build: 2, fileSize: $fileSize, sha256: $sha256, signature: $signature) {
      packageId sha256 } }`,
    {
      groupId: createAgentGroup.groupId,
      fileSize: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      signature: `${'A'.repeat(86)}==`,
    },
  );
  await world.operate(
    `mutation($p: String!, $bytes: String!) { addAgentPackagePart(packageId: $p, part: 0, bytes: $bytes) {
      offeredAt } }`,
    { p: offerAgentPackage.packageId, bytes: content.toString('base64') },
  );
  return offerAgentPackage;
}
