// The page of blunux-ai. It shows text with textContent only, so that no command and no answer can become markup.
"use strict";

const byId = id => document.getElementById(id);
const languages = ["ko", "en", "zh", "zh-Hant"];
const sessionName = "blunux-ai.key";
const chatName = "blunux-ai.chat";
const maxShown = 50; // messages that a reload shows again
const guardTime = 400; // ms in which a new question takes no answer: a press may have been meant for what was there before

let texts = {};
let lang = "en";
let key = "";
let socket = null;
let pause = 500; // ms until the next try to connect
let nextID = 0;
const open = new Map(); // requests without an answer, by their ids
const questions = new Map(); // questions on the page, by request id
let asking = new Set(); // request ids whose answer was sent
let chat = [];
let changes = [];
let figures = null;
let fleet = null;
let fleetTimer = 0; // of the next look at the fleet, 0 if there was none

// text returns a text of the catalogue with its values.
function text(code, ...values) {
  return (texts[code] ?? code).replace(/%([12])/g, (_, n) => values[n - 1] ?? "");
}

// visible shows control and format characters, and keeps the joiners of emoji.
function visible(s) {
  return s.replace(/\r\n/g, "\n").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u115f\u1160\u3164\uffa0]/gu, (c, at) => {
    if (c === "\n" || c === "\t") return c;
    const before = s.slice(0, at), after = s.slice(at + c.length);
    if (c === "\u200d" && /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after)) return c;
    return "⟨U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩";
  });
}

// element makes an element with a class, a text and children.
function element(name, className, said, ...children) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (said !== undefined && said !== null) e.textContent = said;
  e.append(...children);
  return e;
}

// literal fills an element with visible text, and sets off the signs that stand for hidden characters.
function literal(e, shown) {
  for (const part of shown.split(/(⟨[^⟩]*⟩|␣+)/u)) {
    if (part === "") continue;
    e.append(/^[⟨␣]/u.test(part) ? element("span", "hidden-sign", part) : part);
  }
  return e;
}

function announce(said) {
  const news = byId("news");
  news.textContent = "";
  requestAnimationFrame(() => { news.textContent = said; });
}

const time = (at, options) => new Intl.DateTimeFormat(lang, options).format(new Date(at));
const moment = at => time(at, {dateStyle: "short", timeStyle: "short"});
const day = at => time(at, {month: "short", day: "numeric"});
const number = (n, digits = 1) => new Intl.NumberFormat(lang, {maximumFractionDigits: digits}).format(n);

function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  for (; bytes >= 1024 && i < units.length - 1; i++) bytes /= 1024;
  return number(bytes) + " " + units[i];
}

function randomID() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), b => b.toString(16).padStart(2, "0")).join("");
}

// The session: a link's code is exchanged once; the cookie is the browser's, the key this tab's.

async function start() {
  const code = location.hash.slice(1);
  key = sessionStorage.getItem(sessionName) ?? "";
  let stored = localStorage.getItem("blunux-ai.lang");
  let refused = false;
  if (/^[0-9a-f]{16,}$/.test(code)) {
    history.replaceState(null, "", location.pathname);
    const answer = await fetch("/page/session", {method: "POST", body: code}).catch(() => null);
    if (answer?.ok) {
      const session = await answer.json();
      key = session.key;
      sessionStorage.setItem(sessionName, key);
      stored ??= session.lang;
    } else {
      refused = true;
    }
  }
  await useLanguage(languages.includes(stored) ? stored : languages.find(l => navigator.language.startsWith(l)) ?? "en");
  if (key === "") {
    showClosed(refused ? "link-used" : "");
    return;
  }
  try {
    chat = JSON.parse(sessionStorage.getItem(chatName) ?? "[]");
  } catch {
    chat = [];
  }
  byId("open").hidden = false;
  drawChat();
  connect();
}

