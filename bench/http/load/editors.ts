import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { HOME } from '../../harness/machine.ts';
import { percentile } from '../../harness/stats.ts';
import { sampleFile } from '../../shapes/sample.ts';
import type { Service } from '../service.ts';
import { TEAM } from '../set-up.ts';
import type { Arrive } from '../company/company.ts';

/** Each editor changes its draft and previews it once in this interval. */
const EVERY_MS = 2_000;

/**
 * How often each editor saves and previews before the loads, without a pause. A save costs twice as
 * much until V8 has compiled the code for drafts in every renderer, and the loads start on a service
 * that is warm in every other respect.
 */
const WARM_UP_EDITS = 40;

/** The line of the sample receipt that the editors change. */
const LINE = 'เอกสารนี้จัดทำด้วยระบบอิเล็กทรอนิกส์';

/** Counts and times of the editors' work so far. */
interface Made {
  /** Counted over all editors, so that no draft is saved twice. */
  edits: number;
  /** From the beginning of each save to the end of its preview. */
  readonly timesMs: number[];
}

/** Editors who come and go several times. */
interface Visits {
  readonly arrive: Arrive;
  /** How often they saved and previewed, and how long that took, in words. */
  pace(this: void): string;
}

/** The keys of the sample receipt that are read here. */
interface Sample {
  readonly templateId: string;
  readonly samples: readonly { readonly data: object }[];
}

/** The requests of one editor, built in advance: in use, browsers on other machines build them. */
interface Editor {
  readonly cookie: string;
  readonly templateId: string;
  /** The draft around the line that changes, wherever the line stands. */
  readonly draft: readonly string[];
  readonly preview: string;
  /** Part of an interval to wait before it begins, 0 to 1. */
  readonly phase: number;
}

/** Simulated editors: each changes a template and renders its preview, as the Studio does. */
export async function prepareEditors(service: Service, count: number): Promise<Visits> {
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
  const editors = cookies.map((cookie, n) =>
    editorOf(sample, cookie, `draft-${round}-${n}`, n / count),
  );
  const made: Made = { edits: 0, timesMs: [] };
  await warmUp(service.url, editors, made);
  let editedMs = 0;
  const arrive: Arrive = () => {
    const pool = new Pool(service.url, { connections: count });
    const end = new AbortController();
    const startMs = performance.now();
    const editing = editors.map((editor) => edit(pool, service.url, editor, made, end.signal));
    const release = async (): Promise<void> => {
      end.abort();
      editedMs += performance.now() - startMs;
      await Promise.all(editing);
      await pool.close();
    };
    return Promise.resolve({ release });
  };
  return { arrive, pace: () => paceOf(made, editedMs) };
}

function paceOf({ timesMs }: Made, editedMs: number): string {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const [middle, slow] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
  const perSecond = ((sorted.length * 1000) / editedMs).toFixed(1);
  return (
    `${perSecond} saves and previews a second, together ${Math.round(middle)} ms at the median ` +
    `and ${Math.round(slow)} ms at p95`
  );
}

function editorOf(sample: Sample, cookie: string, templateId: string, phase: number): Editor {
  const draft = JSON.stringify({ ...sample, templateId }).split(LINE);
  if (draft.length < 2) throw new Error('the sample lacks the line that editors change');
  const data = sample.samples[0]?.data ?? {};
  const preview = JSON.stringify({ templateId, mode: 'sync', draft: true, data });
  return { cookie, templateId, draft, preview, phase };
}

async function warmUp(url: string, editors: readonly Editor[], made: Made): Promise<void> {
  const pool = new Pool(url, { connections: editors.length });
  const editOften = async (editor: Editor): Promise<void> => {
    let saved: string | null = null;
    for (let n = 0; n < WARM_UP_EDITS; n += 1) {
      saved = await saveAndPreview(pool, url, editor, made, saved);
    }
  };
  await Promise.all(editors.map(editOften));
  await pool.close();
}

/** Edits until the signal. */
async function edit(
  pool: Pool,
  url: string,
  editor: Editor,
  made: Made,
  signal: AbortSignal,
): Promise<void> {
  await pause(editor.phase * EVERY_MS);
  let saved: string | null = null;
  while (!signal.aborted) {
    const startMs = performance.now();
    saved = await saveAndPreview(pool, url, editor, made, saved);
    made.timesMs.push(performance.now() - startMs);
    await pause(Math.max(0, EVERY_MS - (performance.now() - startMs)));
  }
}

/** `saved` is the entity tag of the draft that is replaced; null: whichever is there. */
async function saveAndPreview(
  pool: Pool,
  url: string,
  { cookie, templateId, draft, preview }: Editor,
  made: Made,
  saved: string | null,
): Promise<string | null> {
  const own = { cookie, 'content-type': 'application/json', origin: url };
  const send = async (
    method: 'PUT' | 'POST',
    path: string,
    body: string,
    condition: Record<string, string> = {},
  ): Promise<string | null> => {
    const answer = await pool.request({ path, method, headers: { ...own, ...condition }, body });
    await answer.body.arrayBuffer();
    const { statusCode, headers } = answer;
    // A busy service refuses for a moment, and the editor tries again; anything else is a fault.
    if (statusCode >= 400 && statusCode !== 503) throw new Error(`${path} answered ${statusCode}`);
    return typeof headers['etag'] === 'string' ? headers['etag'] : null;
  };
  const path = `/v1/templates/${templateId}/draft`;
  const condition: Record<string, string> | undefined =
    saved === null ? undefined : { 'if-match': saved };
  const tag = await send('PUT', path, draft.join(`draft ${made.edits++}`), condition);
  await send('POST', '/v1/previews', preview);
  return tag ?? saved;
}
