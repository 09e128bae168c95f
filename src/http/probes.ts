import { Router } from 'express';
import { PROBE_STATUS, type Probe } from './health';

/**
 * For whoever runs the service. `/livez`: the process answers; restart it when it does not. `/readyz`: it can answer
 * requests; send it none when it says no: while it stops, or without its database.
 */
export function createProbes(isReady: () => Promise<boolean>): Router {
  const router = Router({ caseSensitive: true });
  const probe = (path: string, ask: () => Promise<Probe>) =>
    router.get(path, async (_request, response) => {
      const said = await ask();
      response.set('Cache-Control', 'no-store').status(PROBE_STATUS[said]).type('text/plain').send(said);
    });
  probe('/livez', async () => 'live');
  probe('/readyz', async () => ((await isReady()) ? 'ready' : 'not ready'));
  return router;
}
