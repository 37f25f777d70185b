import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { HOME } from '../../harness/machine.ts';
import { sampleFile } from '../../shapes/sample.ts';
import type { Service } from '../service.ts';
import { TEAM } from '../set-up.ts';
import type { Arrive } from '../slow.ts';

/** Each editor changes its draft and previews it once in this interval. */
const EVERY_MS = 2_000;

/** The keys of the sample receipt that are read here. */
interface Sample {
  readonly templateId: string;
  readonly samples: readonly { readonly data: object }[];
}

/** Simulated editors: each changes a template and renders its preview, as the Studio does. */
export async function prepareEditors(service: Service, count: number): Promise<Arrive> {
  // Each round has its own editors and drafts: those of the round before are still there.
  const round = randomUUID().slice(0, 8);
  const cookies: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const userId = `editor-${round}-${n}`;
    await service.command('users', 'add', userId, '--team', TEAM, '--role', 'Editor');
    // This is what the command prints.
    const { cookie } = (await service.command('sessions', 'add', userId)) as { cookie: string };
    cookies.push(cookie);
  }
  // The file was checked in full when it was published.
  const sample = JSON.parse(readFileSync(sampleFile(HOME), 'utf8')) as Sample;
  return () => {
    const end = new AbortController();
    const editors = cookies.map((cookie, n) =>
      edit(
        service.url,
        cookie,
        { ...sample, templateId: `draft-${round}-${n}` },
        end.signal,
        n / count,
      ),
    );
    const release = async (): Promise<void> => {
      end.abort();
      await Promise.all(editors);
    };
    return Promise.resolve({ release });
  };
}

/** Edits until the signal; `phase`, 0 to 1, is the part of an interval to wait before it begins. */
async function edit(
  url: string,
  cookie: string,
  template: Sample,
  signal: AbortSignal,
  phase: number,
): Promise<void> {
  const headers = { cookie, 'content-type': 'application/json', origin: url };
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    // A busy service refuses for a moment, and the editor tries again; anything else is a fault.
    if (!answer.ok && answer.status !== 503) throw new Error(`${path} answered ${answer.status}`);
  };
  const { templateId, samples } = template;
  const preview = { templateId, mode: 'sync', draft: true, data: samples[0]?.data ?? {} };
  await pause(phase * EVERY_MS);
  for (let n = 0; !signal.aborted; n += 1) {
    const startMs = performance.now();
    await send('PUT', `/v1/templates/${templateId}/draft`, { ...template, name: `draft ${n}` });
    await send('POST', '/v1/previews', preview);
    await pause(Math.max(0, EVERY_MS - (performance.now() - startMs)));
  }
}
