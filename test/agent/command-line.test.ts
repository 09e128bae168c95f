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

  it('prints problems as JSON with --json', async () => {
    let err = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += text;
      return true;
    });
    const codes: number[] = [];
    const args = ['node', 'audit-agent', 'status', '--config', '/none/agent.json', '--json'];
    await agentProgram((code) => void codes.push(code)).parseAsync(args);
    expect(codes).toEqual([2]);
    expect(
      err
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ error: { code: 'failed', message: expect.stringContaining('/none/agent.json') } }]);
  });
});
