import { readFileSync } from 'node:fs';

/** Loaded into a service under test: its wall clock is wrong by the milliseconds that a file names. */

const READ_MS = 100;
const path = process.env['CLOCK_FILE'] ?? '';
const now = Date.now.bind(Date);
let byMs = 0;

function read(): void {
  try {
    byMs = Number(readFileSync(path, 'utf8'));
  } catch {
    // The test has not set the clock yet.
    byMs = 0;
  }
}

if (path !== '') {
  read();
  setInterval(read, READ_MS).unref();
  Date.now = () => now() + byMs;
}