async function useLanguage(to) {
  const answer = await fetch("/page/texts/" + to).catch(() => null);
  if (!answer?.ok) return;
  texts = await answer.json();
  lang = to;
  document.documentElement.lang = to;
  byId("language").value = to;
  for (const e of document.querySelectorAll("[data-text]")) e.textContent = text(e.dataset.text);
  setState(socket?.readyState === WebSocket.OPEN ? "connected" : "connecting");
}

function setState(code) {
  byId("state").textContent = text(code);
  byId("state").dataset.state = code;
}

function showClosed(why) {
  byId("open").hidden = true;
  byId("closed").hidden = false;
  byId("closed-why").textContent = why === "" ? "" : text(why);
  byId("state").textContent = "";
  byId("state").dataset.state = "closed";
  byId("closed-title").focus();
}

// endSession forgets a session that is over.
function endSession() {
  sessionStorage.removeItem(sessionName);
  key = "";
  showClosed("session-over");
}

function connect() {
  if (key === "") return;
  setState(socket === null ? "connecting" : "lost");
  let opened = false; // a refused handshake and a gateway that is not there look the same
  const ws = new WebSocket(location.origin.replace(/^http/, "ws") + "/page/socket", ["blunux-ai-page", "key." + key, "lang." + lang]);
  socket = ws;
  ws.onopen = () => {
    opened = true;
    pause = 500;
    setState("connected");
    loadAll();
  };
  ws.onmessage = e => receive(JSON.parse(e.data));
  ws.onclose = async () => {
    if (socket !== ws) return;
    for (const [, end] of open) end.reject(new Error(text("lost")));
    open.clear();
    asking = new Set();
    drawButtons();
    if (key === "") return;
    setState("lost");
    if (!opened && (await fetch("/page/session", {headers: {"Blunux-Ai-Key": key}}).catch(() => null))?.status === 403) {
      endSession();
      return;
    }
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 10000);
  };
}

function call(method, params) {
  return new Promise((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN) {
      reject(new Error(text("lost")));
      return;
    }
    const id = ++nextID;
    open.set(id, {resolve, reject});
    socket.send(JSON.stringify({jsonrpc: "2.0", id, method, params}));
  });
}

function receive(m) {
  const end = open.get(m.id);
  if (end) {
    open.delete(m.id);
    if (m.error) end.reject(Object.assign(new Error(visible([m.error.message, m.error.data?.hint].filter(Boolean).join("\n"))), {data: m.error.data}));
    else end.resolve(m.result);
    return;
  }
  switch (m.method) {
  case "approval.requested":
    loadQuestions();
    break;
  case "approval.resolved":
    resolveQuestion(m.params.requestId, m.params.approved);
    break;
  case "chat.response":
    if (m.params.metadata?.token === "page") {
      addAnswer(m.params);
      loadChanges();
    }
  }
}

function loadAll() {
  loadQuestions();
  loadChanges();
  loadHealth();
  loadFleet();
  for (const m of chat) if (m.state === "pending") send(m);
}

// once makes a function that runs again after the current run if it was called meanwhile.
function once(work) {
  let running = false, again = false;
  return async () => {
    again = running;
    if (running) return;
    running = true;
    do {
      again = false;
      try {
        await work();
      } catch (err) {
        if (err.data?.retryAfter) {
          await new Promise(done => setTimeout(done, err.data.retryAfter * 1000));
          again = true;
        }
      }
    } while (again);
    running = false;
  };
}

// Questions.

const loadQuestions = once(async () => {
  const {questions: list} = await call("approval.show");
  for (const q of [...questions.values()]) {
    if (!list.some(o => o.requestId === q.requestId && o.digest === q.digest)) {
      if (!asking.has(q.requestId)) note(text("answered-ended", q.requestId));
      removeQuestion(q.requestId);
    }
  }
  for (const q of list) if (!questions.has(q.requestId)) addQuestion(q);
  drawButtons();
});

