import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parsePolicy, readPolicyFile } from '../../../src/modules/evidence/verify/policy';
import { newWitnessKeyPem, WitnessKey } from '../../../src/store/log/evidence/cosignature';
import { CheckpointKey, newCheckpointKeyPem, verifierKeyOf } from '../../../src/store/log/evidence/note-key';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';
import { temporaryFolder } from '../../support/engines';
import { noteOf, ORIGIN } from '../witness/support';

const KEYS = ['x1', 'x2', 'x3', 'y1', 'y2'].map(
  (name) => new WitnessKey(`${name}.example`, newWitnessKeyPem()),
);
const [X1, X2, X3, Y1, Y2] = KEYS as [WitnessKey, WitnessKey, WitnessKey, WitnessKey, WitnessKey];
const NOTE = noteOf(5);
const [BODY = ''] = NOTE.split('\n\n');
const signedBy = (...keys: readonly WitnessKey[]) =>
  NOTE + keys.map((key) => key.cosign(`${BODY}\n`, new Date('2026-01-05T08:01:00Z'))).join('');
const WITNESSES = [
  `witness X1 ${X1.verifierKey} https://x1.example/`,
  `witness X2 ${X2.verifierKey}`,
  `\twitness  X3\t${X3.verifierKey}  `,
  `witness Y1 ${Y1.verifierKey}`,
  `witness Y2 ${Y2.verifierKey}`,
];
const policy = (...lines: readonly string[]) => parsePolicy(`${lines.join('\n')}\n`, 'p');
const problemsIn = (...lines: readonly string[]): string => {
  try {
    policy(...lines);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a policy', () => {
  it('demands a quorum over groups of groups', () => {
    const read = policy(
      '# those of the auditor',
      '',
      `log ${TEST_CHECKPOINT_KEY.verifierKey}`,
      ...WITNESSES,
      'group X-witnesses 2 X1 X2 X3',
      'group Y-witnesses any Y1 Y2',
      'group both all X-witnesses Y-witnesses',
      'quorum both',
    );
    const cases: readonly (readonly [WitnessKey[], boolean])[] = [
      [[], false],
      [[X1, X2], false],
      [[X1, Y1], false],
      [[Y1, Y2], false],
      [[X1, X1, Y1], false],
      [[X1, X3, Y2], true],
      [KEYS, true],
    ];
    for (const [keys, isEnough] of cases) expect(read.missingIn(signedBy(...keys)) === null).toBe(isEnough);
    expect(read.missingIn(signedBy(X1, Y2))).toBe(
      'checkpoint 5 has not the quorum "both" (2 of its 2 members): of 5 witnesses, it has the signatures of "X1", "Y2"',
    );
    expect(read.missingIn(NOTE)).toContain('none of 5 witnesses signed it');
  });

  it('counts no signature of another key of the same name, and none on another checkpoint', () => {
    const read = policy(...WITNESSES, 'quorum X1');
    expect(read.missingIn(signedBy(X1))).toBeNull();
    expect(read.missingIn(signedBy(new WitnessKey('x1.example', newWitnessKeyPem())))).not.toBeNull();
    expect(read.missingIn(NOTE + X1.cosign('other\n', new Date()))).not.toBeNull();
  });

  it('may demand no witness, and may name no log', () => {
    const read = policy('quorum none');
    expect(read.missingIn(NOTE)).toBeNull();
    expect([read.keys, read.keysOf(ORIGIN)]).toEqual([[], []]);
  });

  it('has keys of logs by their names: of the service, or of one tenant', () => {
    const own = TEST_CHECKPOINT_KEY;
    const other = CheckpointKey.ofPem(newCheckpointKeyPem());
    const read = policy(
      `log ${own.verifierKey} https://service.example/`,
      `log ${verifierKeyOf(other.publicKey, 'audit-activity/tenant-8')}`,
      'quorum none',
    );
    expect(read.keysOf(ORIGIN)).toEqual([own.verifierKey]);
    expect(read.keysOf('audit-activity/tenant-8')).toEqual([own.verifierKey, other.verifierKey]);
    expect(read.keysOf('audit-activity/tenant-80')).toEqual([own.verifierKey]);
    expect(read.keysOf('audit-activityx')).toEqual([]);
  });

  it('names every mistake, each with its line', () => {
    const text = problemsIn(
      `log ${TEST_CHECKPOINT_KEY.verifierKey} a b`,
      `log ${X1.verifierKey}`,
      `witness X1 ${X1.verifierKey}`,
      `witness X1 ${X2.verifierKey}`,
      `witness X3 ${X1.verifierKey}`,
      'witness X4 key',
      `witness none ${X3.verifierKey}`,
      'group G 0 X1',
      'group H 3 X1 Z none',
      'group I all',
      'group J any X4',
      'quorom X1',
      'quorum K',
      'quorum X1',
      'group L some X3\r',
    );
    expect(text.split('\n')).toEqual([
      'p is no policy:',
      '  line 1 must be: log KEY [URL]',
      '  line 2 has no key: it is not a public key as `audit-activity verify --show-key` prints it',
      '  line 4 defines "X1" again',
      '  line 5 has the key of line 3 again',
      '  line 6 has no key: it is not a public key as `audit-activity witness --show-key` prints it',
      '  line 7 must not define none',
      '  line 8 must need all, any, or a number from 1 to 1 of its members, not "0"',
      '  line 9 has the member "X1", which line 8 has already',
      '  line 9 names "Z", which no line before it defines',
      '  line 9 has the member none, which is for the quorum alone',
      '  line 10 must be: group NAME all|any|NUMBER NAME…',
      '  line 12 begins with "quorom", and not with log, witness, group, quorum or timestamps',
      '  line 13 names "K", which no line before it defines',
      '  line 14 is a second quorum, after line 13',
      '  line 15 has a character that a policy must not have: lines end with a line feed alone',
    ]);
  });

  it.each([
    ['nothing', ['']],
    ['a quorum that is defined later', ['quorum X1', ...WITNESSES]],
    ['a group of itself', [...WITNESSES, 'group G any G', 'quorum G']],
    ['a member twice', [...WITNESSES, 'group G 2 X1 X1', 'quorum G']],
    ['a member of two groups', [...WITNESSES, 'group G any X1', 'group H any X1', 'quorum H']],
    ['a number with a zero before it', [...WITNESSES, 'group G 01 X1', 'quorum G']],
    ['more members needed than it has', [...WITNESSES, 'group G 3 X1 X2', 'quorum G']],
  ])('is refused with %s', (_, lines) => expect(problemsIn(...lines)).toMatch(/^p is no policy:\n {2}/));

  it('is bounded: in its size, its names and the mistakes that are shown', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'policy');
    await writeFile(file, '#'.repeat(1024 * 1024 + 1));
    expect(() => readPolicyFile(file)).toThrow('it is no policy');
    await writeFile(file, 'x\n'.repeat(500_000));
    expect(() => readPolicyFile(file)).toThrow(/^(.*\n){100}.*line 100 [^\n]*$/);
    await writeFile(file, 'group a any b\n'.repeat(3));
    expect(() => readPolicyFile(file)).toThrow('"a" again');
    const chain = Array.from({ length: 1_500 }, (__, i) => `group g${i} any ${i === 0 ? 'X1' : `g${i - 1}`}`);
    expect(problemsIn(...WITNESSES, ...chain, 'quorum g1499')).toContain('defines more than 1000 names');
    const most = 1_000 - WITNESSES.length;
    expect(problemsIn(...WITNESSES, ...chain.slice(0, most + 1), 'quorum g9')).toContain(
      'more than 1000 names',
    );
    const deep = policy(...WITNESSES, ...chain.slice(0, most), `quorum g${most - 1}`);
    expect(deep.missingIn(signedBy(X1))).toBeNull();
    await rm(folder, { recursive: true });
  });

  it('takes names of any octets', async () => {
    const read = parsePolicy(
      Buffer.from(`witness Zürich ${X1.verifierKey} # c\nquorum Zürich\n`.replace(' # c', '')).toString(
        'latin1',
      ),
      'p',
    );
    expect(read.missingIn(NOTE)).toContain('quorum "Zürich"');
  });
});
