/** An area of the window, in CSS pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Pixels between two places that are tried. */
const STEP = 8;

/**
 * How far `box` moves so that it covers none of the `obstacles`: as little as possible, up and down
 * before across. Where `room` has no free place, it moves to one that covers fewest of them.
 */
export function freePlace(
  box: Area,
  room: Area,
  obstacles: readonly Area[],
): { readonly x: number; readonly y: number } {
  const middle = (room.left + room.right - box.left - box.right) / 2;
  const acrossAll = [0, middle, room.left - box.left, room.right - box.right].filter(
    (x, index, all) => isInside(box.left + x, box.right + x, room) && all.indexOf(x) === index,
  );
  let best = { x: 0, y: 0 };
  let fewest = coveredBy(box, obstacles);
  for (const x of acrossAll) {
    for (const y of steps(room.top - box.top, room.bottom - box.bottom)) {
      if (fewest === 0) return best;
      const covered = coveredBy(moved(box, x, y), obstacles);
      if (covered >= fewest) continue;
      fewest = covered;
      best = { x, y };
    }
  }
  return best;
}

/** Distances to try, the nearest first; none when there is no room. */
function* steps(min: number, max: number): Generator<number> {
  for (let distance = 0; distance <= Math.max(-min, max); distance += STEP) {
    if (-distance >= min) yield -distance;
    if (distance > 0 && distance <= max) yield distance;
  }
}

function isInside(left: number, right: number, room: Area): boolean {
  return left >= room.left && right <= room.right;
}

function moved({ left, top, right, bottom }: Area, x: number, y: number): Area {
  return { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
}

function coveredBy(box: Area, obstacles: readonly Area[]): number {
  let count = 0;
  for (const { left, top, right, bottom } of obstacles) {
    if (left < box.right && right > box.left && top < box.bottom && bottom > box.top) count += 1;
  }
  return count;
}
