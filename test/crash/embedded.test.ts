import { crash } from './support/crash';
import { EmbeddedSite } from './support/site';

const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 1_000_000_000));
const KILLS = Number(process.env.CRASH_KILLS ?? 6);
const LOOKS = 2;

it(`the embedded engine keeps what was acknowledged, killed at any moment (CRASH_SEED=${SEED})`, async () => {
  const site = await EmbeddedSite.open();
  try {
    const { problems, killed } = await crash(site, { seed: SEED, kills: KILLS, looks: LOOKS });
    expect(problems).toEqual([]);
    expect(killed).toEqual({ 'a service': KILLS * LOOKS });
  } finally {
    await site.close();
  }
}, 600_000);
