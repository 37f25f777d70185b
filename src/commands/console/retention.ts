const DAY_SECONDS = 86_400;

/** When documents that are kept for less than a day are gone; '' if they are kept longer. */
export function soonGone(seconds: number, nowMs: number): string {
  if (seconds >= DAY_SECONDS) return '';
  const at = new Date(nowMs + seconds * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  return `documents are kept for ${inUnits(seconds)} only: one that is stored now is gone at ${at}`;
}

function inUnits(seconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  return units.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}
