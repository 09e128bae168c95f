import type * as exportStream from '../../dashboard/src/explore/export-stream';

const { streamExport } = jest.requireActual<typeof exportStream>('../../dashboard/src/explore/export-stream');

interface Answer {
  readonly text: string;
  readonly counted?: number;
  /** Bytes in one piece of the stream. */
  readonly pieceBytes?: number;
  readonly status?: number;
}

const ask = jest.spyOn(globalThis, 'fetch');
afterAll(() => ask.mockRestore());

/** The file that the page makes of such an answer, as text. */
async function exported(format: 'csv' | 'ndjson', { text, counted, pieceBytes = 7, status = 200 }: Answer) {
  const bytes = Buffer.from(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    pieces.push(Uint8Array.from(bytes.subarray(at, at + pieceBytes)));
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
  const headers = {
    'Content-Disposition': 'attachment; filename="payroll.csv"',
    ...(counted === undefined ? {} : { 'X-Total-Count': String(counted) }),
  };
  ask.mockResolvedValue(new Response(body, { status, headers }));
  const progress: number[] = [];
  const { signal } = new AbortController();
  const file = await streamExport({
    format,
    filter: { startTime: '2026-01-05T08:00:00Z', endTime: null },
    expectedCount: 9,
    signal,
    cut: 'The export was cut',
    onProgress: ({ events, totalCount }) => void progress.push(events, totalCount),
  });
  return { ...file, content: await file.content.text(), progress };
}

const CSV = 'recordId,statement\r\n1,"a ""b""\r\nc"\r\n2,é\r\n';
const NDJSON = '{"recordId":"1"}\n{"recordId":"2","statement":"é"}\n';

describe('the export that the page saves', () => {
  it.each([1, 2, 3, 7, 64, 1000])(
    'is the answer without its last line, in pieces of %i bytes',
    async (pieceBytes) => {
      const csv = await exported('csv', { text: `${CSV}#end,2\r\n`, counted: 2, pieceBytes });
      expect(csv).toMatchObject({ name: 'payroll.csv', content: CSV, events: 2, missing: 0 });
      const ndjson = await exported('ndjson', {
        text: `${NDJSON}{"end":{"count":2}}\n`,
        counted: 2,
        pieceBytes,
      });
      expect(ndjson).toMatchObject({ content: NDJSON, events: 2, missing: 0 });
      for (const { progress } of [csv, ndjson]) {
        expect(progress.slice(-2)).toEqual([2, 2]);
        expect(Math.min(...progress)).toBeGreaterThanOrEqual(0);
      }
    },
  );

  it.each([
    ['csv', `${CSV}#end,3\r\n`],
    ['csv', `${CSV}#end,1\r\n`],
    ['csv', `${CSV}#end,12\r\n`],
    ['csv', CSV],
    ['csv', `${CSV}#end,2`],
    ['csv', `${CSV}"#end,2\r\n`],
    ['csv', 'recordId,statement\r\n'],
    ['csv', ''],
    ['ndjson', `${NDJSON}{"end":{"count":3}}\n`],
    ['ndjson', `${NDJSON}{"end":{"count":1}}\n`],
    ['ndjson', NDJSON],
    ['ndjson', `${NDJSON}x{"end":{"count":2}}\n`],
    ['ndjson', ''],
  ] as const)(
    'is refused as %s where the last line is missing or states another number: %j',
    async (format, text) => {
      await expect(exported(format, { text, counted: 2 })).rejects.toThrow('The export was cut');
    },
  );

  it('may be empty', async () => {
    expect(await exported('csv', { text: 'recordId\r\n#end,0\r\n', counted: 0 })).toMatchObject({
      events: 0,
    });
    expect(await exported('ndjson', { text: '{"end":{"count":0}}\n', counted: 0 })).toMatchObject({
      content: '',
    });
  });

  it('says how many events are missing that the service counted, if it did count', async () => {
    const text = `${NDJSON}{"end":{"count":2}}\n`;
    expect(await exported('ndjson', { text, counted: 5 })).toMatchObject({ events: 2, missing: 3 });
    expect(await exported('ndjson', { text, counted: 1 })).toMatchObject({ events: 2, missing: 0 });
    const uncounted = await exported('ndjson', { text });
    expect(uncounted.missing).toBe(0);
    expect(uncounted.progress.slice(-2)).toEqual([2, 9]);
  });

  it('asks for the view, and for the last line that states the number', async () => {
    await exported('csv', { text: `${CSV}#end,2\r\n` });
    expect(ask.mock.lastCall?.[0]).toBe(
      '/dashboard/api/export?startTime=2026-01-05T08%3A00%3A00Z&format=csv&end=1',
    );
  });

  it('is the refusal of the service where it refuses', async () => {
    const text = JSON.stringify({ error: { code: 'rate_limited', message: 'Wait.', requestId: 'r1' } });
    await expect(exported('csv', { text, status: 429 })).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'Wait.',
      requestId: 'r1',
    });
  });
});
