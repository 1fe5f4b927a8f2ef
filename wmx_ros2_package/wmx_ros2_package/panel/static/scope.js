// The scope: curves of any quantities of any axes over one time, cursors, and a trigger.

const PERIOD = 250, POINTS = 1000;
const $ = (id) => document.getElementById(id);
let scope = null;

const ask = (curves, more) =>
  `channels=${curves.map((each) => each.key).join(",")}&${new URLSearchParams(more)}`;

// The plot while it is on the page, and how many curves it has
function shown({ chart: id }) {
  const chart = getElement(id)?.chart;
  return chart && !chart.isDisposed() ? chart : undefined;
}
// What comes as a text is no number: its curve has a gap there
const digits = (value) => (value === undefined ? "—" : Number.isFinite(value) ? value.toFixed(5) : `${value}`);
const drawn = (chart) => chart.getOption()?.series?.length ?? 0;

// One plot for each unit, above each other, over one time
function options(dark) {
  const { curves, seconds } = scope;
  const ink = dark ? "#ddd" : "#222";
  const units = [...new Set(curves.map((each) => each.unit))];
  const height = 84 / Math.max(units.length, 1);
  const line = { splitLine: { lineStyle: { color: "#8884" } }, axisLabel: { color: ink, hideOverlap: true }, axisLine: { onZero: false } };
  return {
    animation: false,
    textStyle: { color: ink },
    color: curves.map((each) => each.color),
    legend: { type: "scroll", top: 0, itemWidth: 40, textStyle: { color: ink }, data: curves.map((each) => each.name) },
    axisPointer: { link: [{ xAxisIndex: "all" }] },
    tooltip: { trigger: "axis", confine: true, backgroundColor: dark ? "#222e" : "#fffe", textStyle: { color: ink }, valueFormatter: digits },
    grid: units.map((_, i) => ({ left: 70, right: 16, top: `${10 + i * height}%`, height: `${height - 10}%`, outerBoundsMode: "none" })),
    xAxis: units.map((_, i) => ({ type: "value", gridIndex: i, min: -seconds, max: 0, ...line })),
    yAxis: units.map((unit, i) => ({ type: "value", gridIndex: i, scale: true, name: unit, nameTextStyle: { color: ink, align: "left" }, nameGap: 6, ...line })),
    dataZoom: [{ type: "inside", xAxisIndex: units.map((_, i) => i), filterMode: "none", zoomOnMouseWheel: "shift" }],
    series: curves.map((each) => ({
      name: each.name, type: "line", showSymbol: false, data: [],
      xAxisIndex: units.indexOf(each.unit), yAxisIndex: units.indexOf(each.unit),
      lineStyle: { width: 2, type: each.dash },
    })),
  };
}

function marks(end) {
  const { A, B } = scope.cursors;
  const data = [["A", A], ["B", B]].filter(([, cursor]) => cursor !== undefined && cursor.time - end >= -scope.seconds)
    .map(([name, { time }]) => ({ xAxis: time - end, label: { formatter: name } }));
  return { symbol: "none", animation: false, silent: true, lineStyle: { color: "#ef4444", type: "solid" }, data };
}

