// The live part of a page: takes frames, shows them, answers with what is held, and stops.
// Whatever has data-live="QUANTITY:AXIS" shows that quantity of the newest frame.

const STALE = 1000;  // ms after which what is shown counts as old
const NEW = 700;  // ms for which a button that has just appeared, or changed, does nothing
const FLAGS = ["servo on", "ALARM", "homed", "home switch", "limit −", "limit +", "at rest"];
const $ = (id) => document.getElementById(id);
const listeners = new Set(), leaving = new Set();
const UNKNOWN_PAGE = "The panel does not know this page any more, and what it had begun ends: look at the machine."
  + " Events says how each motion ended.";
const DEAD = 3000;  // ms without a word after which a connection is dead: a network loses one without saying so
let socket, triedAt = 0, frame = {}, own = {}, heldNow = null, newest = 0;
let hadControl = false;  // as it was last known

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const before = socket, mine = new WebSocket(`${scheme}://${location.host}/live?client=${window.clientId}`);
  [socket, triedAt] = [mine, performance.now()];
  before?.close();
  mine.onmessage = ({ data }) => {
    if (mine !== socket) return;
    [frame, own] = JSON.parse(data);
    hadControl = own.me;
    newest = performance.now();
    answer();
    show();
  };
  mine.onclose = ({ code }) => {
    if (mine !== socket) return;
    release();
    own = {};
    // The page, or its login, is unknown to a server that was restarted
    if ((code === 4404 || code === 4401) && Date.now() - window.wmxLoaded > 3000) loadAgain();
    setTimeout(() => { if (mine === socket) connect(); }, 500);
  };
}

// Once, and after a stop that waits to be sent
let loading = false;
function loadAgain() {
  if (loading || toResend().length) return;
  loading = true;
  location.reload();
}

function answer() {
  if (socket?.readyState === WebSocket.OPEN && frame.n)
    socket.send(JSON.stringify({ n: frame.n, hold: heldNow }));
}

// Hold to jog

function hold(held) {
  if (stale()) return;
  if (!own.me) { complain("Take control first: this page only shows."); return; }
  heldNow = { id: `${Date.now()}-${Math.random()}`, ...held };
  answer();
}

function release() {
  if (heldNow === null) return;
  heldNow = null;
  document.querySelectorAll(".held").forEach((each) => each.classList.remove("held"));
  answer();
}

function press(button) {
  if (heldNow) { release(); return; }  // a second finger, or key: whoever holds two means neither
  const held = JSON.parse(button.dataset.hold);
  // As typed: the panel reads numbers by one rule, and only the button decides which way it goes.
  const fields = button.closest("[data-speeds]")?.dataset.speeds.split(" ");
  if (fields) held.speeds = held.directions.map((_, i) => $(fields[i])?.value ?? "");
  hold(held);
  if (heldNow) button.classList.add("held");
}

document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest?.("[data-hold]");
  if (!button || event.button !== 0) return;
  button.setPointerCapture(event.pointerId);  // so that its end is seen, wherever it ends
  press(button);
});
document.addEventListener("pointermove", (event) => {
  if (heldNow === null) return;
  const { left, right, top, bottom } = event.target.getBoundingClientRect?.() ?? {};
  const slidOff = event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
  if (event.target.matches?.(".held") && slidOff) release();
});
for (const kind of ["pointerup", "pointercancel", "lostpointercapture", "contextmenu", "visibilitychange"])
  document.addEventListener(kind, release);
window.addEventListener("blur", release);
window.addEventListener("pagehide", () => {
  release();
  // Whoever has it loaded again: NiceGUI does, too, where it is the first to find the panel back.
  const lost = hadControl && !own.me ? UNKNOWN_PAGE : "";
  const known = complaintUntil > Date.now() ? complaint : lost;
  const waits = [...unanswered.values()].filter(({ what }) => what !== "emergency").map(
    ({ clock }) => `What was pressed at ${clock} was NOT answered: axes may still move. Press again.`);
  note(TOLD, [known, ...waits].filter(Boolean).join("\n"));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { escape(event); return; }
  if (event.target.tagName === "INPUT") return;
  const area = event.target.closest?.(".jog-area");
  const button = event.key === " " ? event.target.closest?.("[data-hold]")
    : area?.querySelector(`[data-keys~="${CSS.escape(event.key)}"]`);
  if (!button) return;
  event.preventDefault();
  if (!event.repeat) press(button);
}, true);
document.addEventListener("keyup", release);

