import { readFileSync, writeFileSync } from 'node:fs';
import { createEngine, renderJob, shareTemplate } from 'intaglio/engine';

// Renders the samples of templates: node render.mjs MS_SINCE_EPOCH FOLDER TEMPLATE.json…
const [time, folder, ...paths] = process.argv.slice(2);
const engine = createEngine();
for (const path of paths) {
  const file = readFileSync(path);
  const { templateId, samples } = JSON.parse(file);
  const template = shareTemplate(file, templateId);
  for (const [index, { data }] of samples.entries()) {
    const job = renderJob(template, Buffer.from(JSON.stringify(data)), Number(time));
    const result = await engine.render(job);
    if (!result.ok) throw new Error(`${path}: ${result.code}: ${result.message}`);
    writeFileSync(`${folder}/${templateId}-${index}.pdf`, result.value.pdf);
  }
}
