import type { Received, Reply } from './receiver';

const CODES = {
  disabled: [400, { text: 'ACK is disabled', code: 14 }],
  noChannel: [400, { text: 'Data channel is missing', code: 10 }],
  noToken: [401, { text: 'Token is required', code: 2 }],
  badToken: [403, { text: 'Invalid token', code: 4 }],
  noData: [400, { text: 'No data', code: 5 }],
  badData: [400, { text: 'Invalid data format', code: 6 }],
  busy: [503, { text: 'Server is busy', code: 9 }],
  success: [200, { text: 'Success', code: 0 }],
} as const;
const reply = ([status, body]: readonly [number, object]): Reply => ({ status, body: JSON.stringify(body) });

export interface HecEvent {
  readonly time: number;
  readonly host?: string;
  readonly index?: string;
  readonly sourcetype?: string;
  readonly event: { readonly position: string; readonly statement: string };
}

/**
 * Plays Splunk's HTTP Event Collector as its documentation describes it: paths, token, channel, codes, and
 * acknowledgements that come later.
 */
export class StrictSplunk {
  readonly events: HecEvent[] = [];
  /** Whether the events sent so far count as indexed. */
  isIndexed = true;
  readonly #acks = new Map<number, HecEvent[]>();

  constructor(
    private readonly token: string,
    private readonly acknowledges: boolean,
  ) {}

  answer({ method, path, headers, body }: Received): Reply {
    const url = new URL(path, 'http://splunk');
    if (method !== 'POST') return { status: 405 };
    if (headers.authorization === undefined) return reply(CODES.noToken);
    if (headers.authorization !== `Splunk ${this.token}`) return reply(CODES.badToken);
    const channel = headers['x-splunk-request-channel'] ?? url.searchParams.get('channel');
    if (url.pathname === '/services/collector/ack') return this.#ack(body, channel !== null);
    if (url.pathname !== '/services/collector/event') return { status: 404 };
    if (this.acknowledges && !channel) return reply(CODES.noChannel);
    const events = parse(body.toString('utf8'));
    if (events === null) return reply(CODES.badData);
    if (events.length === 0) return reply(CODES.noData);
    if (!this.acknowledges) {
      this.events.push(...events);
      return reply(CODES.success);
    }
    const ackId = this.#acks.size;
    this.#acks.set(ackId, events);
    return reply([200, { ...CODES.success[1], ackId }]);
  }

  #ack(body: Buffer, hasChannel: boolean): Reply {
    if (!this.acknowledges) return reply(CODES.disabled);
    if (!hasChannel) return reply(CODES.noChannel);
    const { acks } = JSON.parse(body.toString('utf8')) as { acks: number[] };
    for (const id of this.isIndexed ? acks : []) {
      this.events.push(...(this.#acks.get(id) ?? []));
      this.#acks.set(id, []);
    }
    return reply([
      200,
      { acks: Object.fromEntries(acks.map((id) => [id, this.isIndexed && this.#acks.has(id)])) },
    ]);
  }
}

/** Parses one JSON event for each line; null if a line is not an event. */
function parse(text: string): HecEvent[] | null {
  try {
    const events = text.split('\n').map((line) => JSON.parse(line) as HecEvent);
    const isSound = ({ time, event }: HecEvent) => typeof time === 'number' && typeof event === 'object';
    return events.every(isSound) ? events : null;
  } catch {
    return null;
  }
}
