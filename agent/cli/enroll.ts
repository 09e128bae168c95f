import { hostname } from 'node:os';
import { z } from 'zod';
import { Secret } from '../config/secret';
import { withDeadline } from '../deadline';
import { parseAnswer } from '../uplink/answer';
import { postGraphql } from '../uplink/graphql-post';
import { reasonOf } from '../uplink/ingest-client';
import type { Way } from '../uplink/way';

const MUTATION = 'mutation($h: String!) { enrollAgent(hostName: $h) { key tenantId } }';
const answerData = z.object({ enrollAgent: z.object({ key: z.string(), tenantId: z.string() }) });

export interface Enrolled {
  readonly key: string;
  readonly tenantId: string;
}

/** Fetches a key for the agent of this host, with a token. */
export type Enroll = (baseUrl: string, token: string, way?: Way) => Promise<Enrolled>;

/** @throws Error that says why there is no key, without the token */
export const enrollAt =
  (timeoutMs: number): Enroll =>
  async (baseUrl, token, way) => {
    const service = { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey: new Secret(token), way: way ?? null };
    const body = Buffer.from(JSON.stringify({ query: MUTATION, variables: { h: hostname() } }));
    const answer = await withDeadline(timeoutMs, new AbortController().signal, (signal) =>
      postGraphql(service, [body], signal),
    ).catch((error: unknown) => {
      throw new Error(`the token was not exchanged for a key: ${reasonOf(error)}`);
    });
    const { data, message } = parseAnswer(answer);
    const enrolled = answerData.safeParse(data);
    if (!enrolled.success) throw new Error(`the token was not exchanged for a key: ${message}`);
    return enrolled.data.enrollAgent;
  };
