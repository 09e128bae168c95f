import { createRequest, gql as parsed } from 'urql';
import { gql } from '../../dashboard/src/api/document';

describe('an operation of the page', () => {
  it('is parsed when it is first asked', () => {
    const broken = gql`query Broken {`;
    expect(() => broken.definitions).toThrow(/Syntax Error/i);
  });

  it('is the one that urql makes of the same text, with its fragments', () => {
    const fragment = gql`fragment Named on Tenant { name }`;
    const lazy = gql`query Tenants { tenants { ...Named } } ${fragment as never}`;
    const whole = parsed`query Tenants { tenants { ...Named } } ${parsed`fragment Named on Tenant { name }`}`;
    const [asked, wanted] = [lazy, whole].map((query) => createRequest(query as never, {}));
    expect(asked?.key).toBe(wanted?.key);
    expect(asked?.query).toBe(wanted?.query);
    expect(createRequest(lazy as never, {}).query).toBe(asked?.query);
  });
});