// Esc closes an open list or dialog; pressed again, held, or without one, it is the emergency stop.

// The list of a <select>, where the browser can say that it is open
function openList() {
  try { return document.querySelector("select:open"); } catch { return null; }
}

let closing = null;  // what the last Esc was left to
let leftAt = Infinity;  // when, ms
let heldSince = null;  // when the Esc that is held was pressed, ms; Infinity once it has stopped
const HELD = 500;  // ms: an Esc that is held for so long stops, whatever is open
const AGAIN = 1000;  // ms: so does one that is pressed again within so long
function escape(event) {
  release();
  if (event.repeat) {
    event.preventDefault();
    heldSince ??= event.timeStamp;  // of one whose first press the list of the browser has had
    if (event.timeStamp - heldSince > HELD) { heldSince = leftAt = Infinity; emergencyStop(); }
    return;
  }
  heldSince = event.timeStamp;
  const open = [...document.querySelectorAll(".q-menu, .q-dialog")].pop() ?? openList();
  const again = leftAt <= event.timeStamp && event.timeStamp - leftAt < AGAIN;
  if (open !== null && open !== closing && !again) { closing = open; leftAt = event.timeStamp; return; }
  heldSince = leftAt = Infinity;
  event.preventDefault();
  emergencyStop();
}
document.addEventListener("keyup", ({ key }) => { if (key === "Escape") heldSince = null; }, true);
window.addEventListener("blur", () => { heldSince = null; });

// Stops: a connection of their own, which waits for nothing else. Where it is away, or does not answer
// soon, the emergency stop is sent by a request as well. Both have the number of the press, by which
// the panel knows that they are one stop.

const SOON = 300;  // ms
const RESEND = 10_000;  // ms for which a stop without an answer is sent again when the connection is back
let stopSocket, stopLineAt = 0, stopsSent = 0;
const unanswered = new Map();
const PRESSED = "emergency stop";  // when one was pressed that is not answered, for the page that is loaded then

function connectStop() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const before = stopSocket, mine = new WebSocket(`${scheme}://${location.host}/stop`);
  [stopSocket, stopLineAt] = [mine, performance.now()];
  before?.close();
  mine.onopen = () => {
    if (mine !== stopSocket) return;
    for (const { message } of toResend()) mine.send(message);
    for (const [n, { at }] of unanswered) {
      if (resends(at)) continue;
      unanswered.delete(n);
      complain(`What was pressed ${since(at)} s ago was NOT answered: it may not have arrived. Press again.`);
    }
  };
  mine.onmessage = ({ data }) => {
    const answer = JSON.parse(data);
    unanswered.get(answer.n)?.answered(answer);
    unanswered.delete(answer.n);
  };
  mine.onclose = () => setTimeout(() => { if (mine === stopSocket) connectStop(); }, 500);
}

// Another line where a stop has no answer: it may have gone into one that the network has lost
function watchStops() {
  const now = performance.now();
  if (now - stopLineAt > DEAD && [...unanswered.values()].some(({ at }) => now - at > STALE)) connectStop();
}

// What is sent when the connection is back
const resends = (at) => performance.now() - at < RESEND;
const toResend = () => [...unanswered.values()].filter(({ at }) => resends(at));
const since = (at) => ((performance.now() - at) / 1000).toFixed(1);

// What the panel answers; while the connection is away, the stop is sent as soon as it is back
function sendStop(what) {
  stopsSent += 1;
  return new Promise((answered) => {
    const message = JSON.stringify({ n: stopsSent, client: window.clientId, stop: what });
    const clock = new Date().toLocaleTimeString();
    unanswered.set(stopsSent, { message, what, at: performance.now(), clock, answered });
    if (stopSocket?.readyState !== WebSocket.OPEN) return;
    stopSocket.send(message);
    if (stale()) connectStop();  // this line is most likely as dead as that of the frames
  });
}

