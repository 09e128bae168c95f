import { ENGINES } from '../../support/engines';
import { World } from '../../support/world';

describe.each(ENGINES)('GET /audit-activity on %s', (engine) => {
  let world: World;
  beforeAll(async () => {
    world = await World.open(engine);
  });
  afterAll(() => world.close());

  it('hides events of another tenant', async () => {
    const acme = await world.tenant();
    const other = await world.tenant('Other');
    await other.audited({ actionId: 'SL' });
    const { status, body } = await acme.get('/audit-activity');
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], meta: { totalCount: 0, totalPages: 0 } });
  });
});
