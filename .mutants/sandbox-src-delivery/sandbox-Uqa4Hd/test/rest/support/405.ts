import { ONE_ENGINE } from '../../support/engines';
import { useSharedWorld } from '../../support/use-world';
import { expectError, newestRecord, type Operation } from './operations';

export function refusesOtherMethods(operation: Operation): void {
  describe.each(ONE_ENGINE)(`405 of ${operation.title} on %s`, (engine) => {
    const at = useSharedWorld(engine);
    let recordId: string;
    let key: string;
    beforeAll(async () => {
      const acme = await at.world.tenant();
      await acme.audited();
      recordId = await newestRecord(acme);
      key = acme.key;
    });
    const call = (method: string) => at.world.get(operation.path(recordId), key, { method });

    it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
      '%s, with the allowed methods in a header',
      async (method) => {
        const answer = await call(method);
        expectError(answer, 405, 'method_not_allowed');
        expect(answer.headers.get('Allow')?.split(/, */)).toEqual(['GET', 'HEAD']);
      },
    );

    it('not HEAD, which is answered like GET but without a body', async () => {
      const [head, get] = [await call('HEAD'), await call('GET')];
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'));
    });

    it('changes nothing', async () => {
      await call('DELETE');
      expect((await call('GET')).status).toBe(200);
    });
  });
}
