/**
 * Longest turn of this thread's event loop. CPU time where it is less than the time that passed:
 * other work on the machine does not count. CPU time alone would be too much on systems that count
 * it in ticks of 4 ms.
 */
export class TurnMeter {
  longestMs = 0;
  #running = true;
  #last = process.threadCpuUsage();
  #lastMs = performance.now();

  constructor() {
    const turn = (): void => {
      const { user, system } = process.threadCpuUsage(this.#last);
      const turnMs = Math.min((user + system) / 1000, performance.now() - this.#lastMs);
      this.longestMs = Math.max(this.longestMs, turnMs);
      this.#last = process.threadCpuUsage();
      this.#lastMs = performance.now();
      if (this.#running) setImmediate(turn);
    };
    setImmediate(turn);
  }

  stop(): void {
    this.#running = false;
  }
}
