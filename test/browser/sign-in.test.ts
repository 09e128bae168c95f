import type { Locator } from 'playwright-core';
import { until } from '../support/until';
import { violations } from './support/axe';
import { signIn, useDashboard } from './support/dashboard';

describe('signing in to the dashboard', () => {
  const opened = useDashboard();

  it('refuses a key that is not valid, and says why', async () => {
    const page = await opened.dashboard.visit();
    await page.getByLabel('Key', { exact: true }).fill('aak_not-a-key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This key is not valid here').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  });

  it("refuses an agent's key", async () => {
    const { contoso } = opened.dashboard;
    const page = await opened.dashboard.visit();
    await page.getByLabel('Key', { exact: true }).fill(contoso.agentKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText("An agent's key does not open the dashboard.").waitFor();
  });

  it('leaves the key in no place that a script can read', async () => {
    const { contoso } = opened.dashboard;
    const page = await opened.dashboard.signedIn(contoso.key);
    await page.getByText('No event is from this week').waitFor();
    const readable = await page.evaluate<Record<string, string>>(`({
      cookies: document.cookie,
      storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
      address: location.href,
      page: document.documentElement.outerHTML,
    })`);
    expect(readable.cookies).toBe('');
    for (const text of Object.values(readable)) expect(text).not.toContain(contoso.key);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(cookie?.value).not.toContain(contoso.key);
  });

  it('continues at the link that led to it', async () => {
    const page = await opened.dashboard.visit('/explore?range=all&search=salary');
    await signIn(page, opened.dashboard.contoso.key);
    await page.getByText('12 events', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?range=all&search=salary');
  });

  it('is offered once the service is back, although nobody does anything', async () => {
    const page = await opened.dashboard.visit();
    await page.clock.install();
    const session = '**/dashboard/api/session';
    await page.route(session, (asked) => asked.abort());
    await page.reload();
    const failed = page.getByRole('button', { name: 'Try again' });
    for (let times = 0; times < 2; times++) {
      await failed.waitFor();
      const asked = page.waitForRequest(session);
      await page.clock.runFor(11_000);
      await asked;
    }
    await page.unroute(session);
    await page.clock.runFor(11_000);
    await page.getByLabel('Key', { exact: true }).waitFor();
    expect(await failed.count()).toBe(0);
    await page.context().close();
  });

  it('is in German where a person chose it', async () => {
    const { contoso } = opened.dashboard;
    const page = await opened.dashboard.visit('/', { bypassCSP: true });
    await signIn(page, contoso.key);
    await page.getByRole('button', { name: 'test' }).click();
    await page.getByRole('menuitem', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: 'Übersicht', level: 1 }).waitFor();
    await page.getByText('Aus dieser Woche ist kein Ereignis').waitFor();
    // While the menu fades away, it has nothing in it.
    await page.locator('[role=menu]').waitFor({ state: 'detached' });
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Erkunden' }).click();
    await page.getByRole('heading', { name: 'Erkunden', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Übersicht' }).waitFor();
    await page.getByRole('button', { name: 'test' }).click();
    await page.getByRole('menuitem', { name: 'Abmelden' }).click();
    await page.getByLabel('Schlüssel', { exact: true }).fill('aak_not-a-key');
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await page.getByRole('alert').getByText('Dieser Schlüssel gilt hier nicht').waitFor();
    await page.context().close();
  });

  it('ends with signing out, also for any other program that has the cookie', async () => {
    const page = await opened.dashboard.visit();
    await signIn(page, opened.dashboard.contoso.key);
    const [cookie] = await page.context().cookies();
    await page.getByRole('button', { name: 'test' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Key', { exact: true }).waitFor();

    const { status } = await opened.dashboard.world.fetch('/dashboard/api/session', {
      headers: { 'X-Dashboard': '1', Cookie: `${cookie?.name}=${cookie?.value}` },
    });
    expect(status).toBe(401);
  });

  it('says when the limit of calls is reached, and when it asks again by itself', async () => {
    const { world, contoso } = opened.dashboard;
    const { key } = await world.key({ name: 'slow', tenantIds: [contoso.tenantId], rate: 1 });
    const page = await opened.dashboard.signedIn(key, '/explore?range=all');
    const limit = page.getByRole('status').filter({ hasText: /^At the limit of calls per minute/ });
    await until(
      async () => {
        if (await limit.first().isVisible()) return true;
        await page.reload();
        return false;
      },
      (isTold) => isTold,
    );
    expect(await limit.first().textContent()).toMatch(/asks again by itself in \d+ s$/);
  });

  it('keeps what was typed when the session ends in the middle, for the same person, without secrets', async () => {
    const { world, contoso } = opened.dashboard;
    const page = await opened.dashboard.visit('/destinations');
    await signIn(page, world.operatorKey);
    const end = async (button: Locator) => {
      await page.context().clearCookies();
      await button.click();
      await page.getByText('The session has ended.').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
    };
    await page.getByRole('button', { name: 'New destination' }).click();
    const form = page.getByRole('dialog', { name: 'New destination' });
    await form.getByLabel('Tenant').selectOption({ label: 'Fabrikam' });
    await form.getByLabel('Type').selectOption('splunk-hec');
    await form.getByLabel(/^Name/).fill('siem of the night');
    await form.getByLabel(/^Token/).fill('nobody sees this again');
    await end(form.getByRole('button', { name: 'Send a test' }));
    await signIn(page, world.operatorKey);
    await form.waitFor();
    expect(await form.getByLabel(/^Name/).inputValue()).toBe('siem of the night');
    expect(await form.getByLabel('Type', { exact: true }).inputValue()).toBe('splunk-hec');
    expect(await form.getByLabel(/^Token/).inputValue()).toBe('');
    // What somebody has closed is gone.
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'New destination' }).click();
    expect(await form.getByLabel(/^Name/).inputValue()).toBe('');
    await form.getByLabel(/^Name/).fill('not for others');
    await end(form.getByRole('button', { name: 'Send a test' }));
    await signIn(page, contoso.key);
    await page.getByText('There is nothing here for this sign-in').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Explore' }).click();
    await page.getByText('The session has ended.').waitFor();
    await signIn(page, world.operatorKey);
    await page.getByRole('link', { name: 'Destinations' }).click();
    await page.getByRole('button', { name: 'New destination' }).click();
    expect(await form.getByLabel(/^Name/).inputValue()).toBe('');
    await page.context().close();
  });

  it('ends when the key is revoked: the next action asks to sign in again, at the same view', async () => {
    const { world, contoso } = opened.dashboard;
    const { keyId, key } = await world.key({ name: 'short-lived', tenantIds: [contoso.tenantId] });
    const page = await opened.dashboard.signedIn(key, '/explore?range=all');
    await page.getByText('150 events', { exact: true }).waitFor();
    await world.operate('mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId } }', { keyId });
    await until(
      async () => {
        if (await page.getByText('The session has ended.').isVisible()) return true;
        await page
          .getByRole('button', { name: 'Refresh' })
          .click({ timeout: 500 })
          .catch(() => {});
        return false;
      },
      (isOver) => isOver,
    );
    expect(new URL(page.url()).search).toBe('?range=all');
  });
});
