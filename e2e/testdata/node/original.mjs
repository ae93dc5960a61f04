// An original peer, written from what docs/protocol.md says under "Original
// peers" and from nothing else: one connection, one line a request, answers
// paired by "to" alone, given up after 120 s. It never says hello.
//
//	node original.mjs SOCKET
//
// It is led by lines on its standard input and tells what it saw on its
// standard output, one JSON object a line:
//
//	{"tag":1,"do":"send","message":{…}}   → {"tag":1,"response":{…},"ms":12}, {"tag":1,"gaveUp":true} or {"tag":1,"closed":true}
//	{"tag":2,"do":"connect"}              → {"tag":2} once it is connected, {"tag":2,"failed":"…"} when nobody is there
//	{"tag":3,"do":"deaf"}                 → {"tag":3}: nothing is read from here on
//	{"tag":4,"do":"hangup"}               → {"tag":4} when the connection is gone
//
// What the contract does not allow is told without a tag: {"wrong":"…","line":"…"};
// so is a connection that the other side ended: {"ended":true}.
import net from 'node:net';
import readline from 'node:readline';

const giveUpAfter = 120_000;
const longestLine = 1 << 20;

const tell = (what) => process.stdout.write(JSON.stringify(what) + '\n');

// Waiting requests, by the "from" their answer's "to" will be.
const waiting = new Map();

let socket = null;

function send(tag, message) {
  const sent = Date.now();
  const entry = { tag, sent };
  entry.timer = setTimeout(() => {
    drop(message.from, entry);
    tell({ tag, gaveUp: true });
  }, giveUpAfter);
  if (!waiting.has(message.from)) waiting.set(message.from, []);
  waiting.get(message.from).push(entry);
  // A field that nobody knows, and the time, as the protocol has it.
  const line = { ...message, timestamp: new Date(sent).toISOString(), 'x-signal': { bars: [1, 2, 3] } };
  if (socket === null || socket.destroyed) {
    settleAll();
    return;
  }
  socket.write(JSON.stringify(line) + '\n');
}

function drop(from, entry) {
  clearTimeout(entry.timer);
  const line = waiting.get(from) ?? [];
  const left = line.filter((e) => e !== entry);
  if (left.length > 0) waiting.set(from, left);
  else waiting.delete(from);
}

function settleAll() {
  for (const [from, line] of [...waiting]) {
    for (const entry of line) {
      drop(from, entry);
      tell({ tag: entry.tag, closed: true });
    }
  }
}

// fault says what a line has that the contract does not allow.
function fault(m) {
  if (m === null || typeof m !== 'object' || Array.isArray(m)) return 'not an object';
  if (m.type !== 'response') return 'not a response';
  if (typeof m.to !== 'string') return 'for nobody';
  if (typeof m.body !== 'string') return 'without a body';
  if (m.actions !== undefined && !(Array.isArray(m.actions) && m.actions.every((a) => typeof a === 'string'))) return 'actions';
  if (m.notifications === undefined) return null;
  if (!Array.isArray(m.notifications)) return 'notifications';
  if (m.notifications.length > 10) return 'more than ten notifications';
  if (!m.notifications.every((n) => typeof n.to === 'string' && n.to !== '' && typeof n.body === 'string' && n.body !== '')) return 'a notification';
  return null;
}

function received(line) {
  let m;
  try {
    m = JSON.parse(line);
  } catch (err) {
    tell({ wrong: err.message, line });
    return;
  }
  const why = Buffer.byteLength(line) > longestLine ? 'longer than 1 MiB' : fault(m);
  if (why !== null) {
    tell({ wrong: why, line });
    return;
  }
  const entry = (waiting.get(m.to) ?? [])[0];
  if (entry === undefined) {
    tell({ wrong: 'nobody asked', line });
    return;
  }
  drop(m.to, entry);
  tell({ tag: entry.tag, response: m, ms: Date.now() - entry.sent });
}

function connect(tag) {
  let begun = Buffer.alloc(0); // bytes, so that a letter may come in two pieces
  let there = false;
  const hear = (count, buffer) => {
    begun = Buffer.concat([begun, buffer.subarray(0, count)]);
    for (let end = begun.indexOf(10); end >= 0; end = begun.indexOf(10)) {
      received(begun.subarray(0, end).toString('utf8'));
      begun = begun.subarray(end + 1);
    }
    return true;
  };
  // With a buffer of its own a paused socket really reads nothing (net, onread);
  // another one would still read up to 64 KiB ahead.
  const s = net.createConnection({ path: process.argv[2], onread: { buffer: Buffer.alloc(64 << 10), callback: hear } });
  socket = s;
  s.on('connect', () => {
    there = true;
    tell({ tag });
  });
  s.on('end', () => tell({ ended: true }));
  s.on('error', (err) => {
    if (!there) tell({ tag, failed: err.message });
  });
  s.on('close', () => {
    if (socket === s) settleAll();
  });
}

function hangup(tag) {
  if (socket === null || socket.destroyed) {
    tell({ tag });
    return;
  }
  socket.once('close', () => tell({ tag }));
  socket.destroy();
}

const orders = readline.createInterface({ input: process.stdin });
orders.on('line', (text) => {
  const order = JSON.parse(text);
  switch (order.do) {
    case 'send':
      send(order.tag, order.message);
      break;
    case 'connect':
      connect(order.tag);
      break;
    case 'deaf':
      socket.pause();
      tell({ tag: order.tag });
      break;
    case 'hangup':
      hangup(order.tag);
      break;
    default:
      throw new Error(`unknown order ${text}`);
  }
});
orders.on('close', () => process.exit(0));
