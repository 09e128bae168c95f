import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { MARK } from '../../src/event/marks';
import { recordIdFloor } from '../../src/event/record-id';
import { ThreadFileMaker } from '../../src/modules/reports/open-file-maker';
import {
  type FileMaker,
  LocalFileMaker,
  type Piece,
  type RunPlan,
} from '../../src/modules/reports/run-files';
import { RunWriter } from '../../src/modules/reports/run-writer';
import { compiledService } from '../support/child-service';

const FIELDS = ['eventTime', 'statement', 'recordId', 'succeeded', 'serverInstanceName', 'hostName'] as const;
const plan = (runId: string): RunPlan => ({
  head: {
    ...{ runId, reportId: 'activity', title: 'Activity', about: 'All', tenantId: '7' },
    createdAt: '2026-11-01T00:00:00.000Z',
    question: {
      ...{ startTime: '2026-10-01T00:00:00Z', endTime: '2026-10-02T00:00:00Z', timeZone: 'UTC' },
      ...{ filter: null, parameters: {} },
    },
    columns: [
      { name: 'eventTime', title: 'Time', kind: 'time' },
      { name: 'statement', title: 'Statement', kind: 'statement' },
      { name: 'recordId', title: 'Record', kind: 'text' },
    ],
  },
  formats: ['html', 'csv', 'json'],
  events: {
    sections: [{ title: 'By host', by: ['hostName'] }],
    fields: FIELDS,
    period: { fromMs: Date.parse('2026-10-01'), toMs: Date.parse('2026-10-02') },
    workingHours: [],
  },
});
const row = (i: number, statement: string | null, host: string) => [
  ...[`2026-10-01T00:00:0${i}.0000000Z`, statement, recordIdFloor(BigInt(i)), true, 'SQL01', host],
];
const LARGE = 'x'.repeat(700_000);
const marked = `SELECT 'x${MARK}:7:00000000-0000-0000-0000-000000000000:9:700009;`;
const END = {
  rows: 4,
  gaps: [],
  behind: [],
  removed: null,
  log: { size: 9, root: null, checkpoint: null },
};
async function* whole(text: string) {
  const [before = '', after = ''] = text.split(/[0-9a-f-]{36}:7:[^;]*;/);
  yield before;
  yield Buffer.from(LARGE);
  yield after;
}

/** Files of a run, of which each piece is stored after those that came behind it. */
async function filesOf(maker: FileMaker, runId: string) {
  const pieces: Piece[] = [];
  let stored = 0;
  const put = async (piece: Piece) => {
    for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
    pieces.push(piece);
    stored += piece.bytes.length;
  };
  const writer = new RunWriter(maker, plan(runId), put, whole);
  await writer.begin();
  await writer.rows([row(1, 'SELECT 1', 'APP1'), row(2, marked, 'APP2')]);
  await writer.rows([row(3, null, 'APP1')]);
  await writer.rows([row(4, `it's "4"`, 'APP3')]);
  const end = await writer.end(END, []);
  await writer.close();
  const text = (format: string) =>
    Buffer.concat(
      pieces
        .filter((piece) => piece.format === format)
        .sort((a, b) => a.piece - b.piece)
        .map(({ bytes }) => gunzipSync(bytes)),
    ).toString();
  return { end, stored, csv: text('csv'), json: JSON.parse(text('json')), html: text('html') };
}

