import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isSignedByRsa } from '../../../dashboard/src/package-page/rsa';
import { NODE_CRYPTO } from '../../../src/modules/evidence/time-stamps/node-crypto';
import { certificatesIn, judgeBy } from '../../../src/modules/evidence/verify/authorities';
import type { LogCopy } from '../../../src/modules/evidence/verify/log-copy';
import { checkTimeStamps } from '../../../src/modules/evidence/verify/time-stamps';
import type { JudgeAuthority } from '../../../src/package-check/stamp-file';
import { checkStamp, type StampCrypto, stampedBytes } from '../../../src/package-check/time-stamp';
import { CheckpointKey, newCheckpointKeyPem } from '../../../src/store/log/evidence/note-key';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';
import { temporaryFolder } from '../../support/engines';
import { noteOf } from '../witness/support';
import { TestAuthority } from './authority';

const STAMPED = stampedBytes(noteOf(5));
/** What the page of a package computes with. */
const PAGE_CRYPTO: StampCrypto = {
  hash: NODE_CRYPTO.hash,
  verify: async ({ scheme, hash, bytes }, message, publicKey) =>
    scheme === 'rsa-pkcs1' ? isSignedByRsa(bytes, NODE_CRYPTO.hash(hash, message), hash, publicKey) : null,
};

