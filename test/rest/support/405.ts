import { ONE_ENGINE } from '../../support/engines';
import { until } from '../../support/until';
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
      const lengthOf = ({ headers }: { readonly headers: Headers }) => headers.get('Content-Length');
      // A call of the tail that gets no turn in time has fewer events, as on a busy machine.
      const { head } = await until(
        async () => ({ head: await call('HEAD'), get: await call('GET') }),
        ({ head, get }) => get.status === 200 && lengthOf(head) === lengthOf(get),
      );
      expect(head).toMatchObject({ status: 200, text: '' });
    });

    it('changes nothing', async () => {
      await call('DELETE');
      expect((await call('GET')).status).toBe(200);
    });
  });
}
