import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Secret } from '../../agent/config/secret';
import { ReportClient } from '../../agent/report/report-client';
import type { SourceReport } from '../../agent/report/source-report';

/** What a service of an older build says of a field, and the fields of a report and of its answer that it lacks. */
const LACKS = {
  runId: { says: 'Field "runId" is not defined by type "AuditSourceReport".', asked: '' },
  running: { says: 'Cannot query field "settings" on type "AuditSourceReceipt".', asked: 'settingsVersion' },
  package: { says: 'Cannot query field "package" on type "AuditSourceReceipt".', asked: 'allowsOlder' },
} as const;
type Field = keyof typeof LACKS;
const FIELDS = Object.keys(LACKS) as Field[];

it.each([FIELDS, [...FIELDS].reverse()])(
  'what a service does not know is left out of each later report: %s, %s, %s',
  async (...order) => {
    // The service names one field in each answer.
    const posts: string[][] = [];
    const server = createServer(async (request, response) => {
      const { query, variables } = (await json(request)) as { query: string; variables: { report: object } };
      const given = FIELDS.filter((name) => name in variables.report && query.includes(LACKS[name].asked));
      posts.push(given);
      const first = order.find((name) => name in variables.report);
      response.statusCode = first ? 400 : 200;
      response.end(
        JSON.stringify(
          first
            ? { errors: [{ message: LACKS[first].says }] }
            : { data: { reportAuditSource: { gapsKept: 0 } } },
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const client = new ReportClient(
        { baseUrl: `http://127.0.0.1:${port}`, apiKey: new Secret('k') },
        60_000,
      );
      const report = { runId: 'r', running: {}, package: {}, gaps: [] } as unknown as SourceReport;
      const kinds: string[] = [];
      for (let n = 0; n < 4; n++) kinds.push((await client.send(report, new AbortController().signal)).kind);
      expect(kinds).toEqual(['failed', 'failed', 'kept', 'kept']);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    // Both parts of a field go: what a report has, and what is asked for.
    const left = (n: number) => FIELDS.filter((name) => !order.slice(0, n).includes(name));
    expect(posts.map((names) => names.length)).toEqual([3, 2, 2, 1, 1, 0, 0]);
    expect(posts).toEqual([0, 1, 1, 2, 2, 3, 3].map(left));
  },
);
