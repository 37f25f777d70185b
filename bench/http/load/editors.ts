import { hash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { HOME } from '../../../lab/home.ts';
import { percentile } from '../../../lab/stats.ts';
import { sampleFile } from '../../../lab/shapes/sample.ts';
import type { Service } from '../../../lab/service/service.ts';
import { TEAM } from '../../../lab/service/set-up.ts';
import type { Arrive } from '../company/company.ts';
import { Fleet } from '../../../lab/load/wire.ts';

/** Each editor changes its draft and previews it once in this interval. */
export const EVERY_MS = 2_000;

/**
 * How often each editor saves and previews before the loads, without a pause. A save and its preview
 * cost a third more until V8 has optimised the code for drafts, after some 2,000 of them in the
 * renderer that checks them. Ten editors make as many in seven minutes, and the loads start on a
 * service that is warm in every other respect.
 */
const WARM_UP_EDITS = 250;

/** The line of the sample receipt that the editors change. */
const LINE = 'เอกสารนี้จัดทำด้วยระบบอิเล็กทรอนิกส์';

/** Counts and times of the editors' work so far. */
interface Made {
  /** Counted over all editors, so that no draft is saved twice. */
  edits: number;
  /** From the beginning of each save to the end of the reply, which holds the preview. */
  readonly timesMs: number[];
}

/** Editors who come and go several times. */
interface Visits {
  readonly arrive: Arrive;
  /** How often they saved and previewed, and how long that took, in words. */
  pace(this: void): string;
  /** Closes their connections. */
  close(this: void): void;
}

/** The key of the sample receipt that is read here. */
interface Sample {
  readonly templateId: string;
}

/** A reply with fewer bytes holds no preview of the receipt. */
const REPLY_BYTES_MIN = 20_000;

interface Reply {
  /** 0: the connection broke. */
  readonly status: number;
  /** Length of the body. */
  readonly bytes: number;
}

/**
 * One editor, on its own connection. The HTTP client of the load generator sends its requests, and
 * most of their bytes are built in advance: in use, browsers on other machines do this work.
 */
class Editor {
  /** Part of an interval to wait before it begins, 0 to 1. */
  readonly phase: number;
  readonly #fleet: Fleet;
  /** The beginning of each request. */
  readonly #head: string;
  /** The draft around the line that changes, wherever the line stands. */
  readonly #draft: readonly Buffer[];
  /** Entity tag of the draft that it saved last: the SHA-256 of the file. */
  #saved: string | null = null;
  #onReply: (reply: Reply) => void = () => undefined;

  constructor(url: string, cookie: string, sample: Sample, templateId: string, phase: number) {
    const draft = JSON.stringify({ ...sample, templateId }).split(LINE);
    if (draft.length < 2) throw new Error('the sample lacks the line that editors change');
    this.phase = phase;
    this.#fleet = new Fleet(url, 1, (_sent, status, bytes) => this.#onReply({ status, bytes }));
    this.#head =
      `PUT /v1/templates/${templateId}/draft?preview=0 HTTP/1.1\r\n` +
      `Host: ${new URL(url).host}\r\nOrigin: ${url}\r\nCookie: ${cookie}\r\n` +
      'Content-Type: application/json\r\n';
    this.#draft = draft.map((part) => Buffer.from(part));
  }

  /** Saves the draft with another line; the reply holds the preview. */
  async edit(line: string): Promise<void> {
    const text = Buffer.from(line);
    const parts = this.#draft.flatMap((part, index) => (index === 0 ? [part] : [text, part]));
    const draft = Buffer.concat(parts);
    const condition = this.#saved === null ? '' : `If-Match: "${this.#saved}"\r\n`;
    const head = `${this.#head}${condition}Content-Length: ${draft.length}\r\n\r\n`;
    const { status, bytes } = await new Promise<Reply>((resolve) => {
      this.#onReply = resolve;
      const request = Buffer.concat([Buffer.from(head, 'latin1'), draft]);
      this.#fleet.send(request, performance.now(), true);
    });
    // A busy service refuses for a moment, and the editor tries again; anything else is a fault.
    if (status === 503) return;
    if (status !== 200) throw new Error(`saving a draft was answered with ${status}`);
    if (bytes < REPLY_BYTES_MIN) throw new Error('a saved draft came back without its preview');
    this.#saved = hash('sha256', draft);
  }

  close(): void {
    this.#fleet.close();
  }
}

/** Simulated editors: each changes a template and renders its preview, as the Studio does. */
export async function prepareEditors(service: Service, count: number): Promise<Visits> {
  // Each round has its own editors and drafts: those of the round before are still there.
  const round = randomUUID().slice(0, 8);
  // The file was checked in full when it was published.
  const sample = JSON.parse(readFileSync(sampleFile(HOME), 'utf8')) as Sample;
  const editors: Editor[] = [];
  for (let n = 0; n < count; n += 1) {
    const userId = `editor-${round}-${n}`;
    await service.command('users', 'add', userId, '--team', TEAM, '--role', 'Editor');
    // This is what the command prints.
    const { cookie } = (await service.command('sessions', 'add', userId)) as { cookie: string };
    editors.push(new Editor(service.url, cookie, sample, `draft-${round}-${n}`, n / count));
  }
  const made: Made = { edits: 0, timesMs: [] };
  await Promise.all(editors.map((editor) => warmUp(editor, made)));
  let editedMs = 0;
  const arrive: Arrive = () => {
    const end = new AbortController();
    const startMs = performance.now();
    const editing = editors.map((editor) => edit(editor, made, end.signal));
    const release = async (): Promise<void> => {
      end.abort();
      editedMs += performance.now() - startMs;
      await Promise.all(editing);
    };
    return Promise.resolve({ release });
  };
  const close = (): void => {
    for (const editor of editors) editor.close();
  };
  return { arrive, pace: () => paceOf(made, editedMs), close };
}

function paceOf({ timesMs }: Made, editedMs: number): string {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const [middle, slow] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
  const perSecond = ((sorted.length * 1000) / editedMs).toFixed(1);
  return (
    `${perSecond} saves with a preview a second, ${Math.round(middle)} ms each at the median ` +
    `and ${Math.round(slow)} ms at p95`
  );
}

async function warmUp(editor: Editor, made: Made): Promise<void> {
  for (let n = 0; n < WARM_UP_EDITS; n += 1) await editor.edit(`draft ${made.edits++}`);
}

/** Edits until the signal. */
async function edit(editor: Editor, made: Made, signal: AbortSignal): Promise<void> {
  await pauseUnless(signal, editor.phase * EVERY_MS);
  while (!signal.aborted) {
    const startMs = performance.now();
    await editor.edit(`draft ${made.edits++}`);
    made.timesMs.push(performance.now() - startMs);
    await pauseUnless(signal, Math.max(0, EVERY_MS - (performance.now() - startMs)));
  }
}

/** Ends at the signal at the latest. */
async function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
