import { sourcesOf } from '../support/imports';

const SOURCES = sourcesOf('src').filter(({ file }) => !file.startsWith('src/generated/'));

/** Casts past the compiler that say nothing of a row: each has its reason beside it. */
const CASTS = [
  'src/caller/rate-limit/limiter.ts',
  'src/database/background-pool.ts',
  'src/database/limited.ts',
  'src/database/server-disk.ts',
  'src/database/standby.ts',
  'src/rules/engine.ts',
  'src/event/expression/split.ts',
  'src/graphql/arguments.ts',
  'src/http/server.ts',
  'src/modules/destinations/to-item.ts',
  'src/modules/evidence/verify/event-file.ts',
  'src/modules/explore/group-question.ts',
  'src/modules/ingest/check-event.ts',
  'src/modules/ingest/receive-batch.ts',
  'src/modules/reports/pdf/pdf-document.ts',
  'src/observe/traced-database.ts',
];
/** Texts of five characters that are no codes of PostgreSQL: an event of Windows, the end of a time. */
const OTHER_CODES = ['src/rules/sigma/value-test.ts', 'src/modules/destinations/to-item.ts'];
const database = (file: string) => file.startsWith('src/database/');

/** What is done in one place or in one way, the pattern of a second way, and the files that may have it. */
const WAYS: readonly (readonly [string, RegExp, (file: string) => boolean])[] = [
  [
    'codes of PostgreSQL (SQLSTATE) have names in failure.ts',
    /'(?:\d[\dA-Z]\d[\dA-Z]{2}|[PX][\dX]\d{3})'|\b\d\d(?:\d{3}|P\d\d)\)?\$\//,
    (file) => ['src/database/failure.ts', ...OTHER_CODES].includes(file),
  ],
  [
    'a condition that a field has a text is made by equals',
    /how: 'equals'/,
    (file) => file === 'src/event/expression/expression.ts',
  ],
  ['rows get their type from ask, run or a step', /as unknown as/, (file) => CASTS.includes(file)],
  ["a client of Prisma is a door's models", /\bPrismaClient\b/, database],
  [
    'whether tables are distributed is asked of a door',
    /(?<!\.)\bisDistributed\b(?!: \w+\.isDistributed)/,
    database,
  ],
  [
    'networks (CIDR) are read by event/network.ts',
    /\bBlockList\b|\baddSubnet\b|\[address\b[^\n]*\.split\('\/'\)/,
    (file) => file === 'src/event/network.ts',
  ],
  ["Citus's catalogue is read where the database is opened or distributed", /\bpg_dist_/, database],
];

describe('there is one way', () => {
  it.each(WAYS)('%s', (_, second, isAllowed) => {
    const found = SOURCES.filter(({ file, text }) => !isAllowed(file) && second.test(text));
    expect(found.map(({ file }) => file)).toEqual([]);
  });

  it('and a second one is noticed', () => {
    const written = [
      `const LATE = ['40001', '23505'];`,
      'const REFUSED = /^(?:28000|42501)$/;',
      "const term = { kind: 'field', field, how: 'equals', text, isFolded: false };",
      'const rows = (await step(TEXT, [])) as unknown as Row[];',
      'constructor(private readonly client: PrismaClient) {}',
      'function page(tenants: TenantSet, isDistributed: boolean) {}',
      'const list = new BlockList();',
      "const [address = '', bits] = text.split('/');",
    ];
    for (const text of written)
      expect([text, WAYS.some(([, second]) => second.test(text))]).toEqual([text, true]);
  });

  it('and the list of casts has no file without one', () => {
    const cast = SOURCES.filter(({ text }) => text.includes('as unknown as')).map(({ file }) => file);
    expect(cast.sort()).toEqual([...CASTS].sort());
  });
});
