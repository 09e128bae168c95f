import { describeOnPostgres } from '../support/engines';
import { useScene } from '../support/hostile/under-attack';

const LATE_MS = 4_000;

describeOnPostgres('the honest neighbour', () => {
  const at = useScene();

  it('has no problem with a service that nobody attacks', () => at.underAttack(({ rounds }) => rounds(2)));

  it('notices a service that stops for longer than a call may take', async () => {
    const stopped = at.underAttack(async ({ service: { process } }) => {
      process.kill('SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
      process.kill('SIGCONT');
    });
    await expect(stopped).rejects.toThrow(/answered after/);
  });

  it('notices a process that has died', async () => {
    const killed = at.underAttack(async ({ service }) => void (await service.stop('SIGKILL')));
    await expect(killed).rejects.toThrow(/"isAlive": false/);
  });
});
