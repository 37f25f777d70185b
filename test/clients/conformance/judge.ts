import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

import { CASES } from './cases.ts';
import type { Call, Case, Expected, Options } from './terms.ts';
import { BEHIND_PROXY, READ_BYTES_MAX, type Seen, serveCases } from './server.ts';

/** A case as an adapter gets it. */
export interface Task {
  readonly name: string;
  readonly url: string;
  /** Empty, and there. */
  readonly folder: string;
  /** A file of rows in CSV that makes two parts. */
  readonly rowFile: string;
  /** null: there is none. */
  readonly proxy: { readonly url: string; readonly direct: string } | null;
  /** A folder with ca.pem, and client.pem, client.key, client.p12 (password: secret); null: no TLS. */
  readonly certificates: string | null;
  readonly calls: readonly Call[];
  readonly isParallel: boolean;
  readonly options: Options;
}

/**
 * What came of a call; an error has its message, then a line feed and all that a log would show of it as
 * `text`, and the message alone as `message`.
 */
export interface Result extends Omit<Expected, 'error' | 'text'> {
  /** null: it succeeded. */
  readonly error: string | null;
  readonly text?: string;
  readonly message?: string;
}

/** What came of a case. */
export interface Done {
  readonly name: string;
  /** In the order of the calls. */
  readonly results: readonly Result[];
  readonly tookMs: number;
  /** Names of the files in its folder, and the permission bits of the last one in octal. */
  readonly left: readonly string[];
  readonly mode: string | null;
}

/** Makes the calls of all tasks, several tasks at a time. */
export type Adapter = (tasks: readonly Task[]) => Promise<readonly Done[]>;

/** What no message may hold: data of a document, the key. */
const SECRET = /a secret|ik_of-a-test/;

/** Longest message, and what it may not hold. */
const MESSAGE_LENGTH_MAX = 2_200;
const CONTROL = /\p{Cc}/u;

/** Runs the whole table with a client. */
export async function conform(t: Test, adapter: Adapter): Promise<void> {
  const empty = Object.fromEntries(CASES.map(({ name }) => [name, {}]));
  const rows = `customer,total\n${`"A\nB",${'1'.repeat(990)}\n`.repeat(10_000)}`;
  const folders = t.testdir({ ...empty, keys: {}, 'rows.csv': rows });
  const keys = `${folders}/keys`;
  const { url, secureUrl, muteUrl, seen } = await serveCases(t, keys);
  const nobody = await closedAddress();
  const tasks = CASES.map(({ name, calls, isParallel, options = {}, answers }): Task => {
    const { isBehindProxy = false, isPassedBy = false, certificate } = options;
    const base = certificate === undefined ? url : secureUrl;
    const odd = { nobody, mute: `${muteUrl}/${name}` };
    const named = { url: url.replace('//', '//a%20user:p%3Ass@'), direct: '' };
    const passed = { url: nobody, direct: '127.0.0.1' };
    return {
      name,
      url:
        answers === 'nobody' || answers === 'mute'
          ? odd[answers]
          : `${isBehindProxy ? BEHIND_PROXY : base}/${name}`,
      folder: `${folders}/${name}`,
      rowFile: `${folders}/rows.csv`,
      proxy: isBehindProxy ? named : isPassedBy ? passed : null,
      certificates: certificate === undefined ? null : keys,
      calls,
      isParallel: isParallel === true,
      options,
    };
  });
  const all = new Map((await adapter(tasks)).map((done) => [done.name, done]));
  for (const one of CASES) {
    const [done, record] = [all.get(one.name), seen.get(one.name)];
    const faults = done === undefined || record === undefined ? ['the client lacks the case'] : [];
    if (done !== undefined && record !== undefined) faults.push(...faultsOf(one, done, record));
    t.strictSame(faults, [], one.name);
  }
}

async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${port}`;
}

function faultsOf(one: Case, { results, tookMs, left, mode }: Done, seen: Seen): string[] {
  const faults = [...seen.faults];
  const { calls, gives, answers, requests, requestsMost = Infinity } = one;
  const { tookMsMin = 0, tookMsMax = Infinity } = one;
  if (results.length !== calls.length) faults.push(`${results.length} results`);
  for (const [index, result] of results.entries()) {
    // One expectation stands for all calls. isArray knows no readonly arrays.
    const expected = Array.isArray(gives) ? (gives as readonly Expected[])[index] : gives;
    faults.push(...differences(expected as Expected, result));
  }
  const isDynamic = answers === 'window' || answers === 'busy';
  const { refusedMax = Infinity } = one;
  if (seen.refused > refusedMax) faults.push(`${seen.refused} requests were refused`);
  const wanted = requests ?? (isDynamic ? seen.requests : calls.length);
  if (wanted !== 'any' && seen.requests !== wanted)
    faults.push(`${seen.requests} requests, not ${wanted}`);
  if (seen.requests > requestsMost) faults.push(`${seen.requests} requests`);
  if (tookMs < tookMsMin) faults.push(`took ${tookMs} ms, not ${tookMsMin}`);
  if (tookMs > tookMsMax) faults.push(`took ${tookMs} ms, more than ${tookMsMax}`);
  if (one.left !== undefined && one.left.join() !== left.join())
    faults.push(`left: ${left.join()}`);
  if (left.length > 0 && mode !== '600') faults.push(`the mode of the file is ${mode}`);
  for (const bytes of seen.sent) if (bytes > READ_BYTES_MAX) faults.push(`${bytes} bytes read`);
  if (answers === 'busy' && seen.most > 3) faults.push(`${seen.most} requests at a time`);
  if (answers === 'busy' && seen.sockets.size >= seen.requests)
    faults.push(`${seen.sockets.size} connections`);
  return [...faults, ...faultyKeys(one, seen.keys)];
}

/** A call keeps its key when it is repeated; one of the caller is sent as it is. */
function faultyKeys({ calls }: Case, keys: readonly string[]): readonly string[] {
  if (calls.includes('named')) return keys.every((key) => key === 'mine') ? [] : keys;
  if (new Set(keys).size > 1) return [`several keys: ${keys.join()}`];
  return keys.every((key) => /^[\w-]{36}$/.test(key)) ? [] : keys;
}

function differences(expected: Expected, result: Result): string[] {
  const { error = null, text, ...members } = expected;
  const told = `${result.error}: ${result.text}`;
  if (result.error !== error) return [`${told} instead of ${error}`];
  const faults = Object.entries(members).flatMap(([name, value]) => {
    // The names are those of Expected, which Result has, too.
    const actual = JSON.stringify(result[name as keyof Result]);
    return actual === JSON.stringify(value) ? [] : [`${name} ${actual}`];
  });
  if (text !== undefined && !text.test(result.text ?? '')) faults.push(told);
  if (SECRET.test(JSON.stringify(result))) faults.push(`a secret in ${JSON.stringify(result)}`);
  const { message = '' } = result;
  if (message.length > MESSAGE_LENGTH_MAX) faults.push(`${message.length} characters`);
  if (CONTROL.test(message)) faults.push(`control characters in ${JSON.stringify(message)}`);
  return faults;
}
