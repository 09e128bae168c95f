import type { PackageQuestion } from '../../dashboard/src/evidence/fetch-package';
import { fetchPackage } from '../../dashboard/src/evidence/fetch-package';

const ask = jest.spyOn(globalThis, 'fetch');
afterAll(() => ask.mockRestore());
const { signal } = new AbortController();
const QUESTION = {
  ...{ tenantId: '7', reason: 'case 4', search: 'a b' },
  ...{ filter: '', actionId: undefined, endTime: null },
} as unknown as PackageQuestion;

describe('the evidence package that the page saves', () => {
  it('has the name that the service gives it, and its bytes are told as they come', async () => {
    const headers = { 'Content-Disposition': 'attachment; filename="evidence-7.zip"' };
    ask.mockResolvedValue(new Response('PK..', { headers }));
    const told: number[] = [];
    const { name, content } = await fetchPackage(QUESTION, signal, (bytes) => void told.push(bytes));
    expect([name, await content.text(), told.at(-1)]).toEqual(['evidence-7.zip', 'PK..', 4]);
    const [url, asked] = ask.mock.calls[0] ?? [];
    expect(asked?.headers).toEqual({ 'X-Dashboard': '1' });
    const { pathname, search } = new URL(String(url), 'http://page');
    expect(pathname).toBe('/dashboard/api/package');
    expect(Object.fromEntries(new URLSearchParams(search))).toEqual({
      tenantId: '7',
      reason: 'case 4',
      search: 'a b',
    });
  });

  it('has a name of its own where the service gives none', async () => {
    ask.mockResolvedValue(new Response('PK'));
    expect(await fetchPackage(QUESTION, signal, () => {})).toMatchObject({
      name: 'audit-activity-evidence.zip',
    });
  });

  it('is none where the service refuses: its reason is shown', async () => {
    const body = JSON.stringify({ error: { code: 'invalid_parameter', message: 'too many events' } });
    ask.mockResolvedValue(new Response(body, { status: 400 }));
    await expect(fetchPackage(QUESTION, signal, () => {})).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: 'too many events',
    });
  });
});
