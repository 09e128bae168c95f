import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { boundEachAddress } from '../../src/http/connections';
import { until } from '../support/until';

const PROXY = '127.0.0.9';

describe('connections of one address', () => {
  let server: Server;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    server = createServer((_, response) => response.end('answered'));
    boundEachAddress(server, { each: 3, all: 100 }, (address) => address === PROXY);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
    server.closeAllConnections();
  });

  /** @returns the socket, and whether an answer came before the connection was closed */
  const ask = async (localAddress: string) => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const data = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return { socket, isAnswered: Buffer.isBuffer(data[0]) };
  };
  const answers = async (address: string, count: number) => {
    const all: boolean[] = [];
    for (let n = 0; n < count; n++) all.push((await ask(address)).isAnswered);
    return all;
  };

  it('are closed above a bound, while another address is answered', async () => {
    expect(await answers('127.0.0.1', 5)).toEqual([true, true, true, false, false]);
    expect(await answers('127.0.0.2', 3)).toEqual([true, true, true]);
  });

  it('can be opened again when one of them is closed', async () => {
    const [first] = [await ask('127.0.0.1'), ...(await Promise.all([ask('127.0.0.1'), ask('127.0.0.1')]))];
    expect(await answers('127.0.0.1', 1)).toEqual([false]);
    first?.socket.destroy();
    await until(
      () => ask('127.0.0.1'),
      ({ isAnswered }) => isAnswered,
    );
  });

  it("are not bounded if the address is a proxy's", async () => {
    expect(await answers(PROXY, 6)).toEqual(Array(6).fill(true));
  });
});