async function postStop(press) {
  const headers = { "x-client": window.clientId, "x-press": press };
  const answer = await fetch("/estop", { method: "POST", headers });
  return answer.json();
}

// For the page that is loaded next. A browser may keep nothing, which holds up no stop
function note(what, text) {
  try { sessionStorage.setItem(what, text); } catch { /* a page that is loaded then says nothing of it */ }
}

function tellStop({ done, answer }, after = "") {
  complain(done ? after : `The emergency stop was NOT carried out: ${answer}`);
}

async function emergencyStop() {
  release();
  const button = $("estop"), pressed = performance.now();
  button.classList.add("sent");
  const late = setTimeout(() => complain(
    "The emergency stop is NOT answered yet: it may not have arrived. Use the stop of the machine."), STALE);
  const sent = sendStop("emergency"), press = stopsSent;
  const wait = stopSocket?.readyState === WebSocket.OPEN ? SOON : 0;
  note(PRESSED, new Date().toLocaleTimeString());
  const tell = (answer, after) => {
    // By whichever way, and those pressed before it as well; one that has failed is sent again
    if (answer.done)
      for (const [n, { what }] of unanswered) if (what === "emergency" && n <= press) unanswered.delete(n);
    note(PRESSED, "");
    tellStop(answer, after);
  };
  const tellLater = (answer) =>
    tell(answer, `The emergency stop was carried out ${since(pressed)} s after it was pressed.`);
  try {
    const soon = await Promise.race([sent, new Promise((done) => setTimeout(done, wait))]);
    const answer = soon ?? await Promise.race([sent, postStop(press)]);
    tell(answer);
    if (!answer.done) sent.then(tellLater);
  } catch {
    complain("The emergency stop was NOT sent: the panel does not answer. Use the stop of the machine.");
    sent.then(tellLater);
  } finally {
    clearTimeout(late);
    button.classList.remove("sent");
  }
}

const lateStops = new Set();  // those that are not answered in time, each by what is said of it

async function stop(what) {
  release();
  const waits = { text: `The ${what === "pause" ? "pause" : "stop"} is NOT answered yet: axes may still move.` };
  const late = setTimeout(() => { lateStops.add(waits); complain(waits.text); }, STALE);
  const { done, what: words, answer } = await sendStop(what);
  clearTimeout(late);
  lateStops.delete(waits);
  if (!done) complain(`${words}: ${answer}`);
  else if (complaint === waits.text && !lateStops.size) complain("");  // what another stop says stays
}

const COMPLAINT = 10_000;  // ms
const TOLD = "complaint";  // what a page has said that is loaded again, which follows a restart at once
let complaint = "", complaintUntil = 0;
function complain(text) { complaint = text; complaintUntil = Date.now() + COMPLAINT; show(); }

// A stop acts as it is pressed, for a finger that slides off it makes no click. A click that no press was
// seen of stops, too: that of a key, of a screen reader, of a mouse another button of which is held.
let pressedDown = null;
function pressStop(target) {
  if (target?.id === "estop") emergencyStop();
  if (target?.dataset.stop) stop(JSON.parse(target.dataset.stop));
}
document.addEventListener("pointerdown", (event) => {
  pressedDown = event.button ? null : event.target.closest?.("button");
  pressStop(pressedDown);
}, true);

document.addEventListener("click", (event) => {
  const target = event.target.closest?.("button, [data-emit]");
  if (!event.detail || target !== pressedDown) pressStop(target);
  pressedDown = null;
  if (target?.dataset.emit)
    emitEvent(target.dataset.emit, { ...JSON.parse(target.dataset.value ?? "{}"), click: click(event) });
});

// A speed is chosen from a list, which then shows what is in force again, and soon where none is chosen
const CHOOSING = 5000;  // ms
let chosenAt = -Infinity;
for (const kind of ["pointerdown", "keydown", "focusin"])
  document.addEventListener(kind, ({ target }) => { if (target.id === "speed-axes") chosenAt = performance.now(); }, true);
document.addEventListener("change", (event) => {
  if (event.target.id !== "speed-axes") return;
  emitEvent("speed", { percent: Number(event.target.value), click: click(event) });
  event.target.blur();
});

