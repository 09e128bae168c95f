import type { Locator } from 'playwright-core';
import { createDestination, LOCAL, untilShown } from '../destinations/support/destinations';
import { Receiver } from '../destinations/support/receiver';
import { violations } from './support/axe';
import { useDashboard } from './support/dashboard';

describe('destinations in the dashboard', () => {
  const opened = useDashboard(LOCAL);
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.open();
  });
  afterAll(() => receiver.close());

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
    const card = page.getByRole('article', { name: 'siem' });
    await card.getByText('active', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Test siem' }).click();
    await card.getByText('The test was accepted.').waitFor();
    await card.getByRole('button', { name: 'Pause siem' }).click();
    await card.getByText('paused', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Resume siem' }).click();
    await card.getByText('active', { exact: true }).waitFor();
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
    const tokens = () => receiver.requests.map(({ headers }) => headers.authorization);
    const page = await opened.dashboard.signedIn(world.operatorKey, '/destinations');
    let clicks = 0;
    const click = async (locator: Locator) => {
      clicks += 1;
      await locator.click();
    };
    await click(page.getByRole('button', { name: 'New destination' }));
    const dialog = page.getByRole('dialog', { name: 'New destination' });
    // A choice of a list is one click with the mouse, or none with the keyboard.
    clicks += 2;
    await dialog.getByLabel('Tenant').selectOption({ label: 'Contoso' });
    await dialog.getByLabel('Type').selectOption('splunk-hec');
    await dialog.getByLabel(/^Name/).fill('splunk');
    await dialog.getByLabel(/^URL/).fill('ftp://127.0.0.1');
    const token = dialog.getByLabel(/^Token/);
    expect(await token.getAttribute('type')).toBe('password');
    await click(dialog.getByRole('button', { name: 'Send a test' }));
    // What is refused stands beside its field, in the words of the service.
    const saysOf = async (field: Locator) => {
      const id = (await field.getAttribute('aria-describedby'))?.split(' ').find((one) => /error/.test(one));
      return page.locator(`[id="${id}"]`).innerText();
    };
    await dialog.getByRole('alert').waitFor();
    expect(await saysOf(dialog.getByLabel(/^URL/))).toContain('must begin with https:// or');
    expect(await saysOf(token)).toContain('secrets.token: is missing');
    expect(await violations(page)).toEqual([]);
    clicks -= 1;

    receiver.requests.length = 0;
    receiver.answers = () => ({ status: 403, body: '{"text":"Invalid token","code":4}' });
    await dialog.getByLabel(/^URL/).fill(receiver.url);
    await token.fill('wrong');
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText('The receiver did not accept the test').waitFor();
    await dialog.getByText('Invalid token').waitFor();
    receiver.answers = () => ({ body: '{"text":"Success","code":0}' });
    await token.fill('right');
    await click(dialog.getByRole('button', { name: 'Send a test' }));
    await dialog.getByText('The receiver accepted the test.').waitFor();
    expect(tokens()).toEqual(['Splunk wrong', 'Splunk right']);
    await click(dialog.getByRole('button', { name: 'Save' }));
    await dialog.waitFor({ state: 'detached' });
    const card = page.getByRole('article', { name: 'splunk' });
    await card.getByText('active', { exact: true }).waitFor();
    expect(clicks).toBeLessThanOrEqual(6);

    await card.getByRole('button', { name: 'Change splunk' }).click();
    const change = page.getByRole('dialog', { name: 'Change splunk' });
    expect(await change.getByLabel(/^Token/).inputValue()).toBe('');
    await change.getByRole('button', { name: 'Which events, and how they are sent' }).click();
    await change.getByLabel(/^Index/).fill('audit');
    await change.getByLabel('Leave out empty fields').check();
    await change.getByRole('button', { name: 'Send a test' }).click();
    await change.getByText('The receiver accepted the test.').waitFor();
    expect(receiver.requests.at(-1)?.body.toString()).toContain('"index":"audit"');
    expect(tokens().at(-1)).toBe('Splunk right');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });
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
    await change.getByLabel(/^URL/).fill('http://127.0.0.1:9');
    await change.getByRole('button', { name: 'Send a test' }).click();
    await change.getByText('secrets must be given again').first().waitFor();
    await change.getByRole('button', { name: 'Cancel' }).click();

    await card.getByRole('button', { name: 'Remove splunk' }).click();
    await page.getByRole('dialog', { name: 'Remove splunk' }).getByRole('button', { name: 'Remove' }).click();
    await card.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('that are webhooks show the secret that signs once, when they are made', async () => {
    const { world } = opened.dashboard;
    receiver.answers = () => ({});
    const page = await opened.dashboard.signedIn(world.operatorKey, '/destinations');
    await page.getByRole('button', { name: 'New destination' }).click();
    const dialog = page.getByRole('dialog', { name: 'New destination' });
    await dialog.getByLabel('Tenant').selectOption({ label: 'Fabrikam' });
    await dialog.getByLabel(/^Name/).fill('hook');
    await dialog.getByLabel(/^URL/).fill(receiver.url);
    await dialog.getByLabel(/^Headers/).fill('Authorization: Bearer b1\nX-Team: blue');
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByTestId('new-key').innerText()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const card = page.getByRole('article', { name: 'hook' });
    await card.getByRole('button', { name: 'Test hook' }).click();
    await card.getByText('The test was accepted.').waitFor();
    expect(receiver.requests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer b1', 'x-team': 'blue' });
    await page.context().close();
  });
});