describe('a token of a time-stamp authority', () => {
  let folder: string;
  let authority: TestAuthority;
  let token: Buffer;
  let judge: JudgeAuthority;
  const judgeOf = async (file: string) => judgeBy(certificatesIn(await readFile(file, 'latin1'), file));
  beforeAll(async () => {
    folder = await temporaryFolder();
    authority = await TestAuthority.make(path.join(folder, 'rsa'));
    token = await authority.tokenOf(STAMPED);
    judge = await judgeOf(authority.caFile);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const checked = async (bytes: Uint8Array, by = judge, crypto = NODE_CRYPTO) => {
    const check = await checkStamp(bytes, STAMPED, crypto);
    return { ...check, problem: check.problem ?? (check.stamp && by(check.stamp)) };
  };

  it('is of the text of a checkpoint and the signature of its log, whatever witnesses add', () => {
    const note = noteOf(5);
    expect(Buffer.from(stampedBytes(note)).toString()).toBe(note);
    expect(stampedBytes(`${note}— w.example/w1 AAAA\n`)).toEqual(STAMPED);
    expect(stampedBytes(noteOf(6))).not.toEqual(STAMPED);
  });

  it('is accepted if a chain leads to a trusted certificate, also to one between', async () => {
    expect(await checked(token)).toMatchObject({ problem: null, isSignatureChecked: true });
    // The check changes nothing of the token.
    expect(await checked(token)).toMatchObject({ problem: null });
    const between = await judgeOf(path.join(folder, 'rsa', 'between.pem'));
    expect((await checked(token, between)).problem).toBeNull();
    const tsa = await judgeOf(path.join(folder, 'rsa', 'tsa.pem'));
    expect((await checked(token, tsa)).problem).toBeNull();
  });

  it('is refused if its authority is another one, of the same names too', async () => {
    const foreign = await TestAuthority.make(path.join(folder, 'foreign'));
    expect((await checked(token, await judgeOf(foreign.caFile))).problem).toMatch(
      /^no chain leads from .*CN=tsa/,
    );
    const both = path.join(folder, 'both.pem');
    const texts = [foreign, authority].map(({ caFile }) => readFile(caFile, 'latin1'));
    await writeFile(both, (await Promise.all(texts)).join('\n'));
    expect((await checked(token, await judgeOf(both))).problem).toBeNull();
  });

  it('is refused if a certificate was not valid at its time, by its own time alone', async () => {
    const { stamp } = await checked(token);
    const late = { ...stamp, time: '2126-01-01T00:00:00Z' } as NonNullable<typeof stamp>;
    expect(judge(late)).toContain('to a trusted one that was valid at 2126-01-01T00:00:00Z');
    expect(judge({ ...late, time: '2020-01-01T00:00:00Z' })).toContain('valid at 2020');
  });

  it('is refused if its certificate is for other uses, or if one without the right issued it', async () => {
    const { stamp } = await checked(token);
    const [tsa, between, ca] = await Promise.all(
      ['tsa', 'between', 'ca'].map(async (name) => {
        const file = path.join(folder, 'rsa', `${name}.pem`);
        return certificatesIn(await readFile(file, 'latin1'), file)[0]?.raw as Buffer;
      }),
    );
    const by = { ...stamp, signer: between } as NonNullable<typeof stamp>;
    expect(judge(by)).toContain('is not for time stamps alone');
    const alone = { ...stamp, signer: tsa, certificates: [tsa] } as NonNullable<typeof stamp>;
    expect(judge(alone)).toContain('no chain leads');
    expect(judge({ ...alone, certificates: [ca, between] as Buffer[] })).toBeNull();
  });

  describe('is judged by the certificates of its chain', () => {
    /** What is said of a stamp of a certificate. @param others those of the token */
    const said = (signer: Buffer, others: readonly Buffer[] = []) =>
      judge({ time: new Date().toISOString(), signer, certificates: [signer, ...others] } as never);

    it.each([
      ['not critical', 'stamps-not-critical', 'is not for time stamps alone'],
      ['one of two', 'stamps-and-mail', 'is not for time stamps alone'],
      ['beside what nobody here understands', 'stamps-unknown', 'no chain leads'],
      ['the only one', 'stamps', null],
    ])('of which the purpose is %s', async (_, section, wanted) => {
      const signer = await authority.certificate(section, section, 'ca');
      expect(said(signer)).toEqual(wanted && expect.stringContaining(wanted));
    });

    it.each([
      ['of an authority', 'ca', null],
      ['of no authority', 'no-authority', 'no chain leads'],
      ['of an authority for other purposes', 'authority-of-mail', 'no chain leads'],
    ])('that one %s issued', async (_, section, wanted) => {
      const issuer = await authority.certificate(`by-${section}`, section, 'ca');
      const signer = await authority.certificate(`of-${section}`, 'stamps', `by-${section}`);
      expect(said(signer, [issuer])).toEqual(wanted && expect.stringContaining(wanted));
    });

    it('that is not longer than its authorities permit', async () => {
      const file = path.join(folder, 'rsa', 'between.pem');
      const [between] = certificatesIn(await readFile(file, 'latin1'), file);
      const below = await authority.certificate('below', 'ca', 'between');
      const signer = await authority.certificate('of-below', 'stamps', 'below');
      expect(said(signer, [below, between?.raw as Buffer])).toContain('no chain leads');
    });
  });

  it.each(['rsa', 'ec'] as const)(
    'has no byte that may be changed to state another time (%s)',
    async (kind) => {
      const own = await TestAuthority.make(path.join(folder, `${kind}-flipped`), kind);
      const bytes = await own.tokenOf(STAMPED);
      const by = await judgeOf(own.caFile);
      const sound = await checked(bytes, by);
      expect(sound).toMatchObject({ problem: null, isSignatureChecked: true });
      let refused = 0;
      for (let at = 0; at < bytes.length; at += 7) {
        const other = Buffer.from(bytes);
        other.writeUInt8(other.readUInt8(at) ^ (1 << (at % 8)), at);
        const { problem, stamp } = await checked(other, by);
        if (problem !== null) refused++;
        // What nobody signs, such as the list of algorithms before the content, says nothing.
        else expect(stamp?.time).toBe(sound.stamp?.time);
      }
      expect(refused).toBeGreaterThan(0.9 * (bytes.length / 7));
      for (let length = 0; length < bytes.length; length += 41)
        expect((await checked(bytes.subarray(0, length), by)).problem).toContain('it is no time stamp');
    },
  );

  it('counts for a checkpoint that a trusted key signed alone, and of several the newest is told', async () => {
    const numbers = [5, 6, 7];
    const foreign = CheckpointKey.ofPem(newCheckpointKeyPem());
    const notes = numbers.map((size) => noteOf(size, undefined, size === 7 ? foreign : undefined));
    const timeStamps: { number: number; token: string }[] = [];
    for (const [i, note] of notes.entries())
      timeStamps.push({
        number: numbers[i] ?? 0,
        token: (await authority.tokenOf(stampedBytes(note))).toString('base64'),
      });
    const log = { checkpoints: notes, timeStamps: timeStamps.reverse() } as unknown as LogCopy;
    const trusted = [TEST_CHECKPOINT_KEY.verifierKey];
    expect(await checkTimeStamps(log, trusted, judge)).toMatchObject({
      verified: 2,
      newest: { number: 6, size: 6 },
      isAuthorityChecked: true,
      problems: [],
    });
    expect(await checkTimeStamps(log, [foreign.verifierKey], null)).toMatchObject({
      verified: 1,
      newest: { number: 7 },
      isAuthorityChecked: false,
    });
  });

  it('is checked by the page of a package too, if its key is RSA; others are not judged there', async () => {
    expect(await checked(token, judge, PAGE_CRYPTO)).toMatchObject({
      problem: null,
      isSignatureChecked: true,
    });
    const wrong = Buffer.from(token);
    wrong.writeUInt8(wrong.readUInt8(wrong.length - 9) ^ 4, wrong.length - 9);
    expect((await checked(wrong, judge, PAGE_CRYPTO)).problem).toBe('its signature does not fit');
    const curve = await TestAuthority.make(path.join(folder, 'curve'), 'ec');
    const check = await checkStamp(await curve.tokenOf(STAMPED), STAMPED, PAGE_CRYPTO);
    expect(check).toMatchObject({ problem: null, isSignatureChecked: false });
  });
});
