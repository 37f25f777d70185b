import { setTimeout as pause } from 'node:timers/promises';
import { SHAPES } from '../shapes/index.ts';
import { bombBody } from './extra.ts';
import { generateRequest } from './requests.ts';
import type { Service } from './service.ts';
import type { Company } from './slow.ts';
import { Fleet } from './load/wire.ts';

/** Sends one request and gives the milliseconds to its last byte. Other answers throw. */
function timeRequest(url: string, request: Buffer, ...expected: number[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const fleet = new Fleet(url, 1, (sent, got) => {
      fleet.close();
      if (expected.includes(got)) resolve(performance.now() - sent.writtenMs);
      else reject(new Error(`answered ${got} where ${expected.join(' or ')} was expected`));
    });
    fleet.send(request, performance.now(), true);
  });
}

function receipt({ url, keys }: Service): Buffer {
  const { template, document } = SHAPES.A;
  const { data } = document(1, { cold: false });
  const body = JSON.stringify({ templateId: template['templateId'], mode: 'sync', data });
  return generateRequest(url, keys[1], body);
}

/** One bomb after the other: a renderer is always lost to them. */
export async function dropBombs({ url, keys }: Service): Promise<Company> {
  const request = generateRequest(url, keys[1], bombBody(0));
  await timeRequest(url, request, 422);
  const attack = { isOver: false };
  const dropping = (async () => {
    // 503: in a full queue, what ends threads gives way first.
    while (!attack.isOver) await timeRequest(url, request, 422, 503);
  })();
  // Told at the release, which waits for it.
  dropping.catch(() => undefined);
  return {
    release: () => {
      attack.isOver = true;
      return dropping;
    },
  };
}

/**
 * A bomb in every place, and behind them a receipt: milliseconds from the time limit of the bombs to
 * its last byte. Starting the bombs and rendering the receipt are part of it. `time` from 1 to
 * BOMBS - 1: who ends threads again and again would get one place only.
 */
export async function timeReturn(
  service: Service,
  threads: number,
  limitMs: number,
  time: number,
): Promise<number> {
  const bomb = generateRequest(service.url, service.keys[1], bombBody(time));
  const startMs = performance.now();
  const bombs = Array.from({ length: threads }, () => timeRequest(service.url, bomb, 422));
  // Late enough for the bombs to run, early enough to wait for their end.
  await pause(limitMs / 2);
  await timeRequest(service.url, receipt(service), 200);
  const backMs = performance.now() - startMs - limitMs;
  await Promise.all(bombs);
  return backMs;
}
