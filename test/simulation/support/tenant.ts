import { Client } from 'pg';
import { toStoredEvent } from '../../../src/store/rows/event-rows';
import type { Stored } from './judge';
import type { ServiceHost } from './service-host';

const PAGE_SIZE = 100;

/** A gap as operators see it. */
export interface ReportedGap {
  readonly gapId: string;
  readonly reason: string;
  readonly fileName: string;
  readonly fileGuid: string | null;
  readonly detail: string;
  readonly afterTime: string | null;
  readonly beforeTime: string | null;
}

interface Source {
  readonly gapCount: number;
  readonly gaps: ReportedGap[];
}

/** A tenant of the simulated service, and what the service returns for it. */
export class Tenant {
  private constructor(
    private readonly host: ServiceHost,
    readonly tenantId: string,
    readonly agentKey: string,
    private readonly readKey: string,
  ) {}

  static create(host: ServiceHost, name: string): Promise<Tenant> {
    return host.ask(async (service) => {
      const operate = <T>(query: string, variables: object) =>
        service.graphql<T>(service.operatorKey, query, variables);
      const { createTenant } = await operate<{ createTenant: { tenantId: string } }>(
        'mutation($name: String!) { createTenant(name: $name) { tenantId } }',
        { name },
      );
      const { tenantId } = createTenant;
      const keys = await operate<{ agent: { key: string }; reader: { key: string } }>(
        `mutation($tenantId: String!) {
           agent: createAgentKey(name: "agent", tenantId: $tenantId) { key }
           reader: createApiKey(name: "reader", tenantIds: [$tenantId], scopes: ["read:audit-activity"]) { key } }`,
        { tenantId },
      );
      return new Tenant(host, tenantId, keys.agent.key, keys.reader.key);
    });
  }

  /** All stored events, in the order of their record ids. */
  async stored(): Promise<Stored[]> {
    const client = new Client({ connectionString: this.host.database.databaseUrl ?? '' });
    await client.connect();
    try {
      const { rows } = await client.query(
        'SELECT * FROM audit_event WHERE tenant_id = $1 ORDER BY record_id',
        [Number(this.tenantId)],
      );
      return rows.map((row) => toStoredEvent(row) as Stored);
    } finally {
      await client.end();
    }
  }

  gaps(): Promise<ReportedGap[]> {
    return this.host.ask(async (service) => {
      const { auditSources } = await service.graphql<{ auditSources: Source[] }>(
        service.operatorKey,
        `query($tenantId: String!) { auditSources(tenantId: $tenantId) {
           gapCount gaps(limit: 30) { gapId reason fileName fileGuid detail afterTime beforeTime } } }`,
        { tenantId: this.tenantId },
      );
      return auditSources.flatMap(({ gapCount, gaps }) => {
        if (gapCount !== gaps.length) throw new Error(`${gapCount} gaps are counted, ${gaps.length} listed`);
        return gaps;
      });
    });
  }

  /** Differences between the public list and the table. */
  async listProblems(stored: readonly Stored[]): Promise<string[]> {
    const listed = await this.list();
    const ids = (events: readonly { readonly recordId: string }[]) =>
      events.map(({ recordId }) => recordId).join(' ');
    const problems: string[] = [];
    if (ids(listed.items) !== ids(stored)) problems.push('the list has other records than the table');
    if (listed.totalCount !== stored.length) problems.push(`the list counts ${listed.totalCount} records`);
    return problems;
  }

  private list(): Promise<{ items: { recordId: string }[]; totalCount: number }> {
    return this.host.ask(async ({ url }) => {
      const items: { recordId: string }[] = [];
      for (let page = 1; ; page++) {
        const response = await fetch(
          `${url}/api/v1/public/audit-activity?sortDirection=asc&pageSize=${PAGE_SIZE}&page=${page}`,
          { headers: { 'X-Api-Key': this.readKey } },
        );
        if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
        const { data, meta } = (await response.json()) as {
          data: { recordId: string }[];
          meta: { totalCount: number; hasNextPage: boolean };
        };
        items.push(...data);
        if (!meta.hasNextPage) return { items, totalCount: meta.totalCount };
      }
    });
  }
}
