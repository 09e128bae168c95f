import type { Call } from '../../src/caller/call';
import { writerOf, writtenAbout } from '../../src/modules/notes/records';

const KEY = { kind: 'public', keyId: 'k1', name: 'SOC', tenantIds: [7], scopes: ['read:audit-activity'] };
const callOf = (change: object = {}) => ({ principal: { ...KEY, ...change } }) as unknown as Call;

describe('who writes about an event', () => {
  it('is the person of the session, and else the key', () => {
    expect(writerOf(callOf())).toEqual({ holder: 'key k1', name: 'SOC' });
    expect(writerOf(callOf({ session: { user: 'ana' } }))).toEqual({ holder: 'user ana', name: 'ana' });
    expect(writerOf(callOf({ session: {} }))).toEqual({ holder: 'key k1', name: 'SOC' });
  });

  it('is somebody who may read it, and it is stored', async () => {
    const find = async () => ({ tenantId: '7' });
    await expect(writtenAbout(find, callOf(), 'r')).resolves.toEqual({ tenantId: 7, recordId: 'r' });
    await expect(writtenAbout(async () => null, callOf(), 'r')).rejects.toMatchObject({ code: 'not_found' });
    for (const other of [{ scopes: ['work:alerts'] }, { kind: 'operator' }])
      await expect(writtenAbout(find, callOf(other), 'r')).rejects.toMatchObject({ code: 'forbidden' });
  });
});
