import { describeOnPostgres } from '../support/engines';
import { casesOf, SEED } from '../support/share';
import { AgentProgram } from './support/agent-process';
import { type Schedule, scheduleOf } from './support/schedule';
import { ServiceHost } from './support/service-host';
import { Simulation } from './support/simulation';

/** How many schedules run at the same time against one service. */
const SIDE_BY_SIDE = 10;
const COUNT = casesOf(__filename);

describeOnPostgres('simulated SQL Servers, agents and a service, all of which fail', () => {
  let host: ServiceHost;
  let program: AgentProgram;
  beforeAll(async () => {
    program = await AgentProgram.build();
    host = await ServiceHost.open();
  });
  afterAll(async () => {
    program?.remove();
    await host?.close();
  });

  it(`store every record exactly once or report a gap, in ${COUNT} schedules from seed ${SEED} on`, async () => {
    const seeds = Array.from({ length: COUNT }, (_, i) => SEED + i);
    const failures: string[] = [];
    const waiting = seeds.values();
    const lane = async () => {
      for (const seed of waiting) {
        const schedule = scheduleOf(seed);
        const problems = await Simulation.run(schedule, host, program).catch((error) => [
          String(error?.stack),
        ]);
        if (problems.length > 0) failures.push(reportOf(schedule, problems));
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
    if (failures.length > 0) throw new Error(failures.join('\n\n'));
  }, 3_600_000);
});

function reportOf({ steps: _, ...settings }: Schedule, problems: readonly string[]): string {
  return [
    `TEST_SEED=${settings.seed} TEST_CASES=1 repeats it: ${JSON.stringify(settings)}`,
    ...problems.map((problem) => `  ${problem}`),
  ].join('\n');
}
