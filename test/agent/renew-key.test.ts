import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OwnKey } from '../../agent/config/own-key';
import type { AgentConfig } from '../../agent/config/parse-config';
import { Secret } from '../../agent/config/secret';
import { LineLog } from '../../agent/log';
import { renewKey } from '../../agent/renew-key';
import { AGENT_TIMES } from '../../agent/times';
import { temporaryFolder } from '../support/engines';

const TIMES = { ...AGENT_TIMES, keyCheckMs: 7_000, requestTimeoutMs: 3_000 };
const CONFIGURED = new Secret('key-of-the-file');
type Reply = object | 'refused' | 'cut';
const state = (isDue: boolean) => ({ data: { agentKey: { isDue } } });
const renewed = (key: string) => ({ data: { renewAgentKey: { key } } });

describe('the key of an agent', () => {
  let server: Server;
  let folder: string;
  let ownKey: OwnKey;
  let asked: string[];
  let waits: number[];
  let log: string[];
  let reply: (question: 'state' | 'renew', key: string) => Reply;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      response.setHeader('Connection', 'close');
      const key = String(request.headers['x-api-key']);
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const question = String(Buffer.concat(parts)).includes('renewAgentKey') ? 'renew' : 'state';
      asked.push(`${question} ${key}`);
      const answer = reply(question, key);
      if (answer === 'cut') return void response.destroy();
      const refusal = { errors: [{ message: 'no', extensions: { code: 'unauthorized' } }] };
      response.end(JSON.stringify(answer === 'refused' ? refusal : answer));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    ownKey = new OwnKey(folder);
    [asked, waits, log] = [[], [], []];
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Looks after the key until it is another one, or for so many looks. */
  const look = async (apiKey: string, looks: number, isKeyRenewed = false) => {
    const stop = new AbortController();
    const { port } = server.address() as AddressInfo;
    const config = {
      baseUrl: `http://127.0.0.1:${port}`,
      way: null,
      apiKey: new Secret(apiKey),
      configuredKey: CONFIGURED,
      isKeyRenewed,
    } as AgentConfig;
    await renewKey(
      {
        config,
        ownKey,
        times: TIMES,
        random: () => 0.5,
        log: new LineLog((line) => void log.push(line)),
        clock: {
          now: () => 0,
          elapsed: () => 0,
          wait: async (ms) => {
            waits.push(ms);
            if (waits.length > looks) stop.abort();
          },
        },
      },
      stop.signal,
    );
    return OwnKey.renewed(await ownKey.text(), CONFIGURED);
  };

  it('is looked at from some minutes on, again and again, and stays while it is not due', async () => {
    reply = () => state(false);
    expect(await look('k0', 3)).toBeNull();
    expect(waits).toEqual([5_250, 7_000, 7_000, 7_000]);
    expect(asked).toEqual(Array(3).fill('state k0'));
  });

  it('is renewed once it is due: the new one is on disk, beside the one before', async () => {
    let isDue = false;
    reply = (question) => {
      if (question === 'renew') return renewed('k1');
      const answer = state(isDue);
      isDue = true;
      return answer;
    };
    expect(await look('k0', 9)).toBe('k1');
    expect([await ownKey.before(CONFIGURED), asked]).toEqual(['k0', ['state k0', 'state k0', 'renew k0']]);
    // Nobody has written it into the log.
    expect(log.join()).toContain('the agent key was renewed');
    expect(OwnKey.renewed(await ownKey.text(), new Secret('of an operator'))).toBeNull();
  });

  it('that was renewed is confirmed at once', async () => {
    reply = () => state(false);
    await look('k1', 1, true);
    expect(waits).toEqual([7_000, 7_000]);
    expect(asked).toEqual(['state k1', 'state k1']);
  });

  it.each<[string, (question: string) => Reply, string]>([
    [
      'is not renewed',
      (question) => (question === 'renew' ? 'refused' : state(true)),
      'is due and was not renewed',
    ],
    [
      'is renewed by none',
      (question) => (question === 'renew' ? renewed('a b') : state(true)),
      'was not renewed',
    ],
    ['is not looked at', () => 'cut', 'could not be looked after'],
  ])('stays in use where it %s, and is asked for again', async (_, answer, told) => {
    reply = answer;
    expect(await look('k0', 2)).toBeNull();
    expect(asked.filter((one) => one.startsWith('state'))).toHaveLength(2);
    expect(log.filter((line) => line.includes(told))).toHaveLength(2);
  });

  it.each<[string, string | null, string, readonly string[], string | null]>([
    ['gives way to the one before, if that works', 'k0', 'k1', ['state k1', 'state k0'], 'k0'],
    ['stays if that one does not work either', 'bad', 'k1', ['state k1', 'state bad'], 'k1'],
    ['stays if there is none before', null, 'k1', ['state k1'], null],
    ['stays if it is that one itself', 'k1', 'k1', ['state k1'], 'k1'],
  ])('that the service does not know %s', async (_, before, key, questions, kept) => {
    if (before !== null) await ownKey.keep(CONFIGURED, key, before);
    reply = (_question, of) => (of === 'k0' ? state(false) : 'refused');
    expect(await look(key, 1)).toBe(kept);
    expect(await ownKey.before(CONFIGURED)).toBe(before);
    expect(asked).toEqual(questions);
  });
});