describe.each(['the caller’s thread', 'a thread of its own'])('files of a run, made on %s', (where) => {
  let maker: FileMaker;
  beforeAll(async () => {
    maker = where.startsWith('the')
      ? new LocalFileMaker()
      : new ThreadFileMaker(path.join(await compiledService(), 'src/modules/reports/file-thread.js'));
  }, 60_000);
  afterAll(() => maker.close());

  it('have each row once, with whole statements, and are stored whole, also of two runs at a time', async () => {
    const [one, two] = await Promise.all([filesOf(maker, 'one'), filesOf(maker, 'two')]);
    for (const { csv, json, html, end, stored } of [one, two]) {
      const lines = csv.split('\r\n');
      expect(lines[0]).toBe('"eventTime","statement","recordId"');
      expect(lines.slice(1, 5)).toEqual(
        ['"SELECT 1"', `"SELECT 'x${LARGE}"`, '', `"it's ""4"""`].map(
          (text, i) => `"2026-10-01T00:00:0${i + 1}.0000000Z",${text},"${recordIdFloor(BigInt(i + 1))}"`,
        ),
      );
      const statements = json.rows.map((each: { statement: string | null }) => each.statement);
      expect(statements).toEqual(['SELECT 1', `SELECT 'x${LARGE}`, null, `it's "4"`]);
      expect(json.sections[0].rows.map((each: { hostName: string; events: number }) => each)).toEqual(
        [
          ['APP1', 2],
          ['APP2', 1],
          ['APP3', 1],
        ].map(([hostName, events]) => expect.objectContaining({ hostName, events })),
      );
      expect(json.end).toEqual({ ...END, recordIdsRoot: end.recordIdsRoot });
      expect(html).not.toContain(LARGE);
      expect(end.files.map(({ format }) => format)).toEqual(['html', 'csv', 'json']);
      expect(end.files[1]?.bytes).toBe(Buffer.byteLength(csv));
      expect(end.files.reduce((sum, file) => sum + file.stored, 0)).toBe(stored);
    }
    expect([one.json.report.runId, two.json.report.runId]).toEqual(['one', 'two']);
    expect(one.csv).not.toBe(two.csv);
    expect(one.end.recordIdsRoot).toBe(two.end.recordIdsRoot);
  });

  it('have rows in the order of the calls, also of calls that are made at once', async () => {
    const pieces: Piece[] = [];
    const keep = ({ pieces: made }: { readonly pieces: readonly Piece[] }) => void pieces.push(...made);
    const run = where.length + 1_000_000;
    keep(await maker.begin(run, plan('ordered')));
    // Of each call, several pieces are full.
    const calls = [1, 2, 3].map((call) =>
      Array.from({ length: 40 }, (_, i) => row(1, `${call}.${i} ${'x'.repeat(200_000)}`, 'APP1')),
    );
    await Promise.all(calls.map((rows) => maker.rows(run, rows, false).then(keep)));
    keep(await maker.end(run, END, []));
    await maker.forget(run);
    const csv = pieces.filter(({ format }) => format === 'csv').sort((a, b) => a.piece - b.piece);
    const text = Buffer.concat(csv.map(({ bytes }) => gunzipSync(bytes))).toString();
    expect(text.match(/"\d\.\d+ /g)).toEqual(
      calls.flatMap((rows, call) => rows.map((_, i) => `"${call + 1}.${i} `)),
    );
  });

  it('are forgotten with their run, whose number nobody else gets', async () => {
    const writer = new RunWriter(maker, plan('gone'), async () => {}, whole);
    await writer.begin();
    await writer.close();
    await writer.rows([row(1, null, 'APP1')]);
    await expect(writer.end(END, [])).rejects.toThrow('not open');
  });
});

describe('a thread without a run', () => {
  it('ends after its time, and another one makes the next run', async () => {
    const program = path.join(await compiledService(), 'src/modules/reports/file-thread.js');
    const maker = new ThreadFileMaker(program, 150);
    const first = new RunWriter(maker, plan('first'), async () => {}, whole);
    const second = new RunWriter(maker, plan('second'), async () => {}, whole);
    await first.begin();
    await second.begin();
    await first.close();
    const timers = jest.spyOn(globalThis, 'setTimeout');
    try {
      await second.close();
      const [end] = timers.mock.calls.find(([, ms]) => ms === 150) ?? [];
      expect(maker.isRunning).toBe(true);
      end?.();
      expect(maker.isRunning).toBe(false);
    } finally {
      timers.mockRestore();
    }
    expect((await filesOf(maker, 'third')).json.report.runId).toBe('third');
    await maker.close();
  }, 60_000);
});

describe('a run whose pieces cannot be stored', () => {
  it('fails with what was in the way, and is forgotten', async () => {
    const local = new LocalFileMaker();
    const forgotten: number[] = [];
    const maker: FileMaker = new Proxy(local, {
      get: (of, name) =>
        name === 'forget' ? async (run: number) => void forgotten.push(run) : Reflect.get(of, name).bind(of),
    });
    let puts = 0;
    const put = async () => {
      puts++;
      if (puts === 2) throw new Error('the disk is full');
    };
    const writer = new RunWriter(maker, plan('full'), put, whole);
    await writer.begin();
    await writer.rows([row(1, marked, 'APP1')]);
    await expect(writer.end(END, [])).rejects.toThrow('the disk is full');
    await writer.close();
    expect(forgotten).toHaveLength(1);
  });
});

it('a run whose last piece could not be stored has no end', async () => {
  const put = async (): Promise<never> => {
    throw new Error('no space left');
  };
  const writer = new RunWriter(new LocalFileMaker(), plan('lost'), put, whole);
  await writer.begin();
  await writer.rows([row(1, 'SELECT 1', 'APP1')]);
  await expect(writer.end({ ...END, rows: 1 }, [])).rejects.toThrow('no space left');
  await writer.close();
});
