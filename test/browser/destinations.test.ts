import type { Locator, Page } from 'playwright-core';
import { change, createDestination, LOCAL, untilShown } from '../destinations/support/destinations';
import { Receiver } from '../destinations/support/receiver';
import { aReport, REPORT } from '../support/audit-sources';
import { violations } from './support/axe';
import { changesOfPoll } from './support/changes-of-poll';
import { countClicks } from './support/clicks';
import { inDatabase, useDashboard } from './support/dashboard';

describe('destinations in the dashboard', () => {
  const opened = useDashboard(LOCAL);
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.open();
  });
  afterAll(() => receiver.close());

  /** The last request with credentials. The destination of another test, which has none, may still send. */
  const lastRequest = () => receiver.requests.findLast(({ headers }) => headers.authorization);

  /** The row of a destination, and what it opens to. */
  const open = async (page: Page, name: string) => {
    const opener = page.getByRole('button', { name, exact: true });
    await opener.click();
    const row = page.getByRole('row').filter({ has: opener });
    return { row, card: page.getByRole('region', { name, exact: true }) };
  };

  it('show their state and lag, and can be tested, paused, resumed and replayed', async () => {
    const { world, contoso } = opened.dashboard;
    const { tenantId } = contoso;
    const { destinationId } = await createDestination(world, { tenantId, name: 'siem', url: receiver.url });
    const first = await untilShown(
      world,
      destinationId,
      ({ lagEvents, delivered }) => lagEvents === 0 && delivered > 0,
    );
    const page = await opened.dashboard.signedIn(world.operatorKey, '/destinations');
    const { row, card } = await open(page, 'siem');
    await row.getByText('active', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Test siem' }).click();
    await card.getByText('The test was accepted.').waitFor();
    await card.getByRole('button', { name: 'Pause siem' }).click();
    await row.getByText('paused', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Resume siem' }).click();
    await row.getByText('active', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Replay siem' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay siem' });
    await dialog.getByLabel('the beginning').check();
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilShown(world, destinationId, ({ delivered }) => delivered >= 2 * first.delivered);
    receiver.answers = () => ({ status: 500, body: 'the disk is full' });
    await contoso.audited();
    await card.getByText('the disk is full').waitFor();
    await page.context().close();
  });

  it('are made in at most six clicks, tested before they are saved, changed and removed', async () => {
    const { world, contoso } = opened.dashboard;
    const tokens = () => receiver.requests.flatMap(({ headers }) => headers.authorization ?? []);
    const page = await opened.dashboard.signedIn(world.operatorKey, '/destinations');
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'New destination' }).click();
    const dialog = page.getByRole('dialog', { name: 'New destination' });
    await dialog.getByLabel('Tenant').selectOption({ label: 'Contoso' });
    await dialog.getByLabel('Type').selectOption('splunk-hec');
    await dialog.getByLabel(/^Name/).fill('splunk');
    await dialog.getByLabel(/^URL/).fill('ftp://127.0.0.1');
    const token = dialog.getByLabel(/^Token/);
    expect(await token.getAttribute('type')).toBe('password');
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    // What is refused stands beside its field, in the words of the service.
    const saysOf = async (field: Locator) => {
      const id = (await field.getAttribute('aria-describedby'))?.split(' ').find((one) => /error/.test(one));
      return page.locator(`[id="${id}"]`).innerText();
    };
    await dialog.getByRole('alert').waitFor();
    expect(await saysOf(dialog.getByLabel(/^URL/))).toContain('must begin with https:// or');
    expect(await saysOf(token)).toContain('secrets.token: is missing');
    expect(await violations(page)).toEqual([]);

    receiver.requests.length = 0;
    receiver.answers = () => ({ status: 403, body: '{"text":"Invalid token","code":4}' });
    await dialog.getByLabel(/^URL/).fill(receiver.url);
    await token.fill('wrong');
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText('The receiver did not accept the test').waitFor();
    await dialog.getByText('Invalid token').waitFor();
    receiver.answers = () => ({ body: '{"text":"Success","code":0}' });
    await token.fill('right');
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText('The receiver accepted the test.').waitFor();
    expect(tokens()).toEqual(['Splunk wrong', 'Splunk right']);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    // Two tests were refused.
    expect((await clicks()) - 2).toBeLessThanOrEqual(6);
    const { row, card } = await open(page, 'splunk');
    await row.getByText('active', { exact: true }).waitFor();

    await card.getByRole('button', { name: 'Change splunk' }).click();
    const form = page.getByRole('dialog', { name: 'Change splunk' });
    expect(await form.getByLabel(/^Token/).inputValue()).toBe('');
    await form.getByRole('button', { name: 'Which events, and how they are sent' }).click();
    await form.getByLabel(/^Index/).fill('audit');
    await form.getByLabel('Leave out empty fields').check();
    await form.getByRole('button', { name: 'Send a test' }).click();
    await form.getByText('The receiver accepted the test.').waitFor();
    expect(lastRequest()?.body.toString()).toContain('"index":"audit"');
    expect(tokens().at(-1)).toBe('Splunk right');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const { destinations } = await world.operate(
      `{ destinations(tenantId: "${contoso.tenantId}") { name settings } }`,
    );
    expect(destinations.find(({ name }: { name: string }) => name === 'splunk').settings).toMatchObject({
      index: 'audit',
      omitEmpty: true,
      acknowledge: false,
    });
    // A token that nobody sees any more goes to no other server.
    await card.getByRole('button', { name: 'Change splunk' }).click();
    await form.getByLabel(/^URL/).fill('http://127.0.0.1:9');
    await form.getByRole('button', { name: 'Send a test' }).click();
    await form.getByText('secrets must be given again').first().waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();

    await card.getByRole('button', { name: 'Remove splunk' }).click();
    await page.getByRole('dialog', { name: 'Remove splunk' }).getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('that are webhooks are made by keys alone, and show the secret that signs once', async () => {
    const { world } = opened.dashboard;
    receiver.answers = () => ({});
    const page = await opened.dashboard.signedIn(world.operatorKey, '/destinations');
    // Keys do not wait for a button that is not enabled yet.
    await page.getByRole('button', { name: 'New destination', disabled: false }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New destination' });
    await dialog.getByLabel('Tenant').press('F');
    await dialog.getByLabel(/^Name/).fill('hook');
    await dialog.getByLabel(/^URL/).fill(receiver.url);
    await dialog.getByLabel(/^Headers/).fill('Authorization: Bearer b1\nX-Team: blue');
    await dialog.getByRole('button', { name: 'Save', disabled: false }).press('Enter');
    expect(await page.getByTestId('new-key').innerText()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have stored it' }).press('Enter');
    const { card } = await open(page, 'hook');
    await card.getByRole('button', { name: 'Test hook' }).click();
    await card.getByText('The test was accepted.').waitFor();
    expect(lastRequest()?.headers).toMatchObject({ authorization: 'Bearer b1', 'x-team': 'blue' });
    await page.context().close();
  });

  it('and sources are lists that a poll changes by difference: focus, selection, open row and place stay', async () => {
    const { world, contoso } = opened.dashboard;
    const { tenantId } = contoso;
    for (const name of ['first', 'second']) {
      const { destinationId } = await createDestination(world, { tenantId, name, url: receiver.url });
      await untilShown(world, destinationId, ({ lagEvents, delivered }) => lagEvents === 0 && delivered > 0);
    }
    for (const databaseName of ['Ledger', 'Stock'])
      await world.graphql(contoso.agentKey, REPORT, { report: aReport({ tenantId, databaseName }) });
    // What was hours ago has the same age for a while.
    const earlier = "now() - interval '170 minutes'";
    await inDatabase(world, `UPDATE audit_source SET last_reported = ${earlier}, caught_up_at = ${earlier}`);
    await inDatabase(world, `UPDATE destination SET last_success_at = ${earlier}`);
    const page = await opened.dashboard.signedIn(world.operatorKey, '/destinations');
    await page.clock.install();
    for (const { view, name, other, change } of [
      {
        view: 'destinations',
        name: 'first',
        other: 'third',
        change: "UPDATE destination SET name = 'third' WHERE name = 'second'",
      },
      {
        view: 'sources',
        name: 'Ledger',
        other: 'Stock',
        change:
          "UPDATE audit_source SET agent_version = '2.0.0', problem = 'x' WHERE database_name = 'Stock'",
      },
    ]) {
      await page.goto(`${opened.dashboard.origin}/dashboard/${view}`);
      const { row } = await open(page, name);
      const changes = () => changesOfPoll(page, /query (Destinations|Sources)\b/, 10_000);
      // The second answer is the first with a rate.
      await changes();
      await row.getByRole('button').focus();
      await page.evaluate("getSelection().selectAllChildren(document.querySelector('tbody td'))");
      expect(await changes()).toEqual([]);
      const kept = 'document.activeElement.innerText + ": " + getSelection()';
      expect(await page.evaluate<string>(kept)).toBe(`${name}: ${view === 'sources' ? 'Stale' : 'active'}`);
      await inDatabase(world, change);
      expect(new Set(await changes())).toEqual(new Set([other]));
    }
    await page.context().close();
  });

  it('lead alerts and reports there by forms, whose refused fields say why', async () => {
    const { world, contoso } = opened.dashboard;
    const { tenantId } = contoso;
    const { destinationId } = await createDestination(world, { tenantId, name: 'soc', url: receiver.url });
    const page = await opened.dashboard.signedIn(world.operatorKey, '/destinations');
    await page.getByRole('button', { name: 'New alert route' }).click();
    const route = page.getByRole('dialog', { name: 'New alert route' });
    await route.getByLabel(/^Name/).fill('night shift');
    await route.getByLabel(/^Addresses/).fill('nobody');
    await route.getByRole('button', { name: 'Save' }).click();
    await route.getByText('must be addresses such as soc@example.com').first().waitFor();
    await route.getByText('To a destination').click();
    await route.getByLabel(/^Destination/).selectOption({ label: 'soc' });
    await route.getByLabel('Which alerts').selectOption('high');
    await route.getByRole('button', { name: 'Save' }).click();
    const shown = page.getByRole('article', { name: 'night shift' });
    await shown.getByText('destination soc (json) · high and above').waitFor();
    expect(await violations(page)).toEqual([]);
    await shown.getByRole('button', { name: 'Remove night shift' }).click();
    await page
      .getByRole('dialog', { name: 'Remove night shift' })
      .getByRole('button', { name: 'Remove' })
      .click();
    await shown.waitFor({ state: 'detached' });

    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Reports' }).click();
    await page.getByText('No report of this tenant is made by itself.').waitFor();
    await page.getByRole('button', { name: 'New schedule' }).click();
    const form = page.getByRole('dialog', { name: 'New schedule' });
    await form.getByLabel(/^Name/).fill('each day');
    await form.getByLabel('Report').selectOption('log-ons');
    await form.getByLabel('It is made').selectOption('cron');
    await form.getByLabel(/^Times/).fill('* * * * *');
    await form.getByText('To a destination').click();
    await form.getByLabel(/^Destination/).selectOption({ label: 'soc' });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('must not have times closer than 15 minutes').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await form.getByLabel('It is made').selectOption('daily');
    await form.getByLabel('Time zone').fill('Europe/Berl');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    const card = page.getByRole('article', { name: 'each day' });
    await card.getByText('each day at 6:00, Europe/Berlin').waitFor();
    await card.getByRole('button', { name: 'Send now each day' }).click();
    await card.getByText('A run is made and sent soon.').waitFor();
    await card.getByRole('button', { name: 'Pause each day' }).click();
    await card.getByText('paused', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Change each day' }).click();
    const changed = page.getByRole('dialog', { name: 'Change each day' });
    await changed.getByLabel('It is made').selectOption('weekly');
    await changed.getByRole('button', { name: 'Save' }).click();
    await card.getByText('each Monday at 6:00, Europe/Berlin').waitFor();

    const { key } = await world.key({
      tenantIds: [tenantId],
      scopes: ['read:audit-activity', 'read:reports'],
    });
    const analyst = await opened.dashboard.signedIn(key, '/reports');
    await analyst.getByRole('article', { name: 'each day' }).getByText('paused', { exact: true }).waitFor();
    expect(await analyst.getByRole('button', { name: 'Remove each day' }).count()).toBe(0);
    await analyst.context().close();

    await card.getByRole('button', { name: 'Remove each day' }).click();
    await page
      .getByRole('dialog', { name: 'Remove each day' })
      .getByRole('button', { name: 'Remove' })
      .click();
    await card.waitFor({ state: 'detached' });
    await change(world, 'removeDestination', destinationId);
    await page.context().close();
  });
});
