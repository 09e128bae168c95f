import { describeOnPostgres } from '../support/engines';
import { crash } from './support/crash';
import { PostgresSite } from './support/site';

const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 1_000_000_000));
const KILLS = Number(process.env.CRASH_KILLS ?? 30);
const LOOKS = 3;

describeOnPostgres('services, PostgreSQL and Redis, killed at any moment', () => {
  let site: PostgresSite;
  beforeAll(async () => {
    site = await PostgresSite.open();
  }, 120_000);
  afterAll(() => site?.close());

  it(`keep what was acknowledged, and come back by themselves (CRASH_SEED=${SEED})`, async () => {
    const { problems, killed } = await crash(site, { seed: SEED, kills: KILLS, looks: LOOKS });
    expect(problems).toEqual([]);
    expect(Object.values(killed).reduce((sum, count) => sum + count)).toBe(KILLS * LOOKS);
  }, 900_000);
});
