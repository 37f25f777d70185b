import type { Socket } from 'node:net';
import { Fleet } from '../../../lab/load/wire.ts';
import { generateRequest } from '../../../lab/load/requests.ts';
import { storeDocument } from '../../../lab/service/service.ts';
import type { Service } from '../../../lab/service/service.ts';
import { pictureBody } from '../../../lab/service/templates.ts';
import type { Arrive, Company } from './company.ts';
import { openSocket } from './socket.ts';

/** Concurrent requests while readers connect: few enough for the queue to accept them all. */
const ASKING_MAX = 16;
const RESPONSE_TIMEOUT_MS = 30_000;
/**
 * Documents that are attached to make a larger one: a picture and three make four (2.8 MB), a
 * picture and three of those make thirteen (8.9 MB).
 */
const ATTACHED = 3;

async function storeMerged(service: Service, attach: readonly string[]): Promise<string> {
  return storeDocument(service, pictureBody('async', attach));
}

/** Stores a document of four pictures; gives the attachments that make it thirteen. */
async function storeFour(service: Service): Promise<readonly string[]> {
  const one = await storeMerged(service, []);
  return times(await storeMerged(service, times(one)));
}

function times(documentId: string): readonly string[] {
  return Array.from({ length: ATTACHED }, () => documentId);
}

/** Resolves when the response has begun; the caller reads nothing from the connection. */
function begun(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer begins')), RESPONSE_TIMEOUT_MS);
    const settle = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.once('readable', settle);
    // The service has cut the connection already, which counts as stalled.
    socket.once('close', settle);
  });
}

async function holdReaders(url: string, request: Buffer, count: number): Promise<Company> {
  const sockets: Socket[] = [];
  let connected = 0;
  const release = (): void => sockets.forEach((socket) => socket.destroy());
  const connectMore = async (): Promise<void> => {
    while (connected < count) {
      connected += 1;
      const socket = await openSocket(url);
      sockets.push(socket);
      socket.write(request);
      await begun(socket);
    }
  };
  try {
    await Promise.all(Array.from({ length: ASKING_MAX }, connectMore));
    return { release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Reads as many responses to the end first, because the memory for that must not count as growth. */
async function rehearse(url: string, request: Buffer, count: number): Promise<void> {
  const callers = Math.min(count, ASKING_MAX / 2);
  let unsent = count - callers;
  let broken = 0;
  const send = (): void => {
    if (!fleet.send(request, performance.now(), true)) broken += 1;
  };
  const fleet = new Fleet(url, callers, (_sent, status) => {
    if (status !== 200) broken += 1;
    unsent -= 1;
    if (unsent >= 0) send();
  });
  try {
    for (let i = 0; i < callers; i++) send();
    await fleet.done();
  } finally {
    fleet.close();
  }
  if (broken > 0) throw new Error(`${broken} of ${count} large documents did not come`);
}

/** Readers of a stored file of 8.9 MB that stop reading when the response begins. */
export async function prepareStalledFiles(service: Service, count: number): Promise<Arrive> {
  const id = await storeMerged(service, await storeFour(service));
  const { url, keys } = service;
  const head =
    `GET /v1/documents/${id}?download=1 HTTP/1.1\r\nHost: ${new URL(url).host}\r\n` +
    `X-Api-Key: ${keys[1]}\r\n\r\n`;
  const request = Buffer.from(head, 'latin1');
  await rehearse(url, request, count);
  return () => holdReaders(url, request, count);
}

/** The same with documents that are not stored: each stays in memory until it is read. */
export async function prepareStalledSync(service: Service, count: number): Promise<Arrive> {
  const attach = await storeFour(service);
  const { url, keys } = service;
  const request = generateRequest(url, keys[1], pictureBody('sync', attach));
  await rehearse(url, request, count);
  return () => holdReaders(url, request, count);
}
