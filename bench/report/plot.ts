/** Plots as inline SVG: no script, no network, readable in any browser. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly highlight: boolean;
}

export interface Line {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const WIDTH = 760;
const LABEL_WIDTH = 200;
const BAR_HEIGHT = 20;
const COLORS = ['#1f6f8b', '#d1603d', '#5b8c3a', '#7a4fa3', '#b8860b'] as const;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

/** The powers of ten from below the least to above the greatest value. */
function decades(values: readonly number[]): readonly [number, number] {
  const positive = values.filter((value) => value > 0);
  return [
    Math.floor(Math.log10(Math.min(...positive))),
    Math.max(Math.ceil(Math.log10(Math.max(...positive))), 0),
  ];
}

/** Horizontal bars, the range from low to high as a thin line. */
export function barChart(
  title: string,
  unit: string,
  bars: readonly Bar[],
  scale: 'logarithmic' | 'linear' = 'logarithmic',
): string {
  const ends = bars.flatMap((bar) => [bar.low, bar.high]);
  const axis = scale === 'linear' ? linearAxis(ends) : logarithmicAxis(ends);
  const room = WIDTH - LABEL_WIDTH - 90;
  const x = (value: number): number => LABEL_WIDTH + room * Math.max(0, axis.place(value));
  const height = 30 + bars.length * (BAR_HEIGHT + 6) + 20;
  const parts: string[] = [];
  for (const mark of axis.marks) {
    const at = x(mark).toFixed(1);
    const text = mark.toLocaleString('en');
    parts.push(`<path d="M${at} 24V${height - 18}" stroke="#ddd"/>`);
    parts.push(`<text x="${at}" y="${height - 4}" text-anchor="middle">${text}</text>`);
  }
  bars.forEach((bar, i) => {
    const y = 28 + i * (BAR_HEIGHT + 6);
    const width = (x(bar.value) - LABEL_WIDTH).toFixed(1);
    const fill = bar.highlight ? COLORS[1] : COLORS[0];
    const middle = y + BAR_HEIGHT / 2;
    parts.push(
      `<text x="${LABEL_WIDTH - 8}" y="${middle + 4}" text-anchor="end">${escapeHtml(bar.label)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT}" fill="${fill}"/>`,
      `<path d="M${x(bar.low).toFixed(1)} ${middle}H${x(bar.high).toFixed(1)}" stroke="#000"/>`,
      `<text x="${(x(bar.high) + 6).toFixed(1)}" y="${middle + 4}">${short(bar.value)}</text>`,
    );
  });
  return frame(`${title} (${unit}${scale === 'linear' ? '' : ', logarithmic'})`, height, parts);
}

/** Where values stand on an axis from 0 to 1, and the marks on it. */
interface Axis {
  place(value: number): number;
  readonly marks: readonly number[];
}

function logarithmicAxis(values: readonly number[]): Axis {
  const [low, high] = decades(values);
  const span = Math.max(1, high - low);
  return {
    place: (value) => (Math.log10(value) - low) / span,
    marks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
  };
}

/** From 0 to above the greatest value, with round marks. */
function linearAxis(values: readonly number[]): Axis {
  const top = Math.max(...values, 1);
  const rough = 10 ** Math.floor(Math.log10(top / 2));
  const step = [1, 2, 5, 10].map((times) => times * rough).find((each) => top / each <= 6) ?? top;
  const count = Math.ceil(top / step);
  return {
    place: (value) => value / (count * step),
    marks: Array.from({ length: count + 1 }, (_, i) => i * step),
  };
}

/** Lines over an x axis; y starts at 0. */
export function lineChart(
  title: string,
  units: string,
  lines: readonly Line[],
  scale: 'logarithmic' | 'linear',
): string {
  const points = lines.flatMap((line) => line.points);
  const values = points.map(([x]) => x);
  const axis = scale === 'linear' ? linearAxis(values) : logarithmicAxis(values);
  const upright = linearAxis(points.map(([, y]) => y));
  const height = 260;
  const left = 60;
  const bottom = height - 36;
  const x = (value: number): number => left + (WIDTH - left - 160) * axis.place(value);
  const y = (value: number): number => bottom - (bottom - 30) * upright.place(value);
  const parts: string[] = [];
  for (const mark of axis.marks) {
    const at = x(mark).toFixed(1);
    const text = mark.toLocaleString('en');
    parts.push(`<path d="M${at} 30V${bottom}" stroke="#eee"/>`);
    parts.push(`<text x="${at}" y="${bottom + 16}" text-anchor="middle">${text}</text>`);
  }
  for (const mark of upright.marks) {
    const at = y(mark).toFixed(1);
    const text = mark.toLocaleString('en');
    parts.push(`<path d="M${left} ${at}H${WIDTH - 160}" stroke="#eee"/>`);
    parts.push(`<text x="${left - 6}" y="${at}" text-anchor="end">${text}</text>`);
  }
  lines.forEach((line, i) => {
    const color = COLORS[i % COLORS.length];
    const path = line.points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`);
    parts.push(
      `<polyline points="${path.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`,
    );
    for (const place of path) {
      const [cx, cy] = place.split(',');
      parts.push(`<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`);
    }
    parts.push(
      `<text x="${WIDTH - 150}" y="${44 + i * 18}" fill="${color}">${escapeHtml(line.label)}</text>`,
    );
  });
  return frame(`${title} (${units})`, height, parts);
}

function frame(title: string, height: number, parts: readonly string[]): string {
  return (
    `<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" ` +
    `font-family="sans-serif" font-size="12"><title>${escapeHtml(title)}</title>` +
    `<text x="0" y="14" font-weight="bold">${escapeHtml(title)}</text>${parts.join('')}</svg>`
  );
}
