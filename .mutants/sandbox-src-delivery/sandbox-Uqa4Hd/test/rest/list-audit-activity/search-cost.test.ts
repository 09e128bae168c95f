import { describeOnPostgres } from '../../support/engines';
import { anEvent } from '../../support/events';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';

const BATCHES = 3;
const EVENTS = 20;
const STATEMENT = `z${'x'.repeat(300_000)}`;
const RUN = 'x'.repeat(500);

/** Needs PostgreSQL, which cancels a statement that takes too long. */
describeOnPostgres(
  'a search for a part of a word that almost matches at each character of long words',
  () => {
    const open = useWorld('postgresql');
    let acme: TestTenant;
    beforeAll(async () => {
      acme = await open.world.tenant();
      for (let batch = 0; batch < BATCHES; batch++)
        await acme.ingest(Array.from({ length: EVENTS }, () => anEvent({ statement: STATEMENT })));
    });

    it.each([
      ['phrase', `"y${RUN}"`, `zy${RUN}z`],
      ['beginning of a word', `${RUN}*`, `z ${RUN}z`],
    ])('finds a %s in the time that a search may take', async (_, search, statement) => {
      const { eventTime } = await acme.audited({ statement });
      const { status, body } = await acme.get('/audit-activity', { search });
      expect([status, body.meta?.totalCount, body.data?.[0]?.eventTime]).toEqual([200, 1, eventTime]);
    });
  },
);
