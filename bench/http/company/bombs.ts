import { setTimeout as pause } from 'node:timers/promises';
import { SHAPES } from '../../../lab/shapes/index.ts';
import { Fleet } from '../../../lab/load/wire.ts';
import { generateRequest } from '../../../lab/load/requests.ts';
import type { Service } from '../../../lab/service/service.ts';
import { bombBody } from '../../../lab/service/templates.ts';
import type { Company } from './company.ts';

/** Sends one request; gives the milliseconds to the last byte of its response. */
function timeRequest(
  url: string,
  request: Buffer,
  ...expected: readonly number[]
): Promise<number> {
  return new Promise((resolve, reject) => {
    const fleet = new Fleet(url, 1, (sent, status) => {
      fleet.close();
      if (expected.includes(status)) resolve(performance.now() - sent.writtenMs);
      else reject(new Error(`answered ${status} where ${expected.join(' or ')} was expected`));
    });
    fleet.send(request, performance.now(), true);
  });
}

function receiptRequest({ url, keys }: Service): Buffer {
  const { template, document } = SHAPES.A;
  const { data } = document(1, { cold: false });
  const body = JSON.stringify({ templateId: template['templateId'], mode: 'sync', data });
  return generateRequest(url, keys[1], body);
}

/** Sends one bomb after the other, so that one renderer is always busy with a bomb. */
export async function dropBombs({ url, keys }: Service): Promise<Company> {
  const request = generateRequest(url, keys[1], bombBody(0));
  await timeRequest(url, request, 422);
  const attack = { isOver: false };
  const dropping = (async () => {
    // 503: a full queue drops jobs of templates that ended threads first.
    while (!attack.isOver) await timeRequest(url, request, 422, 503);
  })();
  // A failure is reported by release(), which awaits the same promise.
  dropping.catch(() => undefined);
  return {
    release: () => {
      attack.isOver = true;
      return dropping;
    },
  };
}

/**
 * Occupies every renderer with a bomb and queues a receipt behind them. Returns the milliseconds
 * from the bombs' time limit to the receipt's last byte. `bombIndex`, 1 to BOMBS - 1, selects a
 * fresh template: one that has ended threads gets one renderer only.
 */
export async function timeReturn(
  service: Service,
  threads: number,
  limitMs: number,
  bombIndex: number,
): Promise<number> {
  const bomb = generateRequest(service.url, service.keys[1], bombBody(bombIndex));
  const startMs = performance.now();
  const bombs = Array.from({ length: threads }, () => timeRequest(service.url, bomb, 422));
  // Late enough for the bombs to run, early enough to wait for their end.
  await pause(limitMs / 2);
  await timeRequest(service.url, receiptRequest(service), 200);
  const backMs = performance.now() - startMs - limitMs;
  await Promise.all(bombs);
  return backMs;
}