// A key chooses from the list once that is open: on a closed one Home is 100 %, and who pages through the page
// does not mean it.
const CHOOSES = /^(Arrow.*|Home|End|Page.*|[^ ])$/;
document.addEventListener("keydown", (event) => {
  const { target, key } = event, shortcut = event.altKey || event.ctrlKey || event.metaKey;
  if (target.id === "speed-axes" && openList() !== target && CHOOSES.test(key) && !shortcut) event.preventDefault();
}, true);

// What an order needs, which is refused when it comes late
const click = (event) => ({
  heartbeat: frame.n ?? 0, delay: Math.max(performance.now() - event.timeStamp, 0) / 1000,
  shown: shownBy(event.currentTarget, event.timeStamp),
});

// A button that does something else since a moment ago, such as a bit after another first byte, is pale:
// a click then is meant for what it showed before, carries that, and is refused.
const changed = new WeakMap();
new MutationObserver((mutations) => {
  for (const { target, oldValue } of mutations) {
    if (target.dataset.shown === oldValue) continue;
    clearTimeout(changed.get(target)?.timer);
    target.dataset.changed = "";
    const timer = setTimeout(() => { delete target.dataset.changed; }, NEW);
    changed.set(target, { before: oldValue ?? "", at: performance.now(), timer });
  }
}).observe(document, { subtree: true, attributeFilter: ["data-shown"], attributeOldValue: true });

function shownBy(button, time) {
  const { before, at } = changed.get(button) ?? { at: -Infinity };
  return time - at < NEW ? before : button?.dataset?.shown ?? "";
}

// Showing

const stale = () => performance.now() - newest > STALE;
const number = (value, digits) => {
  const text = Number(value).toFixed(digits);  // "NaN" and "Infinity" come as texts
  return Number(text) === 0 ? text.replace("-", "") : text;
};

const SHOW = {
  command: (cell, axis) => text(cell, number(frame.command[axis], 4)),
  position: (cell, axis) => text(cell, number(frame.position[axis] * (cell.dataset.factor ?? 1), 4)),
  velocity: (cell, axis) => text(cell, number(frame.velocity[axis], 3)),
  torque: (cell, axis) => text(cell, number(frame.torque[axis], 1)),
  error: (cell, axis) => text(cell, number(frame.command[axis] - frame.position[axis], 5)),
  flags: (cell, axis) => {
    const flags = frame.flags[axis], stands = frame.paused && Number(number(frame.velocity[axis], 3)) === 0;
    const key = `${flags} ${stands}`;
    if (cell.shown === key) return;
    cell.shown = key;
    const words = FLAGS.filter((_, i) => flags & (1 << i)).map((word) => [word, word]);
    if (!(flags & 1)) words.unshift(["servo off", "off"]);
    if (!(flags & 64)) words.push([stands ? "paused" : "moving", "moving"]);
    cell.replaceChildren(...words.map(([word, kind]) => {
      const chip = document.createElement("span");
      chip.className = `flag flag-${kind.replace(/[^a-zA-Z]+/g, "-")}`;
      chip.textContent = word;
      return chip;
    }));
  },
  home: (cell, axis) => {
    const lost = (frame.blocks?.[axis] ?? []).some(([, , key]) => key.startsWith("REFERENCE_LOST"));
    const homing = (frame.owners?.[axis] ?? "").endsWith("(homing)");
    text(cell, homing ? "is being homed" : lost ? "reference lost" : frame.flags[axis] & 4 ? "homed" : "not homed");
  },
  bar: (cell, axis) => {
    const { low, high } = cell.dataset;
    const share = (frame.position[axis] - low) / (high - low);
    cell.firstElementChild.style.left = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  },
};

function text(cell, value) { if (cell.textContent !== value) cell.textContent = value; }

function showOwner(cell, axis) { text(cell, frame.owners?.[axis] ?? "—"); }

