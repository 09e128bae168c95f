import { signedNote } from '../../src/modules/evidence/checkpoint';
import { type LoggedEvent, leafHashOf } from '../../src/store/log/evidence/entry';
import { hashOfPair, inclusionPath, type NodeAt, rootOf } from '../../src/store/log/evidence/merkle';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';

const { checkProof } = jest.requireActual<{
  checkProof: (event: object, verifierKey: string) => Promise<{ kind: string; signer?: string }>;
}>('../../dashboard/src/explore/event/proof-check');

const absent = {
  databaseName: null,
  schemaName: null,
  serverPrincipalName: null,
  hostName: null,
  clientIp: null,
};
const eventAt = (index: number): LoggedEvent => ({
  ...absent,
  databasePrincipalName: null,
  applicationName: null,
  sourceType: 'DirectFile',
  recordId: `019638ac-eaee-8246-a524-3f486ad33b0${index}`,
  tenantId: '7',
  actionId: 'UP',
  succeeded: true,
  eventTime: '2025-04-15T08:59:38.6062330Z',
  serverInstanceName: 'S\\é',
  objectName: 'x"',
  statement: 'a\u202eb',
  additional: { z: 1, a: 't', file: 'f' },
});

describe('the proof of an event, verified in the page,', () => {
  const [key, other] = [newCheckpointKeyPem(), newCheckpointKeyPem()].map(CheckpointKey.ofPem) as [
    CheckpointKey,
    CheckpointKey,
  ];

  it.each([1, 2, 3, 5, 6, 7])(
    'is valid for each event of a log of %d events, and for no other event, place or key',
    async (size) => {
      const leaves = Array.from({ length: size }, (_, i) => Buffer.from(leafHashOf(eventAt(i)), 'hex'));
      const node: NodeAt = (height, i) =>
        height === 0
          ? (leaves[i] as Buffer)
          : hashOfPair(node(height - 1, 2 * i), node(height - 1, 2 * i + 1));
      const note = {
        tenantId: 7,
        size,
        root: rootOf(size, node),
        number: 3,
        time: '2026-01-01T00:00:00.000Z',
      };
      for (const [index, leaf] of leaves.entries()) {
        const path = inclusionPath(index, size, node).map((hash) => hash.toString('base64'));
        const proof = { index, leafHash: leaf.toString('base64'), path, checkpoint: signedNote(note, key) };
        const ofOther = signedNote({ ...note, tenantId: 8 }, key);
        const kinds = [
          await checkProof({ ...eventAt(index), proof }, key.verifierKey),
          await checkProof({ ...eventAt(index), statement: 'c', proof }, key.verifierKey),
          await checkProof({ ...eventAt(index), proof: { ...proof, index: index + 1 } }, key.verifierKey),
          await checkProof({ ...eventAt(index), proof }, other.verifierKey),
          // A checkpoint of another tenant proves nothing, even if its log has the same entries.
          await checkProof({ ...eventAt(index), proof: { ...proof, checkpoint: ofOther } }, key.verifierKey),
        ].map(({ kind }) => kind);
        expect(kinds).toEqual(['proven', ...Array(4).fill('refuted')]);
      }
    },
  );

  it('needs the signature of the service alone, wherever it stands among those of witnesses', async () => {
    const leaf = Buffer.from(leafHashOf(eventAt(0)), 'hex');
    const note = { tenantId: 7, size: 1, root: leaf, number: 3, time: '2026-01-01T00:00:00.000Z' };
    const [text = '', own = ''] = signedNote(note, key).split('\n\n');
    const [, ofWitness = ''] = signedNote(note, other).split('\n\n');
    const verdictOf = (signatures: string) => {
      const checkpoint = `${text}\n\n${signatures}`;
      const proof = { index: 0, leafHash: leaf.toString('base64'), path: [], checkpoint };
      return checkProof({ ...eventAt(0), proof }, key.verifierKey);
    };
    const [signer] = /^[^+]+\+[^+]+/.exec(key.verifierKey) ?? [];
    for (const signatures of [own, ofWitness + own, own + ofWitness])
      expect(await verdictOf(signatures)).toMatchObject({ kind: 'proven', signer });
    expect(await verdictOf(ofWitness)).toEqual({ kind: 'refuted', why: 'notSigned' });
  });
});