function addQuestion(q) {
  const title = element("h3", "", text(q.rows.some(r => r.kind !== "command") ? "question-plan" : "question"));
  title.id = "question-" + q.requestId;
  const foreseen = element("p", "foreseen", q.foreseen.join("\n"));
  foreseen.id = "foreseen-" + q.requestId;
  const command = element("div", "literal");
  command.id = "command-" + q.requestId;
  command.setAttribute("role", "group");
  command.setAttribute("aria-label", text("command"));
  command.dir = "ltr";
  const marked = q.rows.some(r => r.mark);
  for (const r of q.rows) {
    const line = element("div", marked ? "row " + r.kind : r.kind);
    if (marked) line.append(element("span", "mark", r.mark ?? ""));
    line.append(literal(element("span"), r.text));
    command.append(line);
  }
  const details = element("dl");
  const detail = (label, value) => { if (value) details.append(element("dt", "", text(label)), literal(element("dd"), value)); };
  detail("directory", q.directory);
  if (q.privileged) detail("user", text("user-root"));
  detail("why", [q.class, ...q.reasons].join(" · "));
  for (const f of q.files) detail("file", f);
  if (q.owner !== "page") detail("asked-by", q.owner);
  detail("expires", moment(q.expires));
  const warnings = q.warnings.map(w => literal(element("p", "warning", "! "), w));
  const no = element("button", "", text("no"));
  const yes = element("button", "main", text("yes"));
  q.shownAt = performance.now();
  for (const [button, approved] of [[no, false], [yes, true]]) {
    button.type = "button";
    button.setAttribute("aria-describedby", title.id + " " + foreseen.id + " " + command.id);
    button.onclick = () => { if (performance.now() - q.shownAt > guardTime) answer(q, approved); };
  }
  const article = element("article", "", null, title, foreseen, command, details, ...warnings, element("p", "choice", null, no, yes));
  article.setAttribute("aria-labelledby", title.id);
  article.dataset.id = q.requestId;
  q.buttons = [no, yes];
  q.article = article;
  questions.set(q.requestId, q);
  byId("approvals").append(article);
  byId("approvals-none").hidden = true;
  document.title = "(" + questions.size + ") blunux-ai";
  announce(text("new-question", q.rows.find(r => r.kind === "command").text));
}

function drawButtons() {
  const connected = socket?.readyState === WebSocket.OPEN;
  for (const q of questions.values()) for (const b of q.buttons) b.disabled = !connected || asking.has(q.requestId);
}

function removeQuestion(id) {
  const q = questions.get(id);
  if (!q) return;
  const next = q.article.nextElementSibling ?? q.article.previousElementSibling;
  const focused = q.article.contains(document.activeElement) || asking.has(id);
  questions.delete(id);
  q.article.remove();
  byId("approvals-none").hidden = questions.size > 0;
  document.title = questions.size ? "(" + questions.size + ") blunux-ai" : "blunux-ai";
  if (focused) (next?.querySelector("button") ?? byId("approvals-title")).focus();
  asking.delete(id);
}

function resolveQuestion(id, approved) {
  if (!questions.has(id)) return;
  removeQuestion(id);
  announce(text(approved ? "answered-yes" : "answered-no", id));
  loadChanges();
}

// answer sends an answer with the digest of exactly what was shown.
async function answer(q, approved) {
  if (asking.has(q.requestId)) return;
  asking.add(q.requestId);
  drawButtons();
  try {
    await call("approval.grant", {requestId: q.requestId, approved, digest: q.digest});
    resolveQuestion(q.requestId, approved);
  } catch (err) {
    asking.delete(q.requestId);
    drawButtons();
    note(text("not-answered", err.message));
    loadQuestions();
  }
}

// Chat.

function keep() {
  chat = chat.slice(-maxShown);
  try {
    sessionStorage.setItem(chatName, JSON.stringify(chat));
  } catch {
    // the store is full: a reload shows less
  }
}

// note adds a line of the page itself, and announces it.
function note(said) {
  chat.push({id: randomID(), note: said});
  keep();
  drawChat();
  announce(said);
}

