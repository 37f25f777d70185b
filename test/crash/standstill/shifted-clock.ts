import { readFileSync } from 'node:fs';

/**
 * Preloaded into a service: its wall clock is off by the milliseconds in the file `CLOCK_SHIFT_FILE`,
 * which is read again ten times a second. The monotonic clock stays as it is.
 */
const READ_MS = 100;

const path = process.env['CLOCK_SHIFT_FILE'] ?? '';
const { now } = Date;
let shiftMs = 0;

function read(): void {
  shiftMs = Number(readFileSync(path, 'latin1'));
}

read();
setInterval(read, READ_MS).unref();
Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args: unknown[], newTarget: NewableFunction) =>
    Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget) as Date,
});
