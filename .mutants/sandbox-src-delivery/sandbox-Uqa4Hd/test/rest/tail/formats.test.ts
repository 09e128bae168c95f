import { ONE_ENGINE } from '../../support/engines';
import { anEvent } from '../../support/events';
import { QUICK_LOG, useLimits } from '../../support/use-limits';
import { useWorld } from '../../support/use-world';
import { linesOf } from '../export/support';
import { expectError } from '../support/operations';
import { drain, idsOf, PATH, sequenced } from './support';

describe.each(ONE_ENGINE)('events in the schemas OCSF and ECS on %s', (engine) => {
  useLimits(QUICK_LOG);
  const open = useWorld(engine);
  const filled = async () => {
    const acme = await open.world.tenant();
    await acme.ingest(['LGIS', 'SL', 'CR'].map((actionId) => anEvent({ actionId })));
    await sequenced(acme, 3);
    return acme;
  };

  it('are available in the tail, each with its position in the evidence log', async () => {
    const acme = await filled();
    const ids = idsOf((await drain(acme, { from: 'beginning' })).items);
    const ocsf = (await drain(acme, { from: 'beginning', format: 'ocsf' })).items;
    expect(ocsf.map(({ metadata }) => metadata.uid)).toEqual(ids);
    expect(ocsf.map(({ metadata }) => metadata.sequence)).toEqual([0, 1, 2]);
    const ecs = (await drain(acme, { from: 'beginning', format: 'ecs' })).items;
    expect(ecs.map(({ event }) => [event.id, event.sequence])).toEqual(ids.map((id, i) => [id, i]));
  });

  it('can be chosen anew with each call, because a cursor holds a position and no schema', async () => {
    const acme = await filled();
    const { body } = await acme.get(PATH, { from: 'beginning', limit: 1 });
    const next = await acme.get(PATH, { cursor: body.meta.nextCursor, format: 'ocsf' });
    expect(next.body.data).toHaveLength(2);
  });

  it('are available in the export as lines of JSON, but not as CSV', async () => {
    const acme = await filled();
    const lines = linesOf(await acme.get('/audit-activity/export', { schema: 'ocsf' }));
    expect(lines.map(({ class_uid }) => class_uid).sort()).toEqual([3002, 3004, 6005]);
    expect(linesOf(await acme.get('/audit-activity/export', { schema: 'ecs', end: 1 })).at(-1)).toEqual({
      end: { count: 3 },
    });
    expectError(
      await acme.get('/audit-activity/export', { schema: 'ecs', format: 'csv' }),
      400,
      'invalid_parameter',
    );
  });
});