function drawChat() {
  const log = byId("log");
  byId("chat-empty").hidden = chat.length > 0;
  const have = new Map([...log.children].map(li => [li.dataset.id, li]));
  for (const m of chat) {
    const li = have.get(m.id) ?? log.appendChild(element("li"));
    have.delete(m.id);
    li.dataset.id = m.id;
    const drawn = [lang, m.state, m.answer !== undefined].join(" ");
    if (li.dataset.drawn === drawn) continue; // else a screen reader would read all of it again
    li.dataset.drawn = drawn;
    li.dataset.state = m.state ?? "";
    const parts = [];
    if (m.note) parts.push(element("p", "said soft", m.note));
    if (m.text) parts.push(element("p", "who", text("you")), element("p", "said of-you", visible(m.text)));
    if (m.state === "pending") parts.push(element("p", "who", text("pending")));
    if (m.state === "failed") parts.push(element("p", "warning", text("failed", m.problem)));
    if (m.answer !== undefined) parts.push(element("p", "who", text("assistant")), literal(element("p", "said"), visible(m.answer)));
    li.replaceChildren(...parts);
  }
  for (const li of have.values()) li.remove();
  log.scrollTop = log.scrollHeight;
}

// send sends a message or a request to undo. The daemon serves an id once, so that a repeated one is harmless.
async function send(m) {
  try {
    const r = m.change
      ? await call("change.undo", {id: m.id, change: m.change})
      : await call("chat.send", {id: m.id, text: m.text, channelId: "page"});
    m.task = r.taskId;
    if (r.status !== "pending") addAnswer(r);
  } catch (err) {
    if (socket?.readyState !== WebSocket.OPEN) return; // the next connection sends it again
    m.state = "failed";
    m.problem = err.message;
  }
  keep();
  drawChat();
}

function addAnswer(r) {
  let m = chat.find(m => m.id === r.metadata?.id || m.task && m.task === r.taskId && m.answer === undefined);
  if (!m) {
    m = {id: randomID()};
    chat.push(m);
  }
  m.state = "answered";
  m.answer = r.text;
  keep();
  drawChat();
}

function submit(said, change) {
  const m = {id: randomID(), text: said, change, state: "pending"};
  chat.push(m);
  keep();
  drawChat();
  send(m);
}

byId("form").onsubmit = e => {
  e.preventDefault();
  const field = byId("message");
  if (field.value.trim() === "" || field.dataset.composing) return;
  submit(field.value);
  field.value = "";
  field.focus();
};

// Enter sends, but not while an input method composes: there it ends the composition.
byId("message").onkeydown = e => {
  if (e.key !== "Enter" || e.shiftKey || e.isComposing || e.keyCode === 229) return;
  e.preventDefault();
  byId("form").requestSubmit();
};
byId("message").addEventListener("compositionstart", e => { e.target.dataset.composing = "yes"; });
byId("message").addEventListener("compositionend", e => { delete e.target.dataset.composing; });

// Changes.

const loadChanges = once(async () => {
  ({changes} = await call("change.list"));
  drawChanges();
});

function drawChanges() {
  byId("changes-none").hidden = changes.length > 0;
  const focused = document.activeElement?.dataset?.change;
  byId("changes").replaceChildren(...changes.map(drawChange));
  if (focused) (document.querySelector(`#changes button[data-change="${CSS.escape(focused)}"]`) ?? byId("changes-title")).focus();
}

function drawChange(c) {
  const li = element("li");
  li.append(element("p", "who", [c.id, moment(c.at), c.takesBack && text("takes-back", c.takesBack), c.takenBack && text("taken-back", c.takenBack)].filter(Boolean).join(" · ")));
  if (c.goal) li.append(element("p", "said", c.goal));
  const states = {done: "✓", unproved: "○", failed: "✗", skipped: "-"};
  const steps = element("div", "literal");
  for (const s of c.steps) {
    const mark = element("span", "mark", states[s.state] ?? "");
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", text(s.state === "failed" ? "step-failed" : s.state));
    steps.append(element("div", "row", null, mark, literal(element("span"), s.command)));
  }
  li.append(steps);
  if (c.canUndo) {
    const b = element("button", "", text("undo"));
    b.type = "button";
    b.dataset.change = c.id;
    b.setAttribute("aria-label", text("undo-change", c.id));
    b.onclick = () => submit(text("undo-change", c.id), c.id);
    li.append(b);
  }
  return li;
}

