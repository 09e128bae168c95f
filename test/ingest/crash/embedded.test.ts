import { casesOf, SEED } from '../../support/share';
import { crash } from './support/crash';
import { EmbeddedSite } from './support/site';

const KILLS = casesOf(__filename);
const LOOKS = 2;

it(`the embedded engine keeps every acknowledged event when it is killed at any moment (TEST_SEED=${SEED})`, async () => {
  const site = await EmbeddedSite.open();
  try {
    const { problems, killed } = await crash(site, { seed: SEED, kills: KILLS, looks: LOOKS });
    expect(problems).toEqual([]);
    expect(killed).toEqual({ 'a service': KILLS * LOOKS });
  } finally {
    await site.close();
  }
}, 600_000);
