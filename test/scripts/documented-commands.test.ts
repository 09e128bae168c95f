import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type OpenServer, openServer } from '../../scripts/lib/server-client.cjs';
import { namesIn, tableOf } from '../support/documents';
import { describeOnPostgres } from '../support/engines';
import { freePort } from '../support/free-port';
import { ROOT } from '../support/imports';
import { commandsOf, Reader, RUN_ELSEWHERE } from './support/reader';

jest.setTimeout(240_000);

const SAMPLES = path.join(ROOT, 'test/fixtures/sqlaudit/schema-2022');
const FOLLOWED_ON_EMBEDDED = [
  'README.md',
  'docs/agent.md',
  'docs/api.md',
  'docs/assistants.md',
  'docs/evidence.md',
];
const FOLLOWED_ON_POSTGRESQL = ['docs/operate.md'];

describe('the commands of the documents', () => {
  it('are all run by a test, or marked as not run', () => {
    const documents = [
      ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
      ...['docs', 'bench'].flatMap((folder) =>
        readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.md'))
          .map((name) => path.posix.join(folder, name)),
      ),
    ];
    expect(documents.filter((name) => commandsOf(name).length > 0).toSorted()).toEqual(
      [...FOLLOWED_ON_EMBEDDED, ...FOLLOWED_ON_POSTGRESQL].toSorted(),
    );
    expect(RUN_ELSEWHERE.filter(({ by }) => !existsSync(path.join(ROOT, by)))).toEqual([]);
  });

  it('work in their order: start, make keys, run an agent, pull events, verify them', async () => {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const meant = new Map([['http://127.0.0.1:8080', url]]);
    const reader = new Reader({ PORT: port, AUDIT_ACTIVITY_URL: url }, meant);
    try {
      await reader.follow('README.md');
      const keyOf = async (command: string) =>
        JSON.parse(await reader.run(`audit-activity ${command} --name x --tenant 1 --json`)).key as string;
      meant.set('<API_KEY>', await keyOf('key create --scope read:audit-activity'));
      await configureAgent(reader.folder, url, await keyOf('agent-key create'));
      for (const document of FOLLOWED_ON_EMBEDDED.slice(1)) await reader.follow(document);
      const pulled = readFileSync(path.join(reader.folder, 'events.ndjson'), 'utf8').trim().split('\n');
      expect(pulled).toHaveLength(75);
    } finally {
      await reader.close();
    }
  });
});

describeOnPostgres("an operator's commands, on a new cluster of PostgreSQL", () => {
  let cluster: OpenServer;
  beforeAll(async () => {
    const opened = await openServer('postgres');
    if ('skipped' in opened) throw new Error(opened.skipped);
    cluster = opened;
  });
  afterAll(() => cluster.close());

  it('make logins, start two instances and rotate a key, and every logged field is documented', async () => {
    const port = String(await freePort());
    const hostOf = (url = '') => new URL(url).host;
    const meant = new Map([
      ['127.0.0.1:5432', hostOf(cluster.url)],
      ['127.0.0.1:6379', hostOf(process.env.TEST_REDIS_URL)],
      ['PORT=8081', 'PORT=0'],
    ]);
    const env = { PORT: port, AUDIT_ACTIVITY_URL: `http://127.0.0.1:${port}`, ADMIN_URL: cluster.url };
    const reader = new Reader(env, meant, {
      KEY_ID: `export KEY_ID=$(audit-activity key create --name spare --tenant 1 --json | sed 's/.*"keyId":"\\([^"]*\\)".*/\\1/')`,
    });
    try {
      for (const document of FOLLOWED_ON_POSTGRESQL) await reader.follow(document);
      const answered = reader.log.split('\n').filter((line) => line.includes('"answered"'));
      const logged = new Set(answered.flatMap((line) => Object.keys(JSON.parse(line) as object)));
      const described = tableOf('docs/operate.md', 'Field').flatMap(([cell]) => namesIn(cell));
      expect(logged.size).toBeGreaterThan(8);
      expect([...logged].filter((name) => !described.includes(name))).toEqual([]);
    } finally {
      await reader.close();
    }
  });
});

/** Prepares what the documents presuppose about the agent: an audit file, and a configuration. */
async function configureAgent(folder: string, url: string, key: string): Promise<void> {
  const [sample = ''] = readdirSync(SAMPLES).filter((name) => name.endsWith('.sqlaudit'));
  mkdirSync(path.join(folder, 'audit'));
  for (const name of ['Payroll.sqlaudit', `audit/${sample}`]) {
    await copyFile(path.join(SAMPLES, sample), path.join(folder, name));
  }
  const AuditSource = { Type: 'DirectFile', DirectFile: { AuditFilePath: 'audit/*.sqlaudit' } };
  const content = {
    CentralApi: { BaseUrl: url, ApiKey: key },
    EventHubPublisher: { Databases: [{ Name: 'Payroll', AuditSource }] },
  };
  await writeFile(path.join(folder, 'agent.json'), JSON.stringify(content));
}