function showBlocks(cell, axis) {
  const reasons = frame.blocks?.[axis] ?? [];
  const key = `${frame.explained} ${reasons.join("\n")}`;
  if (cell.shown === key) return;
  cell.shown = key;
  cell.title = reasons.map(([reason]) => reason).join("\n");
  if (!reasons.length) {
    cell.textContent = frame.explained ? "ready" : "not known";
    cell.className = frame.explained ? "ready" : "";
    return;
  }
  cell.className = reasons.every(([, , , moves]) => moves) ? "busy" : "blocked";
  cell.replaceChildren(...reasons.map(([reason, label, blocker, moves, stops]) => {
    const line = document.createElement("div");
    if (moves) line.className = "moves";
    line.append(reason, " ");
    if (!label) return line;
    // Before the words, which may be long: what is cut off in a small box is never the button
    const button = document.createElement("button");
    button.className = stops ? "clear" : "clear needs-control";
    button.textContent = label;
    line.prepend(button);
    if (stops) {
      button.dataset.stop = axis;
      return line;
    }
    button.dataset.emit = "clear";
    button.dataset.value = JSON.stringify({ axis, key: blocker });
    // Another one may have been here a moment ago: a second click is not meant for this one.
    button.disabled = true;
    setTimeout(() => { button.disabled = false; }, NEW);
    return line;
  }));
}

// All that blocks each axis, below the table whose rows have no room for it

function showReasons() {
  const box = $("reasons");
  if (!box) return;
  const lines = Object.entries(frame.blocks ?? {}).map(
    ([axis, reasons]) => `axis ${axis}: ${reasons.map(([reason]) => reason).join("; ")}`);
  text(box, lines.length ? `What blocks the axes, in full:\n${lines.join("\n")}` : "");
}

// A button that was not there, or for something else, a moment ago: a click that was meant for that is none
function appear(button, shown, what = "") {
  if (shown && (button.hidden || button.dataset.value !== what)) {
    button.disabled = true;
    clearTimeout(button.enabling);
    button.enabling = setTimeout(() => { button.disabled = false; }, NEW);
  }
  button.hidden = !shown;
  button.dataset.value = what;
}

// Each has its own place for ever: what is clicked twice meets the same button twice
function showSpeed(fresh) {
  const speed = $("speed-axes"), known = fresh && frame.speed != null;
  speed.disabled = !known || !own.me;
  if (known && !(document.activeElement === speed && performance.now() - chosenAt < CHOOSING)) {
    const value = String(frame.speed);
    if (![...speed.options].some((option) => option.value === value))
      speed.add(new Option(`${value} %`, value));
    if (speed.value !== value) speed.value = value;
  }
  speed.classList.toggle("slow", known && frame.speed < 100);
  const paused = known && frame.paused;
  document.body.classList.toggle("paused", !!paused);
  text($("pause-axes"), paused ? "PAUSED" : "Pause");
  $("resume-axes").disabled = !paused || !own.me;
  $("resume-axes").classList.toggle("dead", !frame.resumable || !own.me);
}

