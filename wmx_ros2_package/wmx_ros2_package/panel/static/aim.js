// A press is meant for what was under the pointer a moment ago. A button that has come there since, for a dialog
// has closed, a page has come or a row has moved, does nothing, unless it is a stop: those keep their places.

const NEW = 700;  // ms for which such a button does nothing
const NEAR = 40;  // px by which a hand moves that presses twice
const ACTS = "button, [data-hold], [data-emit], [role=switch], [role=checkbox]";
const STOPS = "#estop, [data-stop]";
const MOVES = "[data-hold], .needs-control";  // what gives orders to the machine
const OVER = ".q-menu, .q-dialog__inner > *";  // what lies over the page for a while
const covers = new Map();  // where each of those is, or was NEW ago, and when it was seen last
let pointer = null;  // where it was seen last, and what was under it
let came = { at: -Infinity };  // when something else came under a pointer that rests, and where

const actingAt = (x, y) => document.elementFromPoint(x, y)?.closest(ACTS) ?? null;
const same = (one, other) => one === other || one?.outerHTML === other?.outerHTML;  // some are made anew as they were

// An area with both in it: what closes may shrink before it goes
const both = (one, other = one) => ({
  left: Math.min(one.left, other.left), right: Math.max(one.right, other.right),
  top: Math.min(one.top, other.top), bottom: Math.max(one.bottom, other.bottom),
});

function look() {
  const now = performance.now();
  for (const each of document.querySelectorAll(OVER))
    covers.set(each, { at: now, area: both(each.getBoundingClientRect(), covers.get(each)?.area) });
  for (const [each, { at }] of covers) if (now - at > NEW) covers.delete(each);
  if (pointer) lookUnderPointer();
}

// Whether a press was meant for what has just closed, though the pointer has come there after that
function isBehind({ target, clientX: x, clientY: y }) {
  const within = ({ area: { left, right, top, bottom } }) => left <= x && x <= right && top <= y && y <= bottom;
  return !target.closest?.(OVER) && !!pointer.under?.matches(MOVES) && [...covers.values()].some(within);
}

function lookUnderPointer() {
  const { x, y, under } = pointer, now = actingAt(x, y);
  if (same(under, now)) return;
  came = { x, y, at: performance.now() };
  pointer.under = now;
}

function point({ clientX: x, clientY: y }) {
  look();  // at its old place first, so that its own move is no change
  pointer = { x, y, under: actingAt(x, y) };
}

let strayed = false;  // whether the newest press was meant for something else
document.addEventListener("pointermove", point, true);
document.addEventListener("pointerdown", (event) => {
  point(event);
  const isNew = performance.now() - came.at < NEW && Math.hypot(came.x - event.clientX, came.y - event.clientY) < NEAR;
  strayed = (isNew || isBehind(event)) && !!pointer.under && !pointer.under.matches(STOPS);
  if (!strayed) return;
  event.stopImmediatePropagation();
  window.wmx?.complain("What is under the pointer was not there a moment ago: press again.");
}, true);
document.addEventListener("click", (event) => {
  if (!strayed || !event.detail) return;  // a click by a key is meant for what has the focus
  strayed = false;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
// Who turns the wheel sees what comes.
document.addEventListener("wheel", () => { pointer = null; }, { capture: true, passive: true });
setInterval(look, 100);
