import { zipOf } from '../../support/zip';
import { FILES_2022 } from '../support/agent-world';
import { auditFileName, withNewGuid } from '../support/audit-files';
import { CompiledAgent } from '../support/compiled-agent';
import { onLinux, peakOf } from '../support/peak-memory';
import { until } from '../support/until';
import { BucketWorld, keyOf } from './support/bucket-world';

const PREFIXES = 200;
const [MODEL = ''] = FILES_2022;
const RECORDS = 75;
const PEAK_BYTES_MAX = 150e6;

onLinux('a collector of 200 prefixes takes at most 150 MB, and warns of nothing', async () => {
  const world = await BucketWorld.create();
  const compiled = new CompiledAgent();
  const numbers = Array.from({ length: PREFIXES }, (_, i) => i);
  for (const n of numbers) {
    const key = keyOf(n, { folder: `rds/instance-${n}/Audit1` });
    const bytes = withNewGuid(MODEL);
    if (n % 2 === 0) await world.store.put(key, bytes);
    else await world.store.put(`${key}.zip`, await zipOf([[auditFileName(n), bytes]]));
  }
  const databaseOf = (n: number) => ({
    Name: `instance-${n}`,
    AuditSource: { Type: 'S3', S3: world.settings({ Prefix: `rds/instance-${n}/`, ListIntervalMs: 500 }) },
  });
  world.agents.configure({}, { PollIntervalMs: 200, Databases: numbers.map(databaseOf) });
  const agent = compiled.start(['run', '--config', world.agents.configPath]);
  try {
    await until('all published', () => world.agents.service.stored.size === RECORDS * PREFIXES, 200_000);
    expect(peakOf(agent.child.pid ?? 0)).toBeLessThan(PEAK_BYTES_MAX);
  } finally {
    agent.child.kill('SIGTERM');
    const { stderr } = await agent.ended;
    expect(stderr).not.toContain('Warning');
    compiled.remove();
    await world.close();
  }
});
