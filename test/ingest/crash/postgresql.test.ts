import { describeOnPostgres } from '../../support/engines';
import { casesOf, SEED } from '../../support/share';
import { crash } from './support/crash';
import { PostgresSite } from './support/site';

const KILLS = casesOf(__filename);
const LOOKS = 3;

describeOnPostgres('services, PostgreSQL and Redis that are killed at any moment', () => {
  let site: PostgresSite;
  beforeAll(async () => {
    site = await PostgresSite.open();
  }, 300_000);
  afterAll(() => site?.close());

  it(`keep every acknowledged event, and recover by themselves (TEST_SEED=${SEED})`, async () => {
    const { problems, killed } = await crash(site, { seed: SEED, kills: KILLS, looks: LOOKS });
    expect(problems).toEqual([]);
    expect(Object.values(killed).reduce((sum, count) => sum + count)).toBe(KILLS * LOOKS);
  }, 900_000);
});
