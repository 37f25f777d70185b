import { watchFiles } from '../../runtime/file-watch.ts';
import { CommandFailed } from '../console/failure.ts';
import { writeErr } from '../console/terminal.ts';
import { check, describeFindings, readTemplate, withRenderers } from '../engine.ts';
import type { FileJob } from './job-list.ts';
import { type FileResult, renderWith, type Renderers, type RunOptions } from './jobs.ts';

/** A save is seen after two polls. */
const POLL_MS = 150;
/** The longest interval of a timer, which only keeps the process alive. */
const NEVER_MS = 2_147_483_647;

/**
 * Renders a job, and again whenever one of its files changes, until SIGINT or SIGTERM. Findings of
 * the template go to standard error; with an error among them nothing is rendered.
 */
export async function renderWatching(
  job: FileJob,
  run: RunOptions,
  onResult: (result: FileResult) => void,
): Promise<void> {
  const { template, data, options } = job;
  const paths = [template, 'path' in data ? data.path : '', options].filter(isPath);
  const ended = new AbortController();
  let changed = Promise.withResolvers<undefined>();
  const end = (): void => {
    ended.abort();
    changed.resolve(undefined);
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  const awake = setInterval(() => undefined, NEVER_MS);
  const stop = watchFiles(paths, () => changed.resolve(undefined), POLL_MS);
  try {
    await withRenderers(1, async (pool, config) => {
      while (!ended.signal.aborted) {
        // Made before the files are read: a change meanwhile is rendered next.
        changed = Promise.withResolvers();
        await renderOnce(job, run, { pool, config }, onResult);
        await changed.promise;
      }
    });
  } finally {
    stop();
    clearInterval(awake);
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

function isPath(path: unknown): path is string {
  return typeof path === 'string' && path !== '';
}

async function renderOnce(
  job: FileJob,
  run: RunOptions,
  renderers: Renderers,
  onResult: (result: FileResult) => void,
): Promise<void> {
  try {
    const { findings } = await check(renderers.pool, readTemplate(job.template), false);
    if (findings.length > 0) writeErr(`${describeFindings(findings, job.template)}\n`);
    if (findings.some(({ severity }) => severity === 'error')) return;
    await renderWith(renderers, [job], run, onResult);
  } catch (error) {
    // An editor may have removed a file for a moment, or left half of it: the next save mends that.
    if (!(error instanceof CommandFailed)) throw error;
    writeErr(`intaglio: ${error.message}\n`);
  }
}