// What changed on this computer in the last seven days, whoever changed it: read only when it is asked for.
const loadTimeline = once(async () => {
  byId("timeline-state").textContent = "";
  try {
    const {events, unseen} = await call("timeline.list", {lang});
    byId("timeline").replaceChildren(...events.map(e => element("li", "", null, element("p", "who", moment(e.at) + " · " + e.source), literal(element("p", "said"), e.text))));
    if (events.length === 0) byId("timeline-state").textContent = text("timeline-none");
    if (unseen.length) byId("timeline-state").textContent = text("timeline-unseen", unseen.join(", "));
  } catch (err) {
    byId("timeline-state").textContent = text("timeline-failed", err.message);
    throw err;
  }
});

// Health.

const chart = {width: 300, height: 80, days: 30};

const loadHealth = once(async () => {
  byId("health-state").textContent = "";
  try {
    figures = await call("health.figures");
  } catch (err) {
    byId("health-state").textContent = text("health-failed", err.message);
    throw err;
  }
  drawHealth(figures);
});

function drawHealth(f) {
  const days = [...f.days.slice(0, -1).filter(d => !sameDay(d.at, f.now.at)), f.now];
  const few = days.length < 2 ? text("no-history") : "";
  const all = [];
  for (const disk of f.now.disks) {
    const points = days.map(d => ({at: d.at, of: d.disks.find(o => o.path === disk.path)})).filter(p => p.of)
      .map(p => ({at: p.at, value: 100 * p.of.used / p.of.size}));
    all.push(figure(text("disk") + " " + visible(disk.path), text("used-of", size(disk.used), size(disk.size)), lineChart(points), few,
      [text("day"), text("percent")], points.map(p => [day(p.at), number(p.value) + " %"])));
  }
  const memory = days.map(d => ({at: d.at, value: 100 * d.memory_used / d.memory_size}));
  all.push(figure(text("memory"), text("used-of", size(f.now.memory_used), size(f.now.memory_size)), lineChart(memory), few,
    [text("day"), text("percent")], memory.map(p => [day(p.at), number(p.value) + " %"])));
  const j = f.journal;
  const access = [j.access && text({own: "journal-own", denied: "journal-denied", absent: "journal-absent"}[j.access]), j.access !== "absent" && j.access !== "denied" && text("since", day(j.since))].filter(Boolean).join(" ");
  const boots = j.boots.map(b => ({at: b.at, value: b.seconds}));
  all.push(figure(text("boots"), boots.length ? text("last-boot", number(boots.at(-1).value)) : "", barChart(boots),
    [boots.length ? "" : text("no-boots"), access].filter(Boolean).join(" "), [text("time"), text("seconds")], boots.map(b => [moment(b.at), number(b.value)])));
  const counts = new Map();
  for (const u of j.failures) counts.set(day(u.at), {at: u.at, value: (counts.get(day(u.at))?.value ?? 0) + 1});
  all.push(figure(text("failures"), j.failures.length ? text("failure-count", number(j.failures.length)) : "", barChart([...counts.values()]),
    [j.failures.length || j.access === "absent" || j.access === "denied" ? "" : text("no-failures"), access].filter(Boolean).join(" "), [text("time"), text("unit")], j.failures.map(u => [moment(u.at), visible(u.unit)])));
  const opened = new Set([...document.querySelectorAll("#health details[open]")].map(d => d.dataset.of));
  byId("health").replaceChildren(...all);
  for (const d of document.querySelectorAll("#health details")) d.open = opened.has(d.dataset.of);
}

const sameDay = (a, b) => new Date(a).toDateString() === new Date(b).toDateString();

// figure makes a chart with its caption, and the same figures as a table.
function figure(title, now, svg, remark, head, rows) {
  const box = element("figure", "", null, element("figcaption", "", null, element("strong", "", title), element("span", "", now)));
  if (svg && rows.length) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", [title, now].filter(Boolean).join(": "));
    box.append(svg);
  }
  if (remark) box.append(element("p", "soft", remark));
  if (rows.length) {
    const details = foldedTable(title, text("table"), head, rows.toReversed());
    details.firstChild.setAttribute("aria-label", title + ": " + text("table"));
    box.append(details);
  }
  return box;
}

