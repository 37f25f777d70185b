import { loadUws } from '../../src/gateway/uws.ts';

/**
 * A server that refuses everything and does nothing else, a process of its own: what is left to
 * others beside it is the most that any service could deliver under the same flood. Prints its URL.
 */
const uws = loadUws();
const ID = '00000000-0000-0000-0000-000000000000';
const BODY = JSON.stringify({ error: 'Refused.', code: 'overloaded', requestId: ID });

uws
  .App()
  .any('/*', (res) => {
    res.writeStatus('503 Service Unavailable');
    res.writeHeader('Content-Type', 'application/json; charset=utf-8');
    res.writeHeader('Retry-After', '2');
    res.writeHeader('X-Request-Id', ID);
    res.end(BODY);
  })
  .listen('127.0.0.1', 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
    if (socket === false) throw new Error('no port to listen on');
    process.stdout.write(`http://127.0.0.1:${uws.us_socket_local_port(socket)}\n`);
  });
