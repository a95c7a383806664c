// Numbers over time as a small picture: a line, its first and last value. No script draws it.

import { type Markup, markup } from "../../report/page/markup.js";

const WIDTH = 640;
const HEIGHT = 120;
const MARGIN = 4;

/**
 * @param label what grows, for readers and for those who do not see the picture
 * @param points in the order of x; fewer than two are no curve
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
  return markup`<figure><figcaption>${says}</figcaption><svg class="curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${says}"><path d="${path}"/></svg></figure>\n`;
}

const round = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toPrecision(3);