function show() {
  const fresh = !stale() && !!frame.n;
  const lines = (...all) => all.filter(Boolean).join("\n");
  const stopped = !fresh || !frame.estop ? "" : frame.problem ? "EMERGENCY STOP when the machine was lost"
    : `EMERGENCY STOP ${frame.stopped}`;
  const problem = complaint && complaintUntil > Date.now() ? lines(stopped, complaint, frame.problem)
    : !fresh ? "No connection to the panel: what is shown is old. It reconnects by itself."
    : frame.problem || (own.jog ? lines(stopped, own.jog) : lines(own.control, stopped, frame.waits));
  const box = $("problem");
  if (box) { box.hidden = !problem; text(box, problem); box.title = problem; box.classList.toggle("waits", problem === frame.waits); }
  const alarms = fresh ? frame.alarms || "" : "";
  if ($("alarms")) {
    $("alarms").hidden = !alarms;
    text($("alarms"), alarms);
    $("alarms").title = alarms;
    appear($("acknowledge"), fresh && frame.acknowledge, JSON.stringify({ number: frame.acknowledge ?? 0 }));
  }
  document.body.classList.toggle("stale", !fresh || !frame.position);
  document.body.classList.toggle("no-link", !fresh);
  document.body.classList.toggle("restarted", !!frame.restarted);
  document.body.classList.toggle("no-control", !own.me || !fresh);
  if (!$("kind")) return;
  const kind = frame.simulated === undefined || frame.simulated === null ? "NO MACHINE"
    : frame.simulated ? "SIMULATED" : "REAL";
  text($("kind"), kind);
  document.body.dataset.kind = kind;
  for (const each of document.querySelectorAll("[data-state]")) {
    const of = each.dataset.state;
    text(each, `${of === "engine" ? "Engine" : "Network"}: ${(fresh && frame[of]) || "unknown"}`);
  }
  text($("link"), fresh && frame.position ? "live" : "NOT LIVE");
  text($("holder"), !fresh ? "Control: unknown" : own.viewer ? `You only look${frame.holder ? `: ${frame.holder} has control` : ""}`
    : own.me ? `You have control${frame.position ? "" : " of nothing"}`
    : frame.holder ? `Control: ${frame.holder}` : "Viewer: control is free");
  appear($("keep"), fresh && own.asked, "{}");
  $("take").hidden = !!own.me || !!own.viewer;
  $("give").hidden = !own.me;
  for (const item of document.querySelectorAll("[data-page]")) {
    if (item.dataset.page === window.wmxPage) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  const active = fresh && !!frame.estop;  // what an old frame says may have been released since
  $("estop").classList.toggle("active", active);
  text($("estop").querySelector("small"), !active ? "Esc" : frame.problem ? "WAS ACTIVE" : "IS ACTIVE");
  showSpeed(fresh);
  $("release").hidden = !active;
  $("release").classList.toggle("dead", !frame.releasable || !own.me);
  document.body.classList.toggle("estop", active);
  if (!document.hidden) {
    for (const cell of document.querySelectorAll("[data-live]")) {
      const [quantity, axis] = cell.dataset.live.split(":");
      if (quantity === "owner") showOwner(cell, axis);
      else if (quantity === "blocks") showBlocks(cell, Number(axis));
      else if (frame.position && axis < frame.position.length) SHOW[quantity](cell, axis);
    }
    showReasons();
    filterRows();
    for (const see of listeners) see(frame, fresh);
  }
  if (fresh && frame.generation !== window.wmxGeneration) loadAgain();
}

// Of many rows only those with all words that are typed: of the name, the state or what blocks

function filterRows() {
  const field = $("row-filter");
  if (!field) return;
  const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
  const rows = [...document.querySelectorAll(".grid-table.cards tbody tr")];
  for (const row of rows) {
    const content = words.length ? row.textContent.toLowerCase() + (row.querySelector(".blocked") ? " blocked" : "") : "";
    row.hidden = !words.every((word) => content.includes(word));
  }
  $("no-rows").classList.toggle("shown", rows.length > 0 && rows.every((row) => row.hidden));
}
document.addEventListener("input", (event) => { if (event.target.id === "row-filter") filterRows(); });

// What is opened stays open when another text takes its place, as that of a value which changes

const opened = new Set();
document.addEventListener("toggle", ({ target }) => {
  if (!target.dataset?.name) return;
  if (target.open) opened.add(target.dataset.name);
  else opened.delete(target.dataset.name);
}, true);

// At once, before it is painted: nothing moves
new MutationObserver(() => {
  for (const each of document.querySelectorAll("details[data-name]:not([data-seen])")) {
    each.dataset.seen = "";  // from now on it is opened and closed by people only
    each.open = opened.has(each.dataset.name);
  }
}).observe(document, { subtree: true, childList: true });

// For the scripts of pages, which are forgotten when another page is shown
window.wmx = {
  onFrame: (see) => listeners.add(see),
  onLeave: (act) => leaving.add(act),
  leave: () => { for (const act of leaving) act(); leaving.clear(); listeners.clear(); },
  frame: () => frame,
  stale,
  click,
  complain,
};
window.wmxLoaded = Date.now();
setInterval(() => {
  if (stale()) { release(); show(); }
  if (performance.now() - Math.max(newest, triedAt) > DEAD) connect();
  watchStops();
}, 500);
connect();
connectStop();
window.wmxStopped?.then((answer) => tellStop(answer));  // one that was pressed before this was there
const told = sessionStorage.getItem(TOLD), pressed = sessionStorage.getItem(PRESSED);
if (told) complain(told);
if (pressed) {
  complain(`The emergency stop that was pressed at ${pressed} was NOT answered. Look at the machine, and press again.`);
  setTimeout(() => note(PRESSED, ""), COMPLAINT);
}
