import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

import { createDecodeCells, createEngine, renderJob, shareTemplate } from 'intaglio/engine';

// As render.mjs, with two threads: node threads.mjs MS_SINCE_EPOCH FOLDER TEMPLATE.json…
const THREADS = 2;

if (isMainThread) {
  const [time, folder, ...paths] = process.argv.slice(2);
  const atMs = Number(time);
  const tasks = paths.flatMap((path) => {
    const file = readFileSync(path);
    const { templateId, samples } = JSON.parse(file);
    const template = shareTemplate(file, templateId);
    return samples.map(({ data }, index) => ({
      // Its template is not copied to the thread: both read the same memory.
      job: renderJob(template, Buffer.from(JSON.stringify(data)), atMs),
      to: `${folder}/${templateId}-${index}.pdf`,
    }));
  });
  // The images of all threads together have at most so many pixels in memory.
  const decodeCells = createDecodeCells(30_000_000);
  for (let thread = 0; thread < THREADS; thread++) {
    const own = tasks.filter((_, index) => index % THREADS === thread);
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { decodeCells, tasks: own },
    });
    worker.on('error', (error) => {
      throw error;
    });
  }
} else {
  const engine = createEngine({ decodeCells: workerData.decodeCells });
  for (const { job, to } of workerData.tasks) {
    const result = await engine.render(job);
    if (!result.ok) throw new Error(`${to}: ${result.code}: ${result.message}`);
    writeFileSync(to, result.value.pdf);
  }
}
