// An original peer, written only from the section "Original peers" of
// docs/protocol.md: one connection, one line a request, answers matched by "to"
// alone, timeout 120 s. It never sends a hello frame.
//
//	node original.mjs SOCKET
//
// It reads instructions from standard input and writes reports to standard
// output, one JSON object a line:
//
//	{"tag":1,"do":"send","message":{…}}   → {"tag":1,"response":{…},"ms":12}, {"tag":1,"gaveUp":true} or {"tag":1,"closed":true}
//	{"tag":2,"do":"connect"}              → {"tag":2} once it is connected, {"tag":2,"failed":"…"} if nothing listens
//	{"tag":3,"do":"deaf"}                 → {"tag":3}: it stops reading
//	{"tag":4,"do":"hangup"}               → {"tag":4} when the connection is closed
//
// Violations of the protocol are reported without a tag: {"wrong":"…","line":"…"};
// so is a connection closed by the other side: {"ended":true}.
import net from 'node:net';
import readline from 'node:readline';

const giveUpAfter = 120_000;
const longestLine = 1 << 20;

const tell = (what) => process.stdout.write(JSON.stringify(what) + '\n');

// Pending requests by their "from", which is the "to" of the answer.
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
  // An unknown field, and the time in the protocol's format.
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

// fault returns how a line violates the protocol.
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
  let begun = Buffer.alloc(0); // bytes, because a character can come in two pieces
  let there = false;
  const hear = (count, buffer) => {
    begun = Buffer.concat([begun, buffer.subarray(0, count)]);
    for (let end = begun.indexOf(10); end >= 0; end = begun.indexOf(10)) {
      received(begun.subarray(0, end).toString('utf8'));
      begun = begun.subarray(end + 1);
    }
    return true;
  };
  // With its own buffer a paused socket really reads nothing (net, onread). Otherwise it would still read up to
  // 64 KiB ahead.
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
