// Live plots of one axis: asks for the last seconds, thinned to what a screen can show.

const PERIOD = 250;
let plot = null;

// A curve has a gap where a number is none; it comes as a text then
const drawn = (value) => (Number.isFinite(value) ? value : NaN);
const digits = (value, number) => (Number.isFinite(value) ? value.toFixed(number) : "no number");

// What is shown beside the pointer: the time once, and each quantity with the digits that it has
const DIGITS = { command: 4, feedback: 4, "following error": 5, velocity: 3, torque: 1 };
function tip(items) {
  const known = items.filter((item) => item.value);  // what is drawn now may have fewer points
  const rows = Object.keys(DIGITS).flatMap((name) => known.filter((item) => item.seriesName === name))
    .map(({ marker, seriesName, value }) => `${marker}${seriesName} <b>${digits(value[1], DIGITS[seriesName])}</b>`);
  return known.length ? [`${known[0].value[0].toFixed(2)} s`, ...rows].join("<br>") : "";
}

// What is drawn of the axis, in the order of the curves of its chart, and of the columns of its file
const QUANTITIES = ["command", "position", "velocity", "torque", "following_error"];
const ask = (axis, more) =>
  new URLSearchParams({ channels: QUANTITIES.map((quantity) => `${axis}:${quantity}`).join(","), ...more });

function say(text) {
  const state = document.getElementById("plot-state");
  if (state && state.textContent !== text) state.textContent = text;
}

async function draw() {
  const mine = plot;
  if (!mine) return;
  const chart = getElement(mine.chart)?.chart;
  if (mine.seen && !chart) { plot = null; return; }
  if (chart && !mine.paused && !document.hidden && !window.wmx.stale()) {
    if (!mine.seen) chart.getZr().on("dblclick", () => chart.dispatchAction({ type: "dataZoom", start: 0, end: 100 }));
    mine.seen = true;
    try {
      const answer = await fetch(`/scope-data?${ask(mine.axis, { seconds: mine.seconds, points: 600 })}`);
      if (!answer.ok) throw new Error(await answer.text());
      const data = await answer.json();
      const pairs = (values) => values.map((value, i) => [data.time[i], drawn(value)]);
      const dark = document.body.classList.contains("body--dark");
      const ink = dark ? "#ddd" : "#222";
      if (plot === mine && !mine.paused) {
        mine.shown = { end: data.end, seconds: data.time.length ? mine.seconds : 0 };
        chart.setOption({
          textStyle: { color: ink },
          legend: { textStyle: { color: ink } },
          tooltip: { confine: true, formatter: tip, backgroundColor: dark ? "#222e" : "#fffe", borderColor: "#888", textStyle: { color: ink } },
          xAxis: Array(4).fill({ min: -mine.seconds, axisLabel: { color: ink }, splitLine: { lineStyle: { color: "#8884" } } }),
          yAxis: Array(4).fill({ nameTextStyle: { color: ink }, axisLabel: { color: ink }, splitLine: { lineStyle: { color: "#8884" } } }),
          series: data.rows.map((row) => ({ data: pairs(row) })),
        });
      }
      if (plot === mine) say("");
    } catch (error) {
      // Without an answer the panel is away, which the bar tells.
      if (plot === mine && !(error instanceof TypeError)) say(error.message);
    }
  }
  if (plot === mine) setTimeout(draw, PERIOD);
}

window.wmxPlot = {
  start(options) { plot = { ...options, paused: false, seen: false }; draw(); },
  window(seconds) { if (plot) plot.seconds = seconds; },
  pause() {
    if (!plot) return;
    plot.paused = !plot.paused;
    document.querySelector("#pause .block, #pause span.block")
      ?.replaceChildren(plot.paused ? "Continue" : "Freeze");
  },
  // All samples of what is drawn: of the time at which it was paused, and of no other
  csv() {
    if (!plot?.shown?.seconds) return;
    const { end, seconds } = plot.shown;
    const link = document.createElement("a");
    link.href = `/scope.csv?${ask(plot.axis, { seconds, until: end })}`;
    link.download = `axis_${plot.axis}.csv`;
    link.click();
  },
  png(name) {
    const chart = plot && getElement(plot.chart)?.chart;
    if (!chart) return;
    const link = document.createElement("a");
    const dark = document.body.classList.contains("body--dark");
    link.href = chart.getDataURL({ type: "png", backgroundColor: dark ? "#121212" : "#fff" });
    link.download = name;
    link.click();
  },
};
