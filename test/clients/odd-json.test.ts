import { join } from 'node:path';
import t, { type Test } from 'tap';

import { Intaglio, IntaglioError, ServiceError } from '../../clients/node/src/index.ts';
import { HOME } from '../source.ts';
import { answerWithOddJson, ODD_JSON, READ_BYTES_MAX, sendForEver } from './odd-json.ts';
import { PYTHON_ENV, runProgram, serveScript, type Script, withoutPython } from './scripted.ts';

const RUN = '01a1f4a2-7b00-7000-8a9d-0123456789ab';
const skip = withoutPython();

/** A server of odd answers; `sent`: the bytes of its endless bodies. */
async function serveOddJson(t: Test): Promise<Script & { readonly sent: readonly number[] }> {
  const sent: number[] = [];
  const script = await serveScript(t, (response, number) => {
    answerWithOddJson(response, number, (bytes) => sent.push(bytes));
  });
  return { ...script, sent };
}

/** Each answer was asked for once, no redirect was followed, and no endless body read far. */
function judge(t: Test, { requests, sent }: Awaited<ReturnType<typeof serveOddJson>>): void {
  t.equal(requests.length, ODD_JSON.length, 'none is asked for again');
  t.notOk(requests.some(({ message }) => message.url === '/elsewhere'));
  for (const bytes of sent) t.ok(bytes < READ_BYTES_MAX, `${bytes} bytes were taken`);
}

t.test('Node: what is no record of the service is an error of the package', async (t) => {
  const script = await serveOddJson(t);
  const client = new Intaglio({ url: script.url, apiKey: 'ik_key' });
  for (const { error: name, status } of ODD_JSON) {
    const error: unknown = await client.document('d').then(
      () => null,
      (reason: unknown) => reason,
    );
    t.match(error, { name }, String(error));
    t.ok(error instanceof IntaglioError);
    if (error instanceof ServiceError) t.equal(error.status, status);
  }
  judge(t, script);
});

t.test('Python: the same', { skip }, async (t) => {
  const script = await serveOddJson(t);
  const args = ['-W', 'error', join(HOME, 'test/clients/scenarios.py'), 'odd_json', script.url];
  const { code, out } = await runProgram('python3', HOME, [...args, t.testdir()], PYTHON_ENV);
  t.equal(code, 0, out);
  t.strictSame(
    JSON.parse(out),
    ODD_JSON.map(({ error, status }) => [error, error === 'ServiceError' ? status : 0]),
  );
  judge(t, script);
});

t.test('a line without an end is not gathered for ever', async (t) => {
  const sent: number[] = [];
  const { url } = await serveScript(t, (response) => {
    response.writeHead(200);
    sendForEver(response, (bytes) => sent.push(bytes));
  });
  const client = new Intaglio({ url, apiKey: 'ik_key' });
  await t.rejects(client.runs.manifest(RUN).next(), { name: 'BadAnswerError' });
  if (skip === false) {
    const args = [join(HOME, 'test/clients/scenarios.py'), 'endless_line', url, t.testdir()];
    const { out } = await runProgram('python3', HOME, args, PYTHON_ENV);
    t.equal(out.trim(), '"BadAnswerError"');
  }
  for (const bytes of sent) t.ok(bytes < READ_BYTES_MAX, `${bytes} bytes were taken`);
});

t.test('a line that is no JSON is an error of the package', async (t) => {
  const { url } = await serveScript(t, (response) => response.end('{"row":"R-1"}\n<html>\n'));
  const rows = new Intaglio({ url, apiKey: 'ik_key' }).runs.manifest(RUN);
  t.match((await rows.next()).value, { row: 'R-1' });
  await t.rejects(rows.next(), { name: 'BadAnswerError' });
});
