import { hostname } from 'node:os';
import { z } from 'zod';
import { grownMs } from '../../src/rests';
import { type Clock, systemClock } from '../clock';
import { Secret } from '../config/secret';
import { withDeadline } from '../deadline';
import { parseAnswer, parseRetryAfter } from '../uplink/answer';
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

/** An installation waits for it. A token enrolls 120 agents a minute, so the last of hundreds wait for some. */
const WAITS_MAX_MS = 300_000;
const WAIT = { firstMs: 1_000, mostMs: 60_000 };
const BUSY: ReadonlySet<string> = new Set(['rate_limited', 'service_unavailable']);

/**
 * A service that is busy, as when hundreds of hosts begin at once, is asked again. No other failure is: an exchange
 * whose answer was lost has used the token up.
 * @throws Error that says why there is no key, without the token
 */
export const enrollAt =
  (timeoutMs: number, clock: Clock = systemClock, random: () => number = Math.random): Enroll =>
  async (baseUrl, token, way) => {
    const service = { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey: new Secret(token), way: way ?? null };
    const body = Buffer.from(JSON.stringify({ query: MUTATION, variables: { h: hostname() } }));
    const never = new AbortController().signal;
    for (let [failures, waitedMs] = [1, 0]; ; failures++) {
      const answer = await withDeadline(timeoutMs, never, (signal) =>
        postGraphql(service, [body], signal),
      ).catch((error: unknown) => {
        throw new Error(`the token was not exchanged for a key: ${reasonOf(error)}`);
      });
      const { code, data, message } = parseAnswer(answer);
      const enrolled = answerData.safeParse(data);
      if (enrolled.success) return enrolled.data.enrollAgent;
      const askedMs = Math.min(parseRetryAfter(answer.retryAfter, clock.now()) ?? 0, WAIT.mostMs);
      const waitMs = Math.max(askedMs, grownMs(WAIT, failures)) * (1 + random() / 2);
      waitedMs += waitMs;
      if (!BUSY.has(code) || waitedMs > WAITS_MAX_MS)
        throw new Error(`the token was not exchanged for a key: ${message}`);
      await clock.wait(waitMs, never);
    }
  };
