import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { CompiledAgent } from '../agent/support/compiled-agent';
import { ENGINES } from '../support/engines';
import { World } from '../support/world';
import { violationsInThemes } from './support/axe';
import { launchBrowser, PATIENCE_MS } from './support/browser';
import { signIn } from './support/dashboard';

const SAMPLES = path.resolve(__dirname, '../fixtures/sqlaudit/schema-2022/*.sqlaudit');

describe('the first run', () => {
  let world: World;
  let browser: Browser;
  let agent: CompiledAgent;
  let folder: string;
  beforeAll(async () => {
    world = await World.open(ENGINES.at(-1));
    browser = await launchBrowser();
    agent = new CompiledAgent();
    folder = await mkdtemp(path.join(os.tmpdir(), 'first-run-'));
  });
  afterAll(async () => {
    await browser.close();
    await world.close();
    agent.remove();
    await rm(folder, { recursive: true });
  });

  it('leads from the file of the first key to the first event', async () => {
    const context = await browser.newContext({ acceptDownloads: true });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`${world.service.url}/dashboard`);
    const file = (await page.getByText('This service is new.').locator('code').innerText()).trim();
    const operatorKey = (await readFile(file, 'utf8')).trim();
    expect(await page.content()).not.toContain(operatorKey);
    await signIn(page, operatorKey);

    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('It needs a tenant first.').first().waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    await steps.getByLabel('Name of the tenant').fill('Contoso');
    await steps.getByRole('button', { name: 'Make the tenant', exact: true }).click();
    await steps.getByText('Waiting for the first report').waitFor();
    expect(await (await fetch(`${world.service.url}/dashboard/api/sign-in`)).json()).toEqual({
      key: true,
      openId: false,
    });

    // The commands and the whole configuration, for both systems; a token for many hosts.
    await steps.getByText('Linux', { exact: true }).click();
    await steps.getByLabel('Audit files').fill(SAMPLES);
    await steps.getByLabel('Name of the source').fill('Payroll');
    await steps.getByText('Many hosts', { exact: true }).click();
    await steps.getByRole('button', { name: /^Make a token/ }).click();
    const config = steps.getByRole('region', { name: 'Configuration of the agent' });
    expect(JSON.parse(await config.innerText())).toMatchObject({
      CentralApi: { BaseUrl: world.service.url, EnrollToken: expect.stringMatching(/^aae_/) },
      EventHubPublisher: { Databases: [{ Name: '%COMPUTERNAME% Payroll' }] },
    });
    await steps.getByText('One host', { exact: true }).click();
    await steps.getByRole('button', { name: 'Make the key of the agent' }).click();
    const commands = steps.getByRole('region', { name: 'Commands' });
    expect(await commands.innerText()).toContain('systemctl enable --now audit-agent');
    const download = page.waitForEvent('download');
    await steps.getByRole('button', { name: 'Save as agent.json' }).click();
    const saved = path.join(folder, 'agent.json');
    await (await download).saveAs(saved);
    const text = await readFile(saved, 'utf8');
    expect(JSON.parse(text)).toEqual({
      CentralApi: {
        BaseUrl: world.service.url,
        ApiKey: expect.stringMatching(/^aag_/),
        TenantId: expect.any(String),
      },
      EventHubPublisher: {
        Databases: [
          {
            Name: 'Payroll',
            AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath: SAMPLES } },
          },
        ],
      },
    });
    expect(await violationsInThemes(page)).toEqual([]);
    expect((await agent.run('check', '--config', saved)).code).toBe(0);
    expect((await agent.run('run', '--once', '--config', saved)).code).toBe(0);
    // It sees the report by itself.
    await steps.getByText(/^Received .*, Payroll: 150 events/).waitFor();
    await steps.getByText('Agent, done').waitFor();

    await steps.getByRole('button', { name: 'Make the tenant Sample and its command' }).click();
    const command = await steps.getByRole('region', { name: /^Command for sample data/ }).innerText();
    const [, sample = ''] = /<<'JSON'\n(.*)\nJSON\n/s.exec(command) ?? [];
    const root = path.resolve(__dirname, '../..');
    const where = path.join(folder, 'sample-agent.json');
    await writeFile(where, sample.replace('"test/', `"${root}/test/`));
    expect((await agent.run('run', '--once', '--config', where)).code).toBe(0);
    await steps.getByText(/, Samples: 150 events/).waitFor();

    await steps.getByRole('button', { name: 'Make a key of an analyst' }).click();
    const analystKey = (await page.getByTestId('new-key').innerText()).trim();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await steps.getByText('Key of an analyst, done').waitFor();
    // Whoever comes back finds the sources, and no checklist.
    await page.reload();
    await page.getByRole('button', { name: 'New agent' }).waitFor();
    expect(await steps.count()).toBe(0);

    const analyst = await (await browser.newContext()).newPage();
    analyst.setDefaultTimeout(PATIENCE_MS);
    await analyst.goto(`${world.service.url}/dashboard/explore?range=all`);
    await signIn(analyst, analystKey);
    await analyst.getByText('300 events', { exact: true }).waitFor();
  });
});
