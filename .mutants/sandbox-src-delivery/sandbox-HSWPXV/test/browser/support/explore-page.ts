import type { Locator, Page } from 'playwright-core';
import { until } from '../../support/until';

const OPENS_MS = 5_000;

/** The page Explore as its reader sees and uses it. */
export class ExplorePage {
  constructor(readonly page: Page) {}

  get events(): Locator {
    return this.page.getByRole('region', { name: 'Events', exact: true });
  }

  /** Waits until the page shows this number of matching events. */
  async count(n: number): Promise<void> {
    await this.page.getByText(n === 1 ? '1 event' : `${n} events`, { exact: true }).waitFor();
  }

  async showAllTime(): Promise<void> {
    await this.page.getByRole('button', { name: 'Show all time' }).click();
  }

  get box(): Locator {
    return this.page.getByRole('combobox', { name: 'Filter the events' });
  }

  async search(filter: string): Promise<void> {
    await this.box.fill(filter);
    await this.box.press('Enter');
  }

  /** The checkbox of a value. */
  facet(name: string | RegExp): Locator {
    return this.page.getByRole('region', { name: 'Counts by field' }).getByRole('checkbox', { name });
  }

  /** The button that excludes a value. */
  exclude(field: string, value: string): Locator {
    return this.page
      .getByRole('region', { name: 'Counts by field' })
      .getByRole('button', { name: `Exclude ${field} ${value}`, exact: true });
  }

  /** How many events a value has, as its row says. */
  async countOf(facet: Locator): Promise<number> {
    const label = await facet.locator('..').innerText();
    return Number(label.replaceAll(',', '').match(/\d+$/)?.[0]);
  }

  /** The button in the heading of a column. */
  heading(title: string): Locator {
    return this.events.getByRole('button', { name: `Sort by ${title}` });
  }

  /** The texts of a column, from the top, as soon as `wanted` accepts them. */
  async column(title: string, wanted: (cells: string[]) => boolean = (cells) => cells.length > 0) {
    const cells = async () => {
      const titles = await this.events.locator('thead th').allInnerTexts();
      const index = titles.findIndex((text) => text.trim() === title);
      return index < 0 ? [] : this.events.locator(`tbody tr td:nth-child(${index + 1})`).allInnerTexts();
    };
    return until(cells, wanted);
  }

  /** Opens the event in a row, counted from 0, by keyboard. It tries again if a new answer replaced the row. */
  async open(row: number): Promise<Locator> {
    const drawer = this.page.getByRole('dialog', { name: 'Audit event' });
    const isOpen = () =>
      drawer
        .getByText('Record id')
        .waitFor({ timeout: OPENS_MS })
        .then(
          () => true,
          () => false,
        );
    await until(
      async () => {
        await this.events.locator('tbody tr').nth(row).getByRole('link').first().press('Enter');
        return isOpen();
      },
      (isThere) => isThere,
    );
    return drawer;
  }

  /** The value of a field in the drawer. */
  async field(drawer: Locator, name: string): Promise<string> {
    return (await drawer.getByRole('row', { name }).first().getByRole('cell').innerText()).trim();
  }
}
