import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { boundRequestsAhead } from '../../src/http/connections';
import { until } from '../support/until';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const MAX = 4;

describe('pipelined requests of one connection, whose earlier answers are not sent yet', () => {
  let server: Server;
  let begun: ServerResponse[];
  let closed: number;
  beforeEach(async () => {
    [begun, closed] = [[], 0];
    const app = express().use(boundRequestsAhead(MAX), (_, response) => {
      begun.push(response);
      response.once('close', () => closed++);
    });
    server = createServer(app);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });
  const send = (count: number) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.write(REQUEST.repeat(count));
    return socket;
  };
  const begins = (count: number) =>
    until(
      () => begun.length,
      (n) => n === count,
    );
  const closes = (count: number) =>
    until(
      () => closed,
      (n) => n === count,
    );

  it('are all told when their caller has disconnected, so that each frees what it holds', async () => {
    const socket = send(MAX);
    await begins(MAX);
    // This response has ended but is not sent, because the earlier answers come first.
    begun.at(-1)?.end('last');
    socket.destroy();
    await closes(MAX);
    expect(begun.map((response) => response.closed)).toEqual(Array(MAX).fill(true));
    for (const response of begun) response.end('too late');
  });

  it('close the connection above a bound, and no further request begins', async () => {
    const socket = send(500);
    await once(socket, 'close');
    await closes(MAX);
    expect(begun).toHaveLength(MAX);
  });

  it('make room for others when they are answered', async () => {
    const socket = send(MAX);
    await begins(MAX);
    for (const response of begun) response.end();
    await closes(MAX);
    socket.write(REQUEST);
    await begins(MAX + 1);
    socket.destroy();
  });
});
