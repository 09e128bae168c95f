import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { main, missingPackages } from '../installer/build/tools.mjs';
import { temporaryFolder } from '../test/installer/support/temporary-folder.mjs';
import { setup } from './setup.mjs';

const HOW_TO_RUN =
  'To run it, as root on Debian: apt-get install -y --no-install-recommends ' +
  'wixl msitools gcc-mingw-w64-x86-64 mmdebstrap && npm run test:installer';
const PARTS = { windows: testWindows, debian: testDebian, service: testService };
const say = (line) => process.stdout.write(`${line}\n`);

// `npm run test:installer [-- windows|debian|service]`: installs the packages, with agents that publish to a real service.
await main(async () => {
  await setup({ quiet: true });
  const chosen = process.argv.slice(2).filter((name) => Object.hasOwn(PARTS, name));
  const folder = await temporaryFolder('installer-test-');
  const { RealService } = await import('../test/installer/support/real-service.mjs');
  const service = await RealService.start(join(folder, 'service'));
  try {
    const verdicts = [];
    for (const name of chosen.length > 0 ? chosen : Object.keys(PARTS)) {
      verdicts.push(await PARTS[name](join(folder, name), service));
    }
    if (verdicts.includes('failed')) process.exitCode = 1;
    if (verdicts.includes('skipped') && process.env.CI === 'true') process.exitCode = 1;
  } finally {
    await service.stop();
  }
});

async function testWindows(folder, service) {
  const { buildMsi, MSI_PACKAGES } = await import('../installer/build/msi.mjs');
  const { findWine, WineSystem } = await import('../test/installer/wine/wine-system.mjs');
  const { WindowsWorld } = await import('../test/installer/wine/windows-world.mjs');
  const { SCENARIOS } = await import('../test/installer/wine/scenarios.mjs');
  const missing = missingPackages(MSI_PACKAGES);
  const wine = missing.length > 0 ? { reason: `missing: ${missing.join(', ')}` } : await findWine();
  if (wine.reason) return skipped('the Windows package under Wine', wine.reason);
  const packages = await buildPackages(buildMsi, folder, wine.nodeVersion);
  const tenant = await service.tenant('Contoso');
  const world = new WindowsWorld(await WineSystem.start(wine), service, tenant, packages, wine.hasExitCodes);
  return runScenarios(`The Windows package under ${wine.title}`, world, SCENARIOS);
}

async function testDebian(folder, service) {
  const { buildDeb } = await import('../installer/build/deb.mjs');
  const { DEB_PACKAGES } = await import('../installer/build/debian-package.mjs');
  const { findDebian, Shell, SUITE } = await import('../test/installer/support/debian-system.mjs');
  const { DebianWorld, SCENARIOS } = await import('../test/installer/debian/scenarios.mjs');
  const missing = missingPackages(DEB_PACKAGES);
  const debian = missing.length > 0 ? { reason: `missing: ${missing.join(', ')}` } : await findDebian();
  if (debian.reason) return skipped('the Debian package', debian.reason);
  const deb = await buildDeb({ out: folder, compression: 'none' });
  const shell = await Shell.start(debian.root);
  const world = new DebianWorld(shell, service, await service.tenant('Fabrikam'), deb);
  return runScenarios(`The Debian package in Debian ${SUITE}`, world, SCENARIOS);
}

async function testService(folder) {
  const { buildServiceDeb } = await import('../installer/build/service-deb.mjs');
  const { DEB_PACKAGES } = await import('../installer/build/debian-package.mjs');
  const { VERSION } = await import('../installer/build/paths.mjs');
  const { findDebian, Shell, SUITE } = await import('../test/installer/support/debian-system.mjs');
  const { ServiceWorld, SERVICE_SCENARIOS } = await import('../test/installer/debian/service-scenarios.mjs');
  const missing = missingPackages(DEB_PACKAGES);
  const debian = missing.length > 0 ? { reason: `missing: ${missing.join(', ')}` } : await findDebian();
  if (debian.reason) return skipped("the service's Debian package", debian.reason);
  const deb = await buildServiceDeb({ out: folder, compression: 'none' });
  const port = 12_000 + Math.floor(Math.random() * 8_000);
  const world = new ServiceWorld(await Shell.start(debian.root), deb, VERSION, port);
  return runScenarios(`The service's Debian package in Debian ${SUITE}`, world, SERVICE_SCENARIOS);
}

function skipped(what, reason) {
  say(`SKIPPED the installation of ${what}: ${reason}.\n${HOW_TO_RUN}`);
  return 'skipped';
}

/** The package as it ships, a newer package, and a third, newest one whose agent ends at once. */
async function buildPackages(buildMsi, folder, nodeVersion) {
  const { bundleAgent } = await import('../installer/build/bundle.mjs');
  const { VERSION } = await import('../installer/build/paths.mjs');
  const [major, minor, patch] = VERSION.split('.').map(Number);
  const later = (by) => `${major}.${minor}.${patch + by}`;
  const build = (name, version, bundle = bundleAgent) =>
    buildMsi({ version, nodeVersion, bundle, out: join(folder, name) });
  const bundleBroken = async (outfile) => {
    const licenses = await bundleAgent(outfile);
    const end =
      "if (process.argv[2] === 'run') { console.error('this agent cannot start'); process.exit(3); }";
    await writeFile(outfile, `${end}\n${await readFile(outfile, 'utf8')}`);
    return licenses;
  };
  return {
    first: await build('first', VERSION),
    second: await build('second', later(1)),
    broken: await build('broken', later(2), bundleBroken),
  };
}

/** Runs the scenarios until one fails, since each begins with the result of the one before. */
async function runScenarios(title, world, scenarios) {
  say(`${title}:`);
  try {
    await world.addPackages();
    for (const { name, run } of scenarios) {
      const start = Date.now();
      try {
        await run(world);
      } catch (error) {
        const evidence = (await world.evidence()).replaceAll(world.tenant?.agentKey ?? '-', '<key>');
        say(`FAILED  ${name}\n${error.stack}\n${evidence}`);
        return 'failed';
      }
      say(`ok      ${((Date.now() - start) / 1000).toFixed(1).padStart(5)} s  ${name}`);
    }
    return 'passed';
  } finally {
    await world.close();
  }
}