// foldedTable makes a table that opens with a press on its label.
function foldedTable(title, label, head, rows) {
  const table = element("table", "", null,
    element("caption", "unseen", title),
    element("thead", "", null, element("tr", "", null, ...head.map(h => Object.assign(element("th", "", h), {scope: "col"})))),
    element("tbody", "", null, ...rows.map(r => element("tr", "", null, ...r.map(c => element("td", "", c))))));
  const details = element("details", "", null, element("summary", "", label), element("div", "", null, table));
  details.dataset.of = title;
  return details;
}

function svgElement(name, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

function emptyChart() {
  const svg = svgElement("svg", {viewBox: `0 0 ${chart.width} ${chart.height}`, preserveAspectRatio: "none"});
  for (const part of [0.25, 0.5, 0.75]) {
    svg.append(svgElement("line", {class: "grid", x1: 0, x2: chart.width, y1: chart.height * part, y2: chart.height * part}));
  }
  return svg;
}

// place returns where a time of the last 30 days is.
function place(at) {
  const age = (Date.now() - new Date(at)) / 86400000;
  return Math.max(3, Math.min(chart.width - 3, chart.width * (1 - age / chart.days)));
}

// lineChart draws percentages.
function lineChart(points) {
  const svg = emptyChart();
  const xy = points.map(p => [place(p.at), chart.height * (1 - Math.min(p.value, 100) / 100)].map(n => n.toFixed(1)));
  svg.append(svgElement("polyline", {class: "line", points: xy.map(p => p.join(",")).join(" ")}));
  for (const [x, y] of xy) svg.append(svgElement("circle", {class: "mark", cx: x, cy: y, r: 2}));
  return svg;
}

// barChart draws values below each other's highest.
function barChart(points) {
  const svg = emptyChart();
  const most = Math.max(...points.map(p => p.value), 0);
  for (const p of points) {
    const high = Math.max(2, (chart.height - 6) * p.value / most);
    svg.append(svgElement("rect", {class: "mark", x: (place(p.at) - 2).toFixed(1), y: (chart.height - high).toFixed(1), width: 4, height: high.toFixed(1)}));
  }
  return svg;
}

// The fleet, where its server runs on this computer. The page shows it and signs nothing.

const fleetPause = 10000; // ms between two looks
const lateAfter = 300000; // ms without a heartbeat

const loadFleet = once(async () => {
  clearTimeout(fleetTimer);
  try {
    fleet = await call("fleet.show");
    byId("fleet-state").textContent = "";
    drawFleet();
  } catch (err) {
    if (err.data && !err.data.retryAfter) byId("fleet-section").hidden = false; // there is a server, which does not answer
    byId("fleet-state").textContent = text("fleet-failed", err.message);
    throw err;
  } finally {
    if (!byId("fleet-section").hidden || fleetTimer) fleetTimer = setTimeout(() => { if (!document.hidden) loadFleet(); }, fleetPause);
  }
});

function drawFleet() {
  byId("fleet-section").hidden = !fleet;
  if (!fleet) return;
  const opened = new Set([...document.querySelectorAll("#fleet details[open]")].map(d => d.dataset.of));
  const focused = document.activeElement?.closest("#fleet details")?.dataset.of;
  const list = (title, items) => items.length ? [element("h3", "", text(title)), element("ol", "", null, ...items)] : [];
  const plans = fleet.plans.map(drawPlan);
  if (fleet.morePlans) plans.push(element("li", "soft", text("fleet-more-plans", number(fleet.morePlans))));
  byId("fleet").replaceChildren(...drawMachines(fleet), ...list("fleet-plans", plans),
    ...list("fleet-rollouts", fleet.rollOuts.map(drawRollOut)), ...list("fleet-questions", fleet.questions.map(drawFleetQuestion)));
  for (const d of document.querySelectorAll("#fleet details")) {
    d.open = opened.has(d.dataset.of);
    if (d.dataset.of === focused) d.firstChild.focus();
  }
}

// drawMachines counts by the clock of the server, because that of a phone may differ.
function drawMachines(f) {
  const late = f.machines.filter(m => !m.seen || new Date(f.at) - new Date(m.seen) > lateAfter);
  const label = [text("fleet-machines", number(f.count)), late.length && text("fleet-late", number(late.length))].filter(Boolean).join(" · ");
  const rows = f.machines.map(m => [m.name, m.labels.join(" "), m.seen ? ago(m.seen, f.at) : text("fleet-never"),
    [m.approve.join(" "), m.quiet && text("fleet-quiet", m.quiet)].filter(Boolean).join(" · ")].map(visible));
  const twins = f.machines.filter(m => m.twins).map(m => element("p", "warning", visible(m.name) + " " + text("fleet-twins")));
  return [foldedTable(text("fleet"), label, ["fleet-computer", "fleet-labels", "fleet-seen", "fleet-approve"].map(h => text(h)), rows), ...twins];
}

// ago returns how long a time is before another.
function ago(at, now) {
  const seconds = (new Date(at) - new Date(now)) / 1000;
  const [unit, length] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, n]) => n <= Math.max(1, -seconds));
  return new Intl.RelativeTimeFormat(lang).format(Math.round(seconds / length), unit);
}

