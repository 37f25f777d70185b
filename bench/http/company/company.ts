import type { Service } from '../../../lab/service/service.ts';
import { dropBombs } from './bombs.ts';
import { floodElsewhere } from './flood-elsewhere.ts';
import { holdSlowSenders } from './slow-senders.ts';
import { prepareStalledFiles, prepareStalledSync } from './stalled-readers.ts';

/** Badly behaved callers, or editors, that are there while a load runs. */
export interface Company {
  /** Ends all of them. */
  release(): void | Promise<void>;
}

/** Starts the company; everything it needs is prepared beforehand. */
export type Arrive = () => Promise<Company>;

/** Company whose arrival and departure the same load is measured around. */
export type CompanyName =
  'slow senders' | 'stalled files' | 'stalled sync' | 'refused elsewhere' | 'bombs';

const SENDERS = 1_000;
const READERS = 200;
/** Refused requests beside a load, as a multiple of the peak: those of an overload of ten times. */
const REFUSED = 9;

/** Makes the company ready. `scale` multiplies its usual size; the peak is in receipts a second. */
export function prepareCompany(
  name: CompanyName,
  service: Service,
  scale: number,
  peakPerSecond: number,
): Promise<Arrive> {
  switch (name) {
    case 'slow senders':
      return Promise.resolve(() => holdSlowSenders(service, Math.ceil(SENDERS * scale)));
    case 'stalled files':
      return prepareStalledFiles(service, Math.ceil(READERS * scale));
    case 'stalled sync':
      return prepareStalledSync(service, Math.ceil(READERS * scale));
    case 'refused elsewhere':
      return Promise.resolve(() => floodElsewhere(service, Math.ceil(REFUSED * peakPerSecond)));
    case 'bombs':
      return Promise.resolve(() => dropBombs(service));
  }
}
