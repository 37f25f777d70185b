import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { createDecodeCells, DecodeBudget, LOAN_MS } from './decode-budget.ts';

const MEGAPIXEL = 1_000_000;
const WAIT_MS_MAX = 60_000;

/** Several threads' views of one budget, and the clock they share. */
function stage(pixelsMax: number) {
  const cells = createDecodeCells(pixelsMax);
  const clock = { ms: 2 ** 31 - 3_000 };
  const budget = (waitMsMax = WAIT_MS_MAX): DecodeBudget =>
    new DecodeBudget(cells, waitMsMax, () => clock.ms);
  return { clock, budget };
}

t.test('loans never exceed the budget, and every image gets one', async (t) => {
  const { budget } = stage(30 * MEGAPIXEL);
  let inUse = 0;
  let most = 0;
  let served = 0;
  const decode = async (pixels: number): Promise<void> => {
    const loan = await budget().take(pixels);
    if (loan === null) return;
    inUse += pixels;
    most = Math.max(most, inUse);
    await delay(1);
    loan.renew();
    inUse -= pixels;
    served += 1;
    loan.release();
  };
  const sizes = Array.from({ length: 60 }, (_, index) => ((index * 7) % 30) + 1);
  await Promise.all(sizes.map((size) => decode(size * MEGAPIXEL)));
  t.equal(served, sizes.length);
  t.ok(most <= 30 * MEGAPIXEL && most >= 20 * MEGAPIXEL, `at most ${most} pixels at once`);
  t.equal(budget().pixels, 0);
});

t.test('a large image is not overtaken for ever by small ones', async (t) => {
  const { budget } = stage(30 * MEGAPIXEL);
  const load = { isOver: false };
  const small = async (): Promise<void> => {
    while (!load.isOver) {
      const loan = await budget().take(10 * MEGAPIXEL);
      await delay(2);
      loan?.release();
    }
  };
  const others = Array.from({ length: 8 }, () => small());
  await delay(10);
  const large = await budget().take(30 * MEGAPIXEL);
  t.equal(budget().pixels, 30 * MEGAPIXEL);
  load.isOver = true;
  large?.release();
  await Promise.all(others);
});

t.test('the loan of a dead thread expires, and cannot disturb the next loan', async (t) => {
  const { clock, budget } = stage(30 * MEGAPIXEL);
  const dead = await budget().take(30 * MEGAPIXEL);
  clock.ms += LOAN_MS - 500;
  t.equal(await budget(-1).take(MEGAPIXEL), null, 'libvips may still work on it');
  dead?.renew();
  clock.ms += LOAN_MS - 500;
  t.equal(await budget(-1).take(MEGAPIXEL), null, 'renewed before the next call to libvips');
  clock.ms += 600;
  const next = await budget().take(30 * MEGAPIXEL);
  t.ok(next);
  dead?.renew();
  dead?.release();
  t.equal(budget().pixels, 30 * MEGAPIXEL, 'an expired holder takes nothing from the next');
  next?.release();
  t.equal(budget().pixels, 0);
});

t.test('a wait that takes too long ends without a loan', async (t) => {
  const { clock, budget } = stage(30 * MEGAPIXEL);
  const holder = await budget().take(20 * MEGAPIXEL);
  t.equal(await budget(-1).take(30 * MEGAPIXEL), null, 'it gets no loan');
  t.equal(budget().pixels, 20 * MEGAPIXEL, 'and gives back what it had taken');
  holder?.release();
  clock.ms += LOAN_MS + 1_000;
  t.ok(await budget(-1).take(30 * MEGAPIXEL));
});
