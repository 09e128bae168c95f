import { until } from '../../support/until';
import { ExplorePage } from '../support/explore-page';
import type { Exploring } from '../support/exploring';

/** An event beside the list. */
export function eventOf(opened: Exploring): void {
  it('shows every field of an event, and its statement formatted and as recorded', async () => {
    const { page, explore } = opened;
    await explore.search('salary');
    await explore.count(12);
    const drawer = await explore.open(0);
    const recordId = await explore.field(drawer, 'Record id');
    const { body } = await opened.dashboard.contoso.get(`/audit-activity/${recordId}`);
    expect(await explore.field(drawer, 'Time (UTC)')).toBe(
      body.data.eventTime.replace('T', ' ').replace('Z', ''),
    );
    expect(await explore.field(drawer, 'Database principal')).toBe(body.data.databasePrincipalName);
    const statement = drawer.getByTestId('statement');
    await statement.locator('.hljs-keyword').first().waitFor();
    expect((await statement.innerText()).replace(/\s+/g, '')).toBe(body.data.statement.replace(/\s+/g, ''));
    await drawer.getByText('Original', { exact: true }).click();
    await until(
      () => statement.innerText(),
      (text) => text === body.data.statement,
    );
    await drawer.getByRole('button', { name: 'Copy the original statement' }).click();
    await drawer.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(body.data.statement);
  });

  it('keeps the list in use beside an open event: j and k step, tabs stay, the edge sizes it', async () => {
    const { key } = opened;
    const other = await opened.dashboard.signedIn(key, '/explore?range=all');
    const own = new ExplorePage(other);
    await own.count(150);
    const panel = await own.open(0);
    const json = async () => JSON.parse(await panel.getByTestId('json').innerText());
    await panel.getByRole('tab', { name: 'JSON' }).click();
    const first = await json();
    await other.keyboard.press('j');
    const second = await until(json, ({ recordId }) => recordId !== first.recordId);
    await other.keyboard.press('k');
    await until(json, ({ recordId }) => recordId === first.recordId);
    expect(Object.keys(second)).toEqual(expect.arrayContaining(['recordId', 'statement', 'proof']));
    await panel.getByRole('tab', { name: 'Proof' }).click();
    await panel.getByRole('region', { name: 'Proof' }).waitFor();
    const edge = panel.getByRole('separator', { name: 'Width of the panel' });
    const widthOf = async () => Math.round((await panel.boundingBox())?.width ?? 0);
    const before = await widthOf();
    await edge.press('ArrowLeft');
    await until(widthOf, (width) => width === before + 40);
    await other.reload();
    await panel.getByText('Record id').waitFor();
    expect(await widthOf()).toBe(before + 40);
    await own.events.getByRole('row').nth(3).getByRole('link').first().click();
    await until(
      () => other.evaluate<string>('location.search'),
      (search) => !search.includes(first.recordId),
    );
    await panel.getByRole('button', { name: 'Same session' }).click();
    expect(new URL(other.url()).searchParams.get('filter')).toMatch(
      /serverInstanceName:.* AND sessionId:|serverInstanceName:\S+ sessionId:/,
    );
    await other.context().close();
  });

  it('shows markup in a statement as the text it is', async () => {
    const statement = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await opened.dashboard.fabrikam.audited({ statement, eventTime: '2026-01-05T08:00:00.0000000Z' });
    const other = await opened.dashboard.signedIn(
      opened.dashboard.fabrikam.key,
      '/explore?range=all&search=onerror',
    );
    const drawer = await new ExplorePage(other).open(0);
    await drawer.getByText('Original', { exact: true }).click();
    await until(
      () => drawer.getByTestId('statement').innerText(),
      (text) => text === statement,
    );
    expect(await drawer.locator('img, script').count()).toBe(0);
    expect(await other.title()).toBe('Explore · Audit Activity');
    await other.context().close();
  });

  it('leads from a count of who normally does it to exactly these events, also within a millisecond', async () => {
    const { fabrikam } = opened.dashboard;
    const object = { databaseName: 'Moments', schemaName: 'dbo', objectName: 'Fraction' };
    for (const [serverPrincipalName, eventTime] of [
      ['earlier', '2026-01-06T08:00:00.0001000Z'],
      ['later', '2026-01-06T08:00:00.0007000Z'],
    ] as const)
      await fabrikam.audited({ ...object, serverPrincipalName, eventTime });
    const filter = 'objectName:Fraction serverPrincipalName:later';
    const other = await opened.dashboard.signedIn(
      fabrikam.key,
      `/explore?range=all&filter=${encodeURIComponent(filter)}`,
    );
    const own = new ExplorePage(other);
    await own.count(1);
    const panel = await own.open(0);
    await panel.getByRole('button', { name: 'earlier: 1 event' }).click();
    await panel.waitFor({ state: 'detached' });
    await own.column('Principal', (cells) => cells.join() === 'earlier');
    await other.context().close();
  });

  it('leads from an event to the events around it and to those of its principal', async () => {
    const { page, explore } = opened;
    const drawer = await explore.open(3);
    const principal = await explore.field(drawer, 'Principal');
    await drawer.getByRole('button', { name: 'Same principal' }).click();
    await until(
      () => explore.column('Principal'),
      (cells) => cells.every((cell) => cell === principal),
    );
    await drawer.waitFor({ state: 'detached' });
    const again = await explore.open(0);
    await again.getByRole('button', { name: /^Around this event: 5 minutes each way on SQL/ }).click();
    await page.waitForURL(/startTime=2025-04-15T08%3A5/);
    const says = page.getByText(/^5 minutes to either side of the event of 2025-04-15 08:5\d:\d\d\.\d{3}$/);
    await says.waitFor();
    await explore.search('actionId:*');
    await says.waitFor({ state: 'detached' });
    await page.goBack();
    await says.waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toMatch(/^serverInstanceName:/);
  });
}
