import t from 'tap';
import { type Area, freePlace } from '../../studio/src/app/free-place.ts';

const ROOM: Area = { left: 100, top: 0, right: 1_000, bottom: 600 };
const BOX: Area = { left: 700, top: 450, right: 1_000, bottom: 500 };

function area(left: number, top: number, width: number, height: number): Area {
  return { left, top, right: left + width, bottom: top + height };
}

t.test('a message moves to the nearest place where it covers nothing', (t) => {
  t.strictSame(freePlace(BOX, ROOM, []), { x: 0, y: 0 });
  t.strictSame(freePlace(BOX, ROOM, [area(0, 450, 700, 50)]), { x: 0, y: 0 }, 'edges may touch');
  t.strictSame(freePlace(BOX, ROOM, [area(900, 480, 80, 30)]), { x: 0, y: -24 }, 'up');
  t.strictSame(freePlace(BOX, ROOM, [area(900, 440, 80, 30)]), { x: 0, y: 24 }, 'or down');
  const column = [area(900, 0, 80, 600)];
  t.strictSame(freePlace(BOX, ROOM, column), { x: -300, y: 0 }, 'or across');
  t.end();
});

t.test('a page of buttons only has fewest of them covered, within the page', (t) => {
  const rows = [0, 100, 200, 300, 400, 500].map((top) => area(100, top, 900, 100));
  const { x, y } = freePlace({ ...BOX, top: 475, bottom: 525 }, ROOM, rows);
  t.equal(x, 0);
  t.equal(y, -32, 'one row instead of two');
  const narrow = { ...ROOM, right: 300 };
  t.strictSame(freePlace(BOX, narrow, rows), { x: 0, y: 0 }, 'no room: it stays');
  t.end();
});