// group counts computers and names the first.
const group = (code, g) => visible(text(code, number(g.count), g.names.join(" ") + (g.count > g.names.length ? " +" + number(g.count - g.names.length) : "")));

function drawPlan(p) {
  return element("li", "", null, literal(element("div", "literal"), visible(p.command)), element("p", "who", group("fleet-group", p)),
    element("p", "who", text("expires") + " " + moment(p.expires)), element("p", "who", text("fleet-sign")),
    element("pre", "literal", "blunux-fleet approve " + p.code));
}

function drawRollOut(r) {
  const result = texts["fleet-result-" + r.reason] ?? r.reason;
  const state = {running: () => text("fleet-running"), stopped: () => text("fleet-stopped", r.stopped, result), interrupted: () => text("fleet-interrupted")}[r.state];
  const said = [text("fleet-progress", number(r.done), number(r.count)), state?.(), r.left && text("fleet-left", number(r.left))].filter(Boolean).join(" · ");
  return element("li", "", null, element("p", "who", visible(moment(r.at) + " · " + r.console)), literal(element("div", "literal"), visible(r.command)),
    element("p", r.state === "stopped" || r.state === "interrupted" ? "warning" : "", visible(said)));
}

function drawFleetQuestion(q) {
  const li = element("li", "", null, element("p", "who", visible([moment(q.at), q.console, text("fleet-asked", number(q.count))].join(" · "))),
    literal(element("p", "said of-you"), visible(q.text)));
  for (const a of q.answers) {
    li.append(element("p", "who", group("fleet-same", a)));
    if (a.problem) li.append(element("p", "warning", visible(texts["fleet-result-" + a.problem] ?? a.problem)));
    li.append(literal(element("p", "said"), visible(a.text)));
  }
  if (q.more) li.append(element("p", "soft", text("fleet-more", number(q.more))));
  if (q.missing.count) li.append(element("p", "soft", group("fleet-missing", q.missing)));
  return li;
}

document.onvisibilitychange = () => { if (!document.hidden && fleetTimer) loadFleet(); };
byId("refresh-fleet").onclick = loadFleet;
byId("refresh").onclick = loadHealth;
byId("show-timeline").onclick = loadTimeline;
byId("language").onchange = async e => {
  localStorage.setItem("blunux-ai.lang", e.target.value);
  await useLanguage(e.target.value);
  if (key === "") return;
  for (const id of [...questions.keys()]) removeQuestion(id);
  drawChat();
  drawChanges();
  if (figures) drawHealth(figures);
  drawFleet();
  socket?.close(1000);
};

start();
