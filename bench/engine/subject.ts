import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Job, RenderJob, RenderResult, SharedTemplate } from '#engine';
import { HOME } from '../../lab/home.ts';
import { serveSubject } from '../harness/subject.ts';
import type { Shape, ShapeDocument } from '../../lab/shapes/sheet.ts';
import { renderJob, shareTemplate } from '../../lab/shapes/job.ts';

/**
 * The service's own engine on one thread: the worker's entry called as a worker calls it, with the
 * bytes of a request. The folder of the sources comes as an argument, so that two commits can run
 * under the same bench.
 */
const root = process.argv[2] ?? HOME;
const entry = join(root, 'src', 'workers', 'render.ts');
// In commits that have no door of the engine yet.
const entryBefore = join(root, 'src', 'engine', 'render.ts');
const url = pathToFileURL(existsSync(entry) ? entry : entryBefore).href;
// The pool relies on the same default export.
const loaded = (await import(url)) as { default: (job: Job) => Promise<RenderResult> };

const templates = new Map<string, SharedTemplate>();
let versions = 0;

function templateOf(shape: Shape, fresh: boolean): SharedTemplate {
  const known = templates.get(shape.name);
  if (known !== undefined && !fresh) return known;
  const made = shareTemplate(shape, ++versions);
  templates.set(shape.name, made);
  return made;
}

/** Until kinds of files were a profile of the template, a job without a signature had no such key. */
const knowsNone = existsSync(join(root, 'src', 'engine', 'template', 'archive', 'profile.ts'));

function jobOf(shape: Shape, document: ShapeDocument, template: SharedTemplate): RenderJob {
  const job = renderJob(shape, document, template, false);
  if (!knowsNone) Reflect.deleteProperty(job, 'signature');
  return job;
}

serveSubject<RenderJob>({
  version: 'this engine',
  hasChildren: false,
  stage: (shape, document, fresh) => jobOf(shape, document, templateOf(shape, fresh)),
  async render(job) {
    const result = await loaded.default(job);
    if (!result.ok) {
      const fields = (result.fields ?? []).map(({ field, reason }) => `${field}: ${reason}`);
      throw new Error(`${result.code}: ${result.message} ${fields.slice(0, 5).join(', ')}`);
    }
    return result.value.pdf;
  },
});
