import { createHash } from 'node:crypto';
import type { World } from './world';

interface Offered {
  readonly packageId: string;
  readonly sha256: string;
}

/** Offers a small file to a group. @param change version and signature, where they matter */
export async function offerTo(
  world: World,
  groupId: string,
  content: Buffer,
  change: { readonly version?: string; readonly build?: number; readonly signature?: string } = {},
): Promise<Offered> {
  const { offerAgentPackage } = await world.operate(
    `mutation($groupId: String!, $version: String!, $build: Int!, $fileSize: Int!, $sha256: String!,
      $signature: String!) { offerAgentPackage(groupId: $groupId, version: $version, build: $build,
      fileSize: $fileSize, sha256: $sha256, signature: $signature) { packageId sha256 } }`,
    {
      groupId,
      version: '9.1.0',
      build: 2,
      fileSize: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      signature: `${'A'.repeat(86)}==`,
      ...change,
    },
  );
  await world.operate(
    `mutation($p: String!, $bytes: String!) { addAgentPackagePart(packageId: $p, part: 0, bytes: $bytes) {
      offeredAt } }`,
    { p: offerAgentPackage.packageId, bytes: content.toString('base64') },
  );
  return offerAgentPackage;
}

/** Makes a group of these hosts, and offers them a small file. */
export async function offerPackage(
  world: World,
  tenantId: string,
  { name, host, content }: { readonly name: string; readonly host: string; readonly content: Buffer },
): Promise<Offered> {
  const { createAgentGroup } = await world.operate(
    `mutation($t: String!, $n: String!, $h: String!) {
      createAgentGroup(tenantId: $t, name: $n, hosts: [$h]) { groupId } }`,
    { t: tenantId, n: name, h: host },
  );
  return offerTo(world, createAgentGroup.groupId, content);
}
