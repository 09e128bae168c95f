import { connect, type Socket } from 'node:net';

/** The requests to send. The first argument holds this plan as JSON. */
export interface LoadPlan {
  readonly port: number;
  readonly path: string;
  /** One key for each connection, so that no key comes near its limit. */
  readonly keys: readonly string[];
  readonly warmUpMs: number;
  readonly measureMs: number;
  /**
   * Requests that are due in a second, at even distances. Times then count from the moment when a request was due. Null:
   * each connection sends the next request as soon as it has its answer.
   */
  readonly perSecond: number | null;
}

/** The result, printed as JSON. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytes: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** A keep-alive HTTP client with one request at a time. It takes little processor time, which is left to the server. */
class Caller {
  #socket: Socket | undefined;
  #received: Buffer[] = [];
  #size = 0;
  /** Length of the whole answer, known once its head has arrived. */
  #expected = 0;
  #dueAt = 0;

  constructor(
    private readonly plan: LoadPlan,
    private readonly request: Buffer,
    private readonly onAnswer: (caller: Caller, ms: number, bytes: number) => void,
  ) {}

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.plan.port, '127.0.0.1');
      this.#socket = socket;
      socket.setNoDelay(true);
      socket.once('connect', resolve);
      socket.on('error', reject);
      socket.on('data', (chunk) => this.#receive(chunk));
      socket.on('close', () => fail('the server closed a connection'));
    });
  }

  send(dueAt: number): void {
    this.#received = [];
    this.#size = this.#expected = 0;
    this.#dueAt = dueAt;
    this.#socket?.write(this.request);
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.length;
    if (this.#expected === 0) this.#expected = answerLength(Buffer.concat(this.#received));
    if (this.#expected === 0 || this.#size < this.#expected) return;
    this.onAnswer(this, performance.now() - this.#dueAt, this.#size);
  }
}

/** The length of the answer whose head is in `bytes`; 0 while the head is not complete. */
function answerLength(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return 0;
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith('HTTP/1.1 200')) fail(`the server answered ${head.split('\r\n', 1)[0]}`);
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  if (!length) fail('the answer has no length');
  return end + HEAD_END.length + Number(length);
}

function fail(reason: string): never {
  process.stderr.write(`load generator: ${reason}\n`);
  process.exit(1);
}

/** A caller that is free sends at once. */
class AtOnce {
  free(caller: Caller): void {
    caller.send(performance.now());
  }
}

/** Requests are sent when they are due, or as soon as a caller is free. */
class Paced {
  readonly #free: Caller[] = [];
  #next = performance.now();

  constructor(private readonly perSecond: number) {
    setInterval(() => this.#send(), 1);
  }

  free(caller: Caller): void {
    this.#free.push(caller);
    this.#send();
  }

  #send(): void {
    while (this.#next <= performance.now()) {
      const caller = this.#free.shift();
      if (!caller) return;
      caller.send(this.#next);
      this.#next += 1000 / this.perSecond;
    }
  }
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const times: number[] = [];
  let [measuring, bytes] = [false, 0];
  const turns = plan.perSecond === null ? new AtOnce() : new Paced(plan.perSecond);
  const onAnswer = (caller: Caller, ms: number, size: number) => {
    if (measuring) times.push(ms);
    bytes = size;
    turns.free(caller);
  };
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const callers = plan.keys.map((key) => {
    const head = [
      `GET ${plan.path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `X-Api-Key: ${key}`,
      'Accept: application/json',
    ];
    return new Caller(plan, Buffer.from(`${head.join('\r\n')}\r\n\r\n`), onAnswer);
  });
  await Promise.all(callers.map((caller) => caller.start()));
  for (const caller of callers) turns.free(caller);
  await sleep(plan.warmUpMs);
  measuring = true;
  const started = performance.now();
  await sleep(plan.measureMs);
  const seconds = (performance.now() - started) / 1000;
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { requestsPerSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), bytes };
}

run(JSON.parse(process.argv[2] ?? '{}')).then((result) => {
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
});
