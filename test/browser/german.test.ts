import type { BrowserContextOptions, Page } from 'playwright-core';
import { GERMAN } from '../../dashboard/src/german';
import { aReport, REPORT } from '../support/audit-sources';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { isWiderThanScreen, violationsInThemes } from './support/axe';
import { screenshot, useDashboard } from './support/dashboard';

/** The plain texts of the English catalogues that no German one has. */
const ENGLISH = (() => {
  const plain = (texts: Iterable<object>) =>
    [...texts].flatMap((one) => Object.values(one)).filter((text) => typeof text === 'string');
  const german = new Set(plain(GERMAN.values()));
  return plain(GERMAN.keys()).filter((text) => !german.has(text));
})();
/** Words of English sentences that German does not have. Actions of SQL Server are in capital letters. */
const WORDS = /\b(the|and|of|with|are|from|by|this|that|its|it|to|not|yet|there|which)\b/;

/**
 * The texts of the page that are shown or spoken, without those that are marked as English, without what people and servers
 * wrote (code, events), and without the titles of rules and reports where they cannot be marked: in a choice, and behind
 * the colon of a name.
 */
const SHOWN = `(() => {
  const apart = '[lang="en"], code, pre, script, style, option, #events tbody';
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (parentElement && !parentElement.closest(apart)) found.push(data);
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]'))
    if (!element.closest(apart) && !element.matches('article'))
      for (const name of ['aria-label', 'title', 'placeholder'])
        found.push((element.getAttribute(name) ?? '').replace(/: .*/, ''));
  return found.map((text) => text.replaceAll(/\\s+/g, ' ').trim()).filter((text) => text !== '');
})()`;

async function englishOn(page: Page): Promise<string[]> {
  const shown = await page.evaluate<string[]>(SHOWN);
  return [...new Set(shown.filter((text) => ENGLISH.includes(text) || WORDS.test(text)))];
}

describe('the dashboard in German', () => {
  const opened = useDashboard();
  const options: BrowserContextOptions = { bypassCSP: true, colorScheme: 'light' };
  let analyst: string;
  let alertId: string;
  let incidentId: string;
  beforeAll(async () => {
    const { world, contoso } = opened.dashboard;
    const scopes = [
      ...['read:audit-activity', 'read:alerts', 'read:findings', 'work:alerts'],
      ...['read:compliance', 'read:reports'],
    ];
    analyst = (await world.key({ name: 'Ada', tenantIds: [contoso.tenantId], scopes })).key;
    await contoso.ingest(
      Array.from({ length: 15 }, (_, n) =>
        anEvent({
          actionId: 'LGIF',
          succeeded: false,
          serverPrincipalName: 'sa',
          clientIp: '203.0.113.7',
          eventTime: `2026-01-05T04:00:${String(n).padStart(2, '0')}.1234567Z`,
        }),
      ),
    );
    const found = await until(
      () => world.get('/alerts', analyst, { query: { pageSize: 1 } }),
      ({ body }) => body.data.length > 0 && body.data[0].incidentId !== null,
    );
    [{ alertId, incidentId }] = found.body.data;
    const report = { tenantId: contoso.tenantId, problem: 'the disk of the agent is full' };
    await world.graphql(contoso.agentKey, REPORT, { report: aReport(report) });
  });

  /** A page that is signed in with a key and speaks German. */
  const german = async (key: string) => {
    const page = await opened.dashboard.signedIn(key, '/', options);
    await page.evaluate(`localStorage.setItem('language', '"de"')`);
    return page;
  };
  const check = async (page: Page, name: string) => {
    await page.waitForLoadState('networkidle');
    await screenshot(page, `german-${name}`);
    expect([name, await englishOn(page)]).toEqual([name, []]);
    expect([name, await violationsInThemes(page)]).toEqual([name, []]);
    expect([name, await isWiderThanScreen(page)]).toEqual([name, false]);
  };
  const go = async (page: Page, path: string) => {
    await page.goto(`${opened.dashboard.origin}/dashboard${path}`);
    await page.locator('html[lang="de"]').waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  };

  it('has no English text on a page of an analyst, but what is marked so', async () => {
    const page = await german(analyst);
    const pages = [
      ...['/', '/explore', '/explore?range=all&groupBy=serverPrincipalName,hostName'],
      ...['/alerts', `/alerts/${alertId}`, '/incidents', `/incidents/${incidentId}`],
      ...['/compliance', '/compliance/scope', '/reports', '/rules', '/entity/login?value=sa'],
    ];
    for (const path of pages) {
      await go(page, path);
      await check(page, `analyst${path.replaceAll(/\W+/g, '-').slice(0, 30)}`);
    }
    await go(page, '/explore?range=all');
    await page.getByText('165 Ereignisse', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Als Tabelle' }).click();
    await check(page, 'explore-table');
    await page.getByRole('button', { name: 'Alle Zeiten' }).click();
    await page.getByRole('button', { name: 'Letzte Nacht' }).waitFor();
    // It covers half of what lies behind it, which axe takes for targets that are too small.
    expect(await englishOn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Diese Ansicht belegen' }).click();
    await page.getByRole('button', { name: 'Paket anlegen' }).waitFor();
    await check(page, 'prove');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Übersicht' }).waitFor();
    await check(page, 'palette');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Ereignisse', exact: true }).locator('tbody a').first().click();
    await page.getByTestId('statement').waitFor();
    await page.getByRole('heading', { name: 'Wer tut das üblicherweise?' }).waitFor();
    await page.getByText('Lädt: Wer tut das üblicherweise?').waitFor({ state: 'detached' });
    await check(page, 'event');
    await page.context().close();
  });

  it('has none on a page of an operator', async () => {
    const { world } = opened.dashboard;
    const page = await german(world.operatorKey);
    const pages = [
      ...['/sources', '/tenants', '/keys', '/destinations', '/archive', '/access-log'],
      ...['/compliance', '/reports', '/rules'],
    ];
    for (const path of pages) {
      await go(page, path);
      await check(page, `operator${path.replaceAll('/', '-')}`);
    }
    for (const [path, button] of [
      ['/sources', 'Neuer Agent'],
      ['/keys', 'Neuer Schlüssel'],
      ['/destinations', 'Neues Ziel'],
      ['/destinations', 'Neuer Weg'],
      ['/reports', 'Neuer Zeitplan'],
      ['/rules', 'Regeln importieren'],
      ['/compliance', 'Erklären'],
    ] as const) {
      await go(page, path);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
      await check(page, `operator${path.replaceAll('/', '-')}-form`);
    }
    await page.context().close();
  });
});
