import { z } from 'zod';
import { partsOf } from '../../src/event/agent-package';
import { withDeadline } from '../deadline';
import { parseAnswer } from '../uplink/answer';
import { postGraphql, type ServiceAddress } from '../uplink/graphql-post';
import { reasonOf } from '../uplink/ingest-client';
import type { Offer } from './offer';

const PART = `query($id: String!, $part: Int!) { agentPackagePart(packageId: $id, part: $part) { bytes } }`;
const partData = z.object({ agentPackagePart: z.object({ bytes: z.base64() }) });

/** The file of a package, part by part. @throws if the service does not give it */
export async function* downloadParts(
  service: ServiceAddress,
  { packageId, size }: Offer,
  timeoutMs: number,
  stop: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < partsOf(size); part++) {
    const body = Buffer.from(JSON.stringify({ query: PART, variables: { id: packageId, part } }));
    const answer = await withDeadline(timeoutMs, stop, (signal) =>
      postGraphql(service, [body], signal),
    ).catch((error: unknown) => {
      throw new Error(reasonOf(error));
    });
    const { data, message } = parseAnswer(answer);
    const read = partData.safeParse(data);
    if (!read.success) throw new Error(message);
    yield Buffer.from(read.data.agentPackagePart.bytes, 'base64');
  }
}
