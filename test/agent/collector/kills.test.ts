import { mkdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { Random } from '../../simulation/support/random';
import { casesOf, SEED } from '../../support/share';
import { zipOf } from '../../support/zip';
import { FILES_2017, FILES_2022 } from '../support/agent-world';
import { makeAuditFiles, keyOf as naturalKey, recordsOf } from '../support/audit-files';
import { CompiledAgent } from '../support/compiled-agent';
import { until } from '../support/until';
import { BucketWorld, bytesOf, FOLDER } from './support/bucket-world';
import { refuse } from './support/s3-stand-in';

const KILLS = casesOf(__filename);
const FILES_PER_ROUND = 2;
const TIMEOUT_MS = 120_000 + KILLS * 20_000;

describe('a collector that is killed while its store fails now and then', () => {
  let world: BucketWorld;
  let compiled: CompiledAgent;
  beforeEach(async () => {
    world = await BucketWorld.create();
    compiled = new CompiledAgent();
  });
  afterEach(async () => {
    compiled.remove();
    await world.close();
  });

  it(
    'loses nothing, doubles nothing and claims no gap',
    async () => {
      const random = new Random(SEED);
      const { service } = world.agents;
      const rounds = KILLS + 1;
      const nodes = [1, 2].map((node) => {
        const folder = join(world.agents.folder, `node${node}`);
        mkdirSync(folder);
        return makeAuditFiles(folder, [...FILES_2022, ...FILES_2017], rounds * FILES_PER_ROUND);
      });
      const upload = async (node: number, path: string) => {
        const key = `${FOLDER}/node${node}_${basename(path)}`;
        const bytes = bytesOf(path);
        if (random.chance(0.5)) await world.store.put(key, bytes);
        else await world.store.put(`${key}.zip`, await zipOf([[basename(path), bytes]]));
      };
      world.store.fault = (_, response) => random.chance(0.05) && fail(response, random.whole(0, 3));
      world.agents.configure({}, { ...publisherOf(world), BatchMaxEvents: 15 });
      for (let round = 0; round < rounds; round++) {
        for (const [i, files] of nodes.entries()) {
          const next = files.slice(round * FILES_PER_ROUND, (round + 1) * FILES_PER_ROUND);
          // The younger one comes first, and the other one twice.
          for (const path of [...next.toReversed(), ...next.slice(0, 1)]) await upload(i + 1, path);
        }
        if (round === KILLS) break;
        const agent = compiled.start(['run', '--config', world.agents.configPath]);
        const sent = service.requests.length + random.whole(0, 6);
        const asked = world.store.requests.length;
        const isWorking = () => service.requests.length >= sent && world.store.requests.length > asked;
        await until('some work', isWorking);
        await new Promise((resolve) => setTimeout(resolve, random.whole(0, 15)));
        agent.child.kill('SIGKILL');
        await agent.ended;
      }
      const last = await compiled.run('run', '--config', world.agents.configPath, '--once');
      expect(last).toMatchObject({ code: 0 });
      const withoutPlace = ([key, record]: readonly [string, object]) =>
        [key, { ...record, file: '', sourceType: '' }] as const;
      const stored = new Map([...service.stored].map(withoutPlace));
      const all = (await Promise.all(nodes.map(recordsOf))).flatMap((records) => [...records.values()]);
      expect(stored).toEqual(new Map(all.map((record) => withoutPlace([naturalKey(record), record]))));
      expect(service.mistakes).toEqual([]);
      expect(world.gaps).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

/** An answer that is no answer: refused for the moment, cut off before or within its body. */
function fail(response: ServerResponse, kind: number): boolean {
  if (kind === 0) refuse(response, 503, 'SlowDown');
  else if (kind === 1) refuse(response, 500, 'InternalError');
  else if (kind === 2) response.destroy();
  else {
    response.writeHead(200, { 'content-length': 10_000 }).write('<?xml version="1.0"?>');
    setImmediate(() => response.destroy());
  }
  return true;
}

function publisherOf(world: BucketWorld): object {
  return { Databases: [{ Name: 'Payroll', AuditSource: { Type: 'S3', S3: world.settings() } }] };
}
