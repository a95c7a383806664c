// Draws numbers over time as a small picture that starts at zero. Below the line it prints the
// first and the last value with their times. No script is needed.

import { type Markup, markup } from "../../report/page/markup.js";
import { grouped } from "../../report/page/table.js";

const WIDTH = 640;
const HEIGHT = 120;
const MARGIN = 4;

/**
 * Draws a curve; null for fewer than two points.
 * @param label the quantity, also for screen readers
 * @param points seconds and a value, in the order of time
 */
export function curve(
  label: string,
  points: readonly (readonly [x: number, y: number])[],
): Markup | null {
  if (points.length < 2) return null;
  const [first, last] = [points[0], points[points.length - 1]];
  const highest = points.reduce((most, [, y]) => Math.max(most, y), 0);
  const span = last[0] - first[0] || 1;
  const path = points
    .map(([x, y], i) => {
      const across = MARGIN + ((x - first[0]) / span) * (WIDTH - 2 * MARGIN);
      const down = HEIGHT - MARGIN - (y / (highest || 1)) * (HEIGHT - 2 * MARGIN);
      return `${i === 0 ? "M" : "L"}${across.toFixed(1)} ${down.toFixed(1)}`;
    })
    .join("");
  const says = `${label}: ${round(first[1])} at first, ${round(last[1])} at last, ${round(highest)} at most`;
  const [begin, end] = [first, last].map(([x, y]) => `${round(y)} after ${describeTime(x)}`);
  return markup`<figure><figcaption>${label}, ${round(highest)} at most</figcaption><svg class="curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${says}"><path d="${path}"/></svg><p class="axis"><span>${begin}</span><span>${end}</span></p></figure>\n`;
}

const round = (value: number): string =>
  grouped(Number.isInteger(value) ? value : Number(value.toPrecision(3)));

function describeTime(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
