import { readFileSync } from 'node:fs';
import { casesOf, SEED } from '../../support/share';
import { fixtureFile, realXelPath, SCHEMAS } from './support/fixtures';
import { problemOf, type ReadEvent, readWithin } from './support/fuzz-case';
import { layoutOf } from './support/layout';
import { MUTATIONS, type Mutation, repaired, type Subject } from './support/mutations';
import { pick, randomOf } from './support/random';
import { AuditFileWriter, type Row } from './support/sqlaudit-writer';

/** Cases for each unit of a subject's weight. A failure names its seed: `TEST_SEED=<seed> TEST_CASES=1` repeats it. */
const CASES = casesOf(__filename);
const GUID = '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11';

const row = (n: number, chars: number): Row => ({
  event_time: `2025-05-10T08:53:2${n % 10}.0000001Z`,
  action_id: 'SL',
  session_id: 50 + n,
  database_name: `Payroll ${n}`,
  server_principal_name: n % 2 === 0 ? 'CONTOSO\\alice' : 'bob',
  additional_information: n % 3 === 0 ? '<action_info><address>10.0.0.1</address></action_info>' : '',
  statement: `SELECT ${n} /* ${'x'.repeat(chars)} */`,
});
/** Blocks that their checksum covers, and one that is larger than the checksum's reach. */
const smallFile = (schema: (typeof SCHEMAS)[number]): Buffer =>
  AuditFileWriter.from(fixtureFile(schema)).file(GUID, [
    [row(1, 9)],
    [row(2, 700), row(3, 0)],
    [row(4, 9)],
    [row(5, 20)],
  ]);

/** A file with what the fixtures lack: actions, mapped values, every type. */
const otherEvents = (): Buffer => {
  const writer = AuditFileWriter.describing({
    types: { int64: 8, boolean: 1, filetime: 8, guid: 0, unicode_string: 0, binary_data: 0, callstack: 0 },
    maps: { result: { size: 1, bits: true, texts: { 1: 'OK', 2: 'Error' } } },
    actions: { client_pid: 'int64', username: 'unicode_string' },
    events: {
      login: { id: 'int64', at: 'filetime', how: 'result', who: 'guid', name: 'unicode_string' },
      pulse: { id: 'int64', ok: 'boolean' },
    },
  });
  const rows = [
    { id: 7n, how: 3, name: 'alice' },
    { how: 4, who: GUID, at: '2025-05-10T08:53:20Z' },
  ];
  const actions = [
    ['client_pid', 4956n],
    ['username', 'CONTOSO\\alice'],
  ] as const;
  const blocks = [1, 2, 3].map((sequence) => writer.block(rows.slice(sequence % 2), { sequence, actions }));
  const fixed = writer.block([{ id: 7n }, { id: 8n, ok: true }], { sequence: 4, event: 'pulse' });
  return Buffer.concat([writer.prologue(GUID), fixed, ...blocks]);
};

const subject = (name: string, bytes: Buffer, other: Buffer): Subject => ({
  name,
  bytes,
  other,
  blocks: layoutOf(bytes),
});
const [old, recent] = SCHEMAS;
const small = { old: smallFile(old), recent: smallFile(recent) };
const xelPath = realXelPath();
if (xelPath === null) console.warn('skipped: TestXel_0.xel is not here (../shared/data/xel)');
const SUBJECTS: readonly (readonly [Subject, number])[] = [
  [subject(`a small file of ${old}`, small.old, small.recent), 110],
  [subject(`a small file of ${recent}`, small.recent, small.old), 110],
  [
    subject('a file of metadata only', small.old.subarray(0, layoutOf(small.old)[2]?.start), small.recent),
    20,
  ],
  [subject('a small file of other events', otherEvents(), small.old), 30],
  [subject(`the fixture of ${old}`, fixtureFile(old), small.recent), 7],
  [subject(`the fixture of ${recent}`, fixtureFile(recent), small.old), 7],
  ...(xelPath === null ? [] : [[subject('a real file', readFileSync(xelPath), small.old), 3] as const]),
];

/** The mutations of a file. Each has its own seed, so that any of them can be left out. */
type Plan = readonly { readonly mutation: Mutation; readonly seed: number }[];

function planOf(seed: number): Plan {
  const random = randomOf(seed);
  return Array.from({ length: 1 + random(2) }, () => ({
    mutation: pick(MUTATIONS, random),
    seed: random(2 ** 31),
  }));
}

async function failureOf(plan: Plan, of: Subject, sound: readonly ReadEvent[], isRepaired: boolean) {
  const damaged = plan.reduce(
    (bytes, { mutation, seed }) => mutation.apply(bytes, of, randomOf(seed)),
    of.bytes,
  );
  const bytes = isRepaired ? repaired(damaged) : damaged;
  try {
    const read = await readWithin(bytes);
    const middle = sound[sound.length >> 1];
    if (middle && plan.length > 1) await readWithin(bytes, { blockOffset: middle.blockOffset, index: 0 });
    const mutations = plan.map(({ mutation }) => mutation);
    return problemOf({ bytes, mutations, isRepaired }, read, of, sound);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

describe.each(SUBJECTS.map(([of, weight]) => ({ name: of.name, of, weight })))(
  `$name, from seed ${SEED}`,
  ({ of, weight }) => {
    it.each([
      ['damaged', false],
      ['damaged, with checksums that fit the damage', true],
    ])('%s, is decoded up to the damage with a stated end, in bounded work', async (_, isRepaired) => {
      const sound = await readWithin(of.bytes);
      if (sound === null) throw new Error('the sound file is not opened');
      for (let seed = SEED; seed < SEED + weight * CASES; seed++) {
        const plan = planOf(seed);
        let failure = await failureOf(plan, of, sound, isRepaired);
        if (failure === null) continue;
        let smallest = plan;
        for (const step of plan) {
          const alone = await failureOf([step], of, sound, isRepaired);
          if (alone !== null) [failure, smallest] = [alone, [step]];
        }
        throw new Error(
          `TEST_SEED=${seed}: ${smallest.map(({ mutation }) => mutation.name).join(', ')}: ${failure}`,
        );
      }
    });
  },
);
