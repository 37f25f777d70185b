import t from 'tap';
import { startProgress } from './progress.ts';

t.test(
  'without a terminal, progress is a line whenever something was made since the last one',
  async (t) => {
    const told: string[] = [];
    const line = new Promise<void>((resolve) => {
      const progress = startProgress(
        500,
        (message) => {
          told.push(message);
          progress.stop();
          resolve();
        },
        false,
        5,
      );
      progress.update({ made: 40, failed: 2, skipped: 8 });
    });
    // The timer of the progress does not keep the process alive, so this one must.
    const alive = setInterval(() => undefined, 1_000);
    await line;
    clearInterval(alive);
    t.match(told, [/^50 of 500 records after 0 s, 2 failed$/]);
  },
);
