import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SourceReport } from '../../../agent/report/source-report';
import type { AuditRecord } from '../../../src/event/audit-record';
import { keyOf } from './audit-files';

export type SentEvent = AuditRecord & { readonly sourceType: string };
export interface Sent {
  readonly events: readonly SentEvent[];
  readonly bytes: number;
}
/** Handles a request instead of storing its events; `false` lets the request through. */
export type Fault = (request: Sent, response: ServerResponse, headers: IncomingMessage['headers']) => boolean;
/** Why an event is rejected; null: it is accepted. */
export type Judge = (event: SentEvent) => { code: string; message: string } | null;

/** Answers a report instead of keeping it; `false` lets the report through. */
export type ReportFault = (report: SourceReport, response: ServerResponse) => boolean;

export const AGENT_KEY = 'aak_test_0123456789_SECRET';

/** The service as an agent sees it: stores events by their natural key, keeps reports, and fails on demand. */
export class FakeIngestService {
  readonly stored = new Map<string, SentEvent>();
  readonly requests: Sent[] = [];
  /** Number of requests without events, which ask whether the key is accepted. */
  probes = 0;
  readonly reports: SourceReport[] = [];
  health = 'Healthy';
  /** The tenants that the key serves; a key of the real service has a single tenant. */
  readonly tenants = new Set(['7']);
  /** Requests of the agent that the real service would refuse. */
  readonly mistakes: string[] = [];
  fault: Fault = () => false;
  reportFault: ReportFault = () => false;
  judge: Judge = () => null;
  /** What the answers to reports say of settings: `settingsVersion` and `settings`. */
  wanted: object = { settingsVersion: null, settings: null };
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      // Tests kill the agent in the middle of a request.
      if (!request.socket.destroyed) this.mistakes.push(String(error));
      response.destroy();
    });
  });

  static async start(): Promise<FakeIngestService> {
    const service = new FakeIngestService();
    await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get events(): SentEvent[] {
    return [...this.stored.values()];
  }

  /** Number of events in all requests that were let through; repeated events count again. */
  get sentCount(): number {
    return this.requests.reduce((sum, { events }) => sum + events.length, 0);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method, url } = request;
    if (method === 'GET' && url === '/health') return void response.end(this.health);
    // The agent does not compress requests to its own host.
    if (headers['content-encoding'] !== undefined) this.mistakes.push('request is compressed');
    const body = await text(request);
    const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
    if (method !== 'POST' || url !== '/graphql') this.mistakes.push(`${method} ${url}`);
    if (headers['content-type'] !== 'application/json') this.mistakes.push(`type ${headers['content-type']}`);
    if (query.includes('reportAuditSource(report: $report)')) {
      return this.takeReport(variables.report as SourceReport, headers, response);
    }
    if (!query.includes('ingestAuditEvents(batch: $batch)')) this.mistakes.push(query);
    const batch = variables.batch as { tenantId: string | null; events: SentEvent[] };
    const sent = { events: batch.events, bytes: body.length };
    if (this.fault(sent, response, headers)) return;
    if (headers['x-api-key'] !== AGENT_KEY) return refuse(response, 401, 'unauthorized');
    if (batch.tenantId !== null && !this.tenants.has(batch.tenantId))
      return refuse(response, 403, 'forbidden');
    if (batch.events.length > 0) this.requests.push(sent);
    else this.probes++;
    respond(response, 200, { data: { ingestAuditEvents: this.store(batch.events) } });
  }

  private takeReport(
    report: SourceReport,
    headers: IncomingMessage['headers'],
    response: ServerResponse,
  ): void {
    if (this.reportFault(report, response)) return;
    if (headers['x-api-key'] === AGENT_KEY) {
      this.reports.push(report);
      respond(response, 200, {
        data: { reportAuditSource: { gapsKept: report.gaps.length, ...this.wanted } },
      });
    } else refuse(response, 401, 'unauthorized');
  }

  private store(events: readonly SentEvent[]) {
    const rejected: { index: number; code: string; message: string }[] = [];
    let accepted = 0;
    events.forEach((event, index) => {
      const verdict = this.judge(event);
      const key = keyOf(event);
      if (verdict) rejected.push({ index, ...verdict });
      else if (!this.stored.has(key)) accepted++;
      if (!verdict) this.stored.set(key, event);
    });
    return { accepted, duplicates: events.length - accepted - rejected.length, rejected };
  }
}

export function respond(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Answers as the real service refuses. */
export function refuse(response: ServerResponse, status: number, code: string, headers = {}): void {
  respond(
    response,
    status,
    { data: null, errors: [{ message: `Refused: ${code}.`, extensions: { code } }] },
    headers,
  );
}
