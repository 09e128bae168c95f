import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AgentWorld, databaseEntry, FILES_2022 } from './support/agent-world';
import { CompiledAgent } from './support/compiled-agent';

const isRoot = process.getuid?.() === 0;
/** Root checks as this user; any other user is locked out of their own files. */
const AS_USER = isRoot ? ['--user', 'nobody'] : [];

describe('audit-agent check, as the user that the service runs as', () => {
  let world: AgentWorld;
  let agent: CompiledAgent;
  beforeAll(() => {
    agent = new CompiledAgent();
  });
  afterAll(() => agent.remove());
  beforeEach(async () => {
    world = await AgentWorld.create();
    chmodSync(world.folder, 0o755);
    world.copy(FILES_2022);
    world.configure({}, { Databases: [databaseEntry('Payroll', 'audit/**/*.sqlaudit')] });
  });
  afterEach(() => world.close());
  const check = async (...args: readonly string[]) => {
    const { code, stdout } = await agent.run('check', '--config', world.configPath, ...args);
    return { code, text: stdout };
  };

  it('finds no problem if that user may read everything', async () => {
    expect(await check(...AS_USER)).toMatchObject({
      code: 0,
      text: expect.stringContaining('The agent can publish.'),
    });
  });

  it('names a file, its folder or a folder above if this user may not read it', async () => {
    const [older = '', newest = ''] = FILES_2022.map((path) => world.inAudit(path));
    chmodSync(older, 0);
    expect((await check(...AS_USER)).text).toMatch(/PROBLEM Payroll: 1 of the older files .*EACCES/);
    chmodSync(newest, 0);
    expect((await check(...AS_USER)).text).toMatch(/PROBLEM Payroll: the newest, .*EACCES/);
    const below = join(world.auditFolder, 'below');
    mkdirSync(below, { mode: 0 });
    expect((await check(...AS_USER)).text).toMatch(
      /PROBLEM Payroll: the folder .*below cannot be listed: EACCES/,
    );
    chmodSync(world.auditFolder, 0);
    const { code, text } = await check(...AS_USER);
    chmodSync(world.auditFolder, 0o755);
    expect(code).toBe(1);
    expect(text).toMatch(/PROBLEM Payroll: .*audit cannot be read: EACCES/);
  });

  (isRoot ? it : it.skip)('names a configuration that only root may read', async () => {
    chmodSync(world.configPath, 0o600);
    expect(await check(...AS_USER)).toMatchObject({
      code: 1,
      text: expect.stringMatching(/PROBLEM .*agent\.json: nobody cannot read it: EACCES/),
    });
  });

  it('notes that root may read everything, and refuses a user that does not exist', async () => {
    const { text } = await check();
    expect(/NOTE {4}the checks run as root, who may read every file: --user NAME/.test(text)).toBe(isRoot);
    expect(await check('--user', 'no-such-user')).toMatchObject({
      code: 1,
      text: expect.stringMatching(/PROBLEM the checks could not run as the user no-such-user/),
    });
  });
});
