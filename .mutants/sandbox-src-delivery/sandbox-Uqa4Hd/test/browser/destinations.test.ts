import { createDestination, LOCAL, untilShown } from '../destinations/support/destinations';
import { Receiver } from '../destinations/support/receiver';
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
});
