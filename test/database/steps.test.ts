import type { ServiceSteps, Step } from '../../src/database/clients';
import { oneTenant } from '../../src/tenant-set';
import { describeOnPostgres } from '../support/engines';
import { Store } from '../support/store';

/** A tenant without events. */
const NONE = oneTenant(2_147_483_647);

describeOnPostgres('statements of one transaction', () => {
  let store: Store;
  let steps: ServiceSteps;
  beforeAll(async () => {
    store = await Store.open('postgresql');
    steps = store.database.service.steps;
    await store.insert(store.checked([{}]));
  });
  afterAll(() => store.close());
  const connection = () => steps(NONE, async (step) => (await step('SELECT pg_backend_pid() AS pid', []))[0]);
  const seen = () =>
    steps(NONE, async (step) => (await step('SELECT record_id FROM audit_event', [])).length);

  /** Ends the connection as the owner, since the service's role may not end connections. */
  const loseIt = async (step: Step) => {
    const [own] = await step('SELECT pg_backend_pid() AS pid', []);
    await store.query(`SELECT pg_terminate_backend(${own?.pid})`);
    return step('SELECT 1', []);
  };

  it('keep their connection when a statement is refused, and the next transaction sees none of their tenants', async () => {
    const before = await connection();
    const refused = steps(oneTenant(store.tenantId), (step) => step('SELECT 1 / 0 FROM audit_event', []));
    await expect(refused).rejects.toThrow('division by zero');
    expect(await connection()).toEqual(before);
    expect(await seen()).toBe(0);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['it is lost', () => steps(NONE, loseIt)],
    ['their caller gives up', () => steps(NONE, () => Promise.reject(new Error('given up')))],
  ])('close their connection when %s', async (_, fail) => {
    const before = await connection();
    await expect(fail()).rejects.toThrow();
    expect(await connection()).not.toEqual(before);
  });

  it.each([
    ['succeeded', () => Promise.resolve()],
    ['failed', () => Promise.reject(new Error('given up'))],
  ])('refuse a step that comes after they have %s', async (_, end) => {
    let late: () => Promise<unknown> = () => Promise.resolve();
    await steps(oneTenant(store.tenantId), (step) => {
      late = () => step('SELECT 1', []);
      return end();
    }).catch(() => {});
    await expect(late()).rejects.toThrow('after the end of its transaction');
  });
});
