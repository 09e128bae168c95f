import {
  bodyOf,
  exportPath,
  loadSession,
  loadSignInWays,
  newRunPath,
  openIdPath,
  openLive,
  packagePath,
  runFilePath,
  signIn,
  signOut,
} from '../../dashboard/src/api/session';

const ask = jest.spyOn(globalThis, 'fetch');
afterAll(() => ask.mockRestore());
beforeEach(() => ask.mockReset());
const answer = (status: number, body?: object) =>
  ask.mockResolvedValue(new Response(body ? JSON.stringify(body) : null, { status }));
const PAGE = { 'X-Dashboard': '1' };

describe('the session of the page', () => {
  it('is asked for by the cookie and the header that no page of another site can send', async () => {
    answer(200, { name: 'ana' });
    expect(await loadSession()).toEqual({ name: 'ana' });
    expect(ask).toHaveBeenCalledWith('/dashboard/api/session', { headers: PAGE });
    answer(200, { key: true, openId: false });
    expect(await loadSignInWays()).toEqual({ key: true, openId: false });
    expect(ask).toHaveBeenLastCalledWith('/dashboard/api/sign-in', { headers: PAGE });
  });

  it('is none where nobody is signed in, and a failure where the service fails', async () => {
    answer(401);
    expect(await loadSession()).toBeNull();
    answer(503, { error: { code: 'service_unavailable', message: 'busy', requestId: 'r1' } });
    await expect(loadSession()).rejects.toMatchObject({ code: 'service_unavailable', requestId: 'r1' });
  });

  it('begins with a key, and ends', async () => {
    answer(200, { name: 'ana' });
    expect(await signIn('aak_1')).toEqual({ name: 'ana' });
    const headers = { ...PAGE, 'Content-Type': 'application/json' };
    const sent = (path: string, body: string) => [`/dashboard/api${path}`, { method: 'POST', headers, body }];
    expect(ask.mock.lastCall).toEqual(sent('/sign-in', '{"key":"aak_1"}'));
    answer(204);
    expect(await signOut()).toBeUndefined();
    expect(ask.mock.lastCall).toEqual(sent('/sign-out', '{}'));
  });

  it('follows live events from now on, or from the last message on', async () => {
    const { signal } = new AbortController();
    answer(200);
    await openLive('filter=a', null, signal);
    expect(ask.mock.lastCall).toEqual(['/dashboard/api/live?filter=a', { headers: PAGE, signal }]);
    await openLive('', 'e1:7', signal);
    expect(ask.mock.lastCall?.[1]?.headers).toEqual({ ...PAGE, 'Last-Event-ID': 'e1:7' });
  });

  it('has texts of its own for an answer that is none of the service', async () => {
    await expect(bodyOf(new Response('<html>', { status: 502 }))).rejects.toMatchObject({
      ...{ code: 'internal_error', message: 'The service answered 502.', requestId: null },
    });
    expect(await bodyOf(new Response(null, { status: 204 }))).toBeNull();
  });

  it('knows the addresses of what it saves', () => {
    const asked = new URLSearchParams({ filter: 'a b' });
    expect([openIdPath('/explore?a=b'), exportPath(asked), packagePath(asked)]).toEqual([
      '/dashboard/api/openid/start?to=%2Fexplore%3Fa%3Db',
      '/dashboard/api/export?filter=a+b',
      '/dashboard/api/package?filter=a+b',
    ]);
    expect([newRunPath('log-ons/x', asked), runFilePath('r1', 'pdf')]).toEqual([
      '/dashboard/api/reports/log-ons%2Fx/content?filter=a+b',
      '/dashboard/api/reports/runs/r1/content?format=pdf',
    ]);
  });
});
