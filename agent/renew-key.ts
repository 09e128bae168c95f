import { z } from 'zod';
import type { Clock } from './clock';
import type { OwnKey } from './config/own-key';
import type { AgentConfig } from './config/parse-config';
import { Secret } from './config/secret';
import { withDeadline } from './deadline';
import type { LineLog } from './log';
import type { AgentTimes } from './times';
import { parseAnswer } from './uplink/answer';
import { postGraphql } from './uplink/graphql-post';
import { reasonOf } from './uplink/ingest-client';

const STATE = '{ agentKey { isDue } }';
const RENEW = 'mutation { renewAgentKey { key } }';
const stateData = z.object({ agentKey: z.object({ isDue: z.boolean() }) });
const renewedData = z.object({ renewAgentKey: z.object({ key: z.string().regex(/^[\x21-\x7e]+$/) }) });

interface Renewing {
  readonly config: AgentConfig;
  readonly ownKey: OwnKey;
  readonly clock: Clock;
  readonly times: AgentTimes;
  readonly log: LineLog;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Renews the agent's key when the service says that it is due. The new key is on disk before it is used; the first
 * question with it ends the old one. So a crash at any moment leaves a key that works. Whoever follows the configuration
 * notices the new key there, and begins again with it.
 */
export async function renewKey(renewing: Renewing, stop: AbortSignal): Promise<void> {
  const { config, clock, times } = renewing;
  // Many agents that start together do not ask together. A renewed key that is new is confirmed at once.
  const firstMs = config.isKeyRenewed ? 0 : (times.keyCheckMs / 2) * (1 + renewing.random());
  for (let waitMs = firstMs; ; waitMs = times.keyCheckMs) {
    if (waitMs > 0) await clock.wait(waitMs, stop);
    if (stop.aborted || (await look(renewing, stop))) return;
  }
}

/** @returns whether another key is in use from now on */
async function look({ config, ownKey, times, log }: Renewing, stop: AbortSignal): Promise<boolean> {
  const ask = async (query: string, apiKey: Secret) => {
    const body = Buffer.from(JSON.stringify({ query }));
    const service = { baseUrl: config.baseUrl, way: config.way, apiKey };
    return parseAnswer(
      await withDeadline(times.requestTimeoutMs, stop, (signal) => postGraphql(service, [body], signal)),
    );
  };
  try {
    const state = await ask(STATE, config.apiKey);
    const known = stateData.safeParse(state.data);
    if (!known.success) return state.code === 'unauthorized' ? await goBack(ask, config, ownKey, log) : false;
    if (!known.data.agentKey.isDue) return false;
    const answer = await ask(RENEW, config.apiKey);
    const renewed = renewedData.safeParse(answer.data);
    if (!renewed.success) {
      log.warn(`the agent key is due and was not renewed: ${answer.message}`);
      return false;
    }
    const { key } = renewed.data.renewAgentKey;
    log.hide(key);
    await ownKey.keep(config.configuredKey, key, config.apiKey.reveal());
    log.info('the agent key was renewed');
    return true;
  } catch (error) {
    if (!stop.aborted) log.warn(`the agent key could not be looked after: ${reasonOf(error)}`);
    return false;
  }
}

/** A renewed key that the service does not know gives way to the one before, if that one works. */
async function goBack(
  ask: (query: string, key: Secret) => Promise<{ readonly data: unknown }>,
  { configuredKey, apiKey }: AgentConfig,
  ownKey: OwnKey,
  log: LineLog,
): Promise<boolean> {
  const before = await ownKey.before(configuredKey);
  if (before === null || before === apiKey.reveal()) return false;
  const works = stateData.safeParse((await ask(STATE, new Secret(before))).data).success;
  if (!works) return false;
  await ownKey.keep(configuredKey, before, before);
  log.warn(
    `the service does not know the renewed agent key; the one before is in use again (${ownKey.path})`,
  );
  return true;
}
