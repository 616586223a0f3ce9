// manySockets.mjs HOST PORT COUNT: opens so many websockets of `/websocket` and keeps those that are let in until its
// input ends. Prints what became of them, one JSON line. In a process of its own, so that its descriptors are not the
// node's; from several local addresses, so that ports do not run out.
import { createConnection } from 'node:net';

const [host, port, count] = process.argv.slice(2);
const AT_ONCE = 200;
const PER_ADDRESS = 5000;
const told = { tried: 0, open: 0, refused: 0 };

const request = [
  'GET /websocket HTTP/1.1',
  `Host: ${host}:${port}`,
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

/** Other systems have no more loopback addresses than one, unless they are told to. */
const sourceOf = (number) =>
  process.platform === 'linux' ? { localAddress: `127.0.0.${2 + Math.floor(number / PER_ADDRESS)}` } : {};

/** Ends when the node has answered the request or hung up. */
function open(number) {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port: Number(port), ...sourceOf(number) });
    told.tried++;
    let isOpen = false;
    socket.on('error', () => {});
    socket.on('connect', () => socket.write(request));
    socket.once('data', (data) => {
      isOpen = data.toString('latin1').startsWith('HTTP/1.1 101');
      if (isOpen) told.open++;
      resolve();
    });
    socket.on('close', () => {
      if (isOpen) told.open--;
      else told.refused++;
      resolve();
    });
  });
}

for (let done = 0; done < Number(count); done += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, i) => open(done + i)));
process.stdout.write(`${JSON.stringify(told)}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
