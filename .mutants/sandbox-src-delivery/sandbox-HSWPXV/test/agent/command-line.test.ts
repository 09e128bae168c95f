import { CommanderError } from 'commander';
import { agentProgram } from '../../agent/cli/program';
import { AGENT_VERSION } from '../../agent/version';

describe('the command line of the agent', () => {
  afterEach(() => jest.restoreAllMocks());

  it('states its version', async () => {
    let out = '';
    const program = agentProgram(() => {}).configureOutput({
      writeOut: (text) => {
        out += text;
      },
    });
    const ended = await program.parseAsync(['node', 'audit-agent', '--version']).catch((error) => error);
    expect(ended).toBeInstanceOf(CommanderError);
    expect([ended.exitCode, out]).toEqual([0, `${AGENT_VERSION}\n`]);
  });

  it.each([
    { args: ['--config', '/none/agent.json'], code: 'failed', named: '/none/agent.json', exitCode: 2 },
    { args: ['--confg', '/none/agent.json'], code: 'usage', named: "'--config <file>'", exitCode: 1 },
    { args: ['--config', 'x', '--nonsense'], code: 'usage', named: "'--nonsense'", exitCode: 1 },
  ])('prints problems as JSON with --json: $code, $named', async ({ args, code, named, exitCode }) => {
    let err = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += text;
      return true;
    });
    const codes: number[] = [];
    await agentProgram((ended) => void codes.push(ended), true)
      .parseAsync(['node', 'audit-agent', 'status', ...args, '--json'])
      .catch((error) => codes.push(error.exitCode));
    expect(codes).toEqual([exitCode]);
    const lines = err.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { error: { code, message: expect.stringContaining(named) } },
    ]);
  });
});
