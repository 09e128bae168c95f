import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ONE_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { World } from '../support/world';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
}

// A setting of OpenTelemetry: the milliseconds that a span waits before its batch is sent.
process.env.OTEL_BSP_SCHEDULE_DELAY = '100';

/** A collector of OTLP over HTTP, as JSON. */
class Collector {
  readonly spans: Span[] = [];
  readonly bodies: string[] = [];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (request.url === '/v1/traces') this.#take(body);
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take(body: string): void {
    this.bodies.push(body);
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const { spans } of scopeSpans) this.spans.push(...spans);
  }
}

const attribute = ({ attributes }: Span, key: string) =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

describe.each(ONE_ENGINE)('traces of a service on %s', (engine) => {
  const collector = new Collector();
  let world: World;
  beforeAll(async () => {
    world = await World.open(engine, { otlpEndpoint: await collector.open() });
  });
  afterAll(async () => {
    await world.close();
    collector.close();
  });
  /** Waits for the spans of a trace, which may arrive in several batches. That of the request comes last. */
  const traceOf = (traceId: string, spans: number) =>
    until(
      () => collector.spans.filter((span) => span.traceId === traceId),
      (found) => found.length >= spans && found.some(({ name }) => /^(GET|POST) /.test(name)),
    );
  const [traceId, callerSpan] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const traceparent = `00-${traceId}-${callerSpan}-01`;

  it("lead from the caller's own trace through the request and its operation to the statement", async () => {
    const acme = await world.tenant();
    const path = '/api/v1/public/audit-activity';
    await world.fetch(`${path}?search=geheim`, { headers: { 'X-Api-Key': acme.key, traceparent } });
    const trace = await traceOf(traceId, 3);
    const named = (name: RegExp) => trace.find((span) => name.test(span.name));
    const [request, operation] = [named(/^GET /), named(/^query /)];
    const statement = trace.find((span) => span.parentSpanId === operation?.spanId);
    expect(request).toMatchObject({ name: `GET ${path}`, parentSpanId: callerSpan });
    expect(operation).toMatchObject({ name: 'query auditEvents', parentSpanId: request?.spanId });
    expect(attribute(request as Span, 'http.route')).toBe(path);
    expect(Number(attribute(request as Span, 'http.response.status_code'))).toBe(200);
    expect(attribute(statement as Span, 'db.query.text')).toContain('$1');
    // Traces must contain neither keys nor search texts.
    for (const body of collector.bodies)
      for (const value of ['geheim', acme.key]) expect(body).not.toContain(value);
  });

  it('include the statement that a replica answers', async () => {
    if (engine === 'embedded') return expect(world.database.databaseUrl).toBeNull();
    const { databaseUrl } = world.database;
    const instance = await World.on(world.database, {
      readDatabaseUrl: databaseUrl,
      otlpEndpoint: collector.url,
    });
    const { headers } = await instance.get('/audit-activity', (await instance.tenant()).key);
    await instance.service.close();
    const requestId = headers.get('X-Request-Id');
    const request = collector.spans.find((span) => attribute(span, 'request.id') === requestId);
    const trace = await traceOf(request?.traceId ?? '', 3);
    expect(trace.filter((span) => attribute(span, 'db.query.text') !== undefined)).toHaveLength(1);
  });

  it('name the operation of a GraphQL request', async () => {
    const { headers } = await world.graphql(world.operatorKey, 'query Names { tenants { name } }');
    const requestId = headers.get('X-Request-Id');
    const request = await until(
      () => collector.spans.find((span) => attribute(span, 'request.id') === requestId),
      (span) => span !== undefined,
    );
    const trace = await traceOf(request?.traceId ?? '', 2);
    const operation = trace.find(({ name }) => name === 'graphql');
    expect(operation && attribute(operation, 'graphql.operation.name')).toBe('Names');
    await until(
      () => world.logLines.some((line) => line.includes(`"traceId":"${request?.traceId}"`)),
      (isThere) => isThere,
    );
  });

  it('name the service', () => {
    expect(collector.bodies[0]).toMatch(/"service\.name","value":\{"stringValue":"audit-activity"\}/);
  });
});

describe.each(ONE_ENGINE)('a service without a collector on %s', (engine) => {
  const at = useWorld(engine);

  it('answers at both entrances, and writes no trace id to its log', async () => {
    const acme = await at.world.tenant();
    expect((await acme.get('/audit-activity')).status).toBe(200);
    expect((await at.world.graphql(acme.key, '{ __typename }')).status).toBe(200);
    const answered = at.world.logLines.filter((line) => line.includes('"answered"'));
    expect(answered.length).toBeGreaterThan(0);
    expect(answered.filter((line) => line.includes('traceId'))).toEqual([]);
  });
});