async function fetched(curves, more) {
  const answer = await fetch(`/scope-data?${ask(curves, more)}`);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function draw() {
  const mine = scope;
  if (!mine) return;
  const chart = shown(mine);
  if (mine.seen && !chart) { scope = null; return; }
  if (chart && !document.hidden) {
    if (!mine.seen) listen(chart);
    mine.seen = true;
    const dark = document.body.classList.contains("body--dark");
    // NiceGUI draws its own empty plot once it is shown, maybe after this one.
    if (drawn(chart) !== mine.curves.length || mine.made !== `${dark} ${mine.asked}`) {
      mine.made = `${dark} ${mine.asked}`;
      chart.setOption(options(dark), true);
      mine.old = true;
    }
    if (!mine.curves.length) mine.data = null;
    else if ((!mine.paused && !window.wmx.stale()) || mine.old) {
      try {
        const until = mine.paused && mine.shown ? { until: mine.shown.end } : {};
        const asked = mine.asked, curves = mine.curves;
        const data = await fetched(curves, { seconds: mine.seconds, points: POINTS, ...until });
        if (scope === mine && asked === mine.asked && (!mine.paused || until.until)) {
          mine.old = false;
          mine.data = data;
          mine.shown = { end: data.end, seconds: mine.seconds, curves };
          look(data);
          say("");
        }
      } catch (error) { say(`${error.message || "no answer"}`); }
    }
    // The page may have been left since.
    if (scope === mine && mine.data && shown(mine) && drawn(chart) === mine.data.rows.length) {
      const { data } = mine;
      const mark = marks(data.end);
      chart.setOption({ series: data.rows.map((row) => ({ data: row.map((value, i) => [data.time[i], Number.isFinite(value) ? value : NaN]), markLine: mark })) });
    }
  }
  if (scope === mine) setTimeout(draw, PERIOD);
}

// The trigger: where the first curve crosses the level, half a window later, the scope is paused

function look(data) {
  const trigger = scope.trigger;
  if (!trigger || scope.paused) return;
  if (trigger.at === undefined) {
    const row = data.rows[0] ?? [];
    for (let i = 1; i < row.length; i += 1) {
      const time = data.end + data.time[i];
      if (time <= trigger.from) continue;
      const rises = row[i - 1] <= trigger.level && row[i] > trigger.level;
      const falls = row[i - 1] >= trigger.level && row[i] < trigger.level;
      if (trigger.edge === "rising" ? rises : falls) { trigger.at = time; break; }
    }
  }
  if (trigger.at !== undefined && data.end >= trigger.at + scope.seconds / 2) {
    scope.trigger = null;
    pause(true);
    scope.shown.end = trigger.at + scope.seconds / 2;
    scope.old = true;
    put("A", trigger.at);
  }
}

// Cursors: of a time of the machine, so that they stay at what they mark

function listen(chart) {
  chart.getZr().on("click", (event) => {
    if (!scope?.data) return;
    const grid = chart.getOption().grid.findIndex((_, i) => chart.containPixel({ gridIndex: i }, [event.offsetX, event.offsetY]));
    if (grid < 0) return;
    const [time] = chart.convertFromPixel({ gridIndex: grid }, [event.offsetX, event.offsetY]);
    put(scope.cursors.next, scope.data.end + time);
    scope.cursors.next = scope.cursors.next === "A" ? "B" : "A";
  });
  chart.getZr().on("dblclick", () => chart.dispatchAction({ type: "dataZoom", start: 0, end: 100 }));
}

// The values of all samples, not of those that the screen has room for
async function put(name, time) {
  const mine = scope, { curves } = mine;
  try {
    // Times of samples come in whole milliseconds: the sample that is meant may be a little later.
    const data = await fetched(curves, { seconds: 0.1, until: time + 0.0005, points: 100 });
    if (scope !== mine || curves !== mine.curves) return;
    const known = data.time.length > 0 && time - data.end < 0.1;
    mine.cursors[name] = { time: known ? data.end : time, values: data.rows.map((row) => (known ? row[row.length - 1] : undefined)) };
  } catch (error) { say(error.message); }
  list();
}

function list() {
  const table = $("scope-values");
  if (!table || !scope) return;
  const { A, B } = scope.cursors;
  const less = (a, b) => (a === undefined || b === undefined ? undefined : b - a);
  const rows = [["", "A", "B", "B - A", ""]];
  if (A || B) {
    rows.push(["time", A?.time.toFixed(3) ?? "—", B?.time.toFixed(3) ?? "—", less(A?.time, B?.time)?.toFixed(3) ?? "—", "s"]);
    scope.curves.forEach((each, i) => rows.push(
      [each.name, digits(A?.values[i]), digits(B?.values[i]), digits(less(A?.values[i], B?.values[i])), each.unit]));
  }
  table.replaceChildren(...(rows.length > 1 ? rows : []).map((cells, at) => {
    const row = document.createElement("tr");
    row.append(...cells.map((content) => {
      const cell = document.createElement(at ? "td" : "th");
      cell.textContent = content;
      return cell;
    }));
    return row;
  }));
}

function say(text) {
  const state = $("scope-state");
  if (!state || !scope) return;
  const waits = scope.trigger ? (scope.trigger.at === undefined ? "armed" : "triggered") : scope.paused ? "paused" : scope.disarmed;
  const shown = text || waits;
  if (state.textContent !== shown) state.textContent = shown;
}

function pause(paused) {
  scope.paused = paused;
  scope.disarmed = "";
  document.querySelector("#pause .block, #pause span.block")?.replaceChildren(paused ? "Continue" : "Freeze");
  say("");
}

window.wmxScope = {
  start(asked) {
    scope = { ...asked, asked: JSON.stringify([asked.curves, asked.seconds]), cursors: { next: "A" }, paused: false, trigger: null, disarmed: "" };
    draw();
  },
  curves(curves) {
    if (!scope) return;
    if (scope.trigger && curves[0]?.key !== scope.curves[0].key) {
      scope.trigger = null;
      scope.disarmed = "disarmed: the first curve is another one";
    }
    Object.assign(scope, { curves, data: null, cursors: { next: "A" }, asked: JSON.stringify([curves, scope.seconds]) });
    list();
    say("");
  },
  window(seconds) {
    if (scope) Object.assign(scope, { seconds, asked: JSON.stringify([scope.curves, seconds]) });
  },
  pause() { if (scope) { scope.trigger = null; pause(!scope.paused); } },
  arm({ edge, level }) {
    if (!scope) return;
    scope.trigger = edge && scope.curves.length ? { edge, level, from: window.wmx.frame().time ?? scope.data?.end ?? 0 } : null;
    pause(false);
  },
  forget() { if (scope) { scope.cursors = { next: "A" }; list(); } },
  // All samples of what is drawn: of the time at which it was paused, and of no other
  save(kind) {
    if (!scope?.shown) return;
    const { end, seconds, curves } = scope.shown;
    const link = document.createElement("a");
    link.href = `/scope.${kind}?${ask(curves, { seconds, until: end })}`;
    link.download = `scope.${kind}`;
    link.click();
  },
};
