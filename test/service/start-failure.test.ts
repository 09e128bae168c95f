import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { startFailureText } from '../../src/start-failure';

const failureAt = async (host: string, port: number): Promise<unknown> => {
  const [error] = await once(createServer().listen(port, host), 'error').catch((thrown) => [thrown]);
  return error;
};

describe('a service that cannot listen says which setting helps', () => {
  it('if the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(startFailureText(await failureAt('127.0.0.1', port))).toBe(
      `another program, or this service already, listens at 127.0.0.1 port ${port}: set PORT or METRICS_PORT.`,
    );
    other.close();
  });

  it('if the address is not one of this host, or cannot be resolved', async () => {
    expect(startFailureText(await failureAt('192.0.2.1', 8080))).toBe(
      '192.0.2.1 port 8080 is no address of this host: set HOST or METRICS_HOST.',
    );
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND no.invalid'), {
      code: 'ENOTFOUND',
      syscall: 'getaddrinfo',
      hostname: 'no.invalid',
    });
    expect(startFailureText(error)).toContain('no.invalid is neither an address nor the name of one');
  });

  it('and does not change other failures', () => {
    expect(startFailureText(new Error('something else'))).toBe('something else');
    expect(startFailureText('text')).toBe('text');
  });
});
