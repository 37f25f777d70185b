import type { FontLibrary } from '../font/font.ts';
import { compileTemplate } from './compile.ts';
import type { Compilation, ReadyTemplate, TemplateMeta } from './compile.ts';
import { Findings, memberPath } from './findings.ts';

/**
 * Compiles a template and holds its samples against its contract: every finding that can be made
 * without rendering. `template` is null exactly when the compilation found an error; defects of
 * samples are errors, too, but leave it usable.
 */
export async function checkTemplate(
  source: Uint8Array,
  meta: TemplateMeta,
  fonts: FontLibrary,
): Promise<Compilation> {
  const { template, label, findings } = await compileTemplate(source, meta, fonts);
  if (template === null) return { template, label, findings };
  const found = new Findings();
  await checkSamples(template, found);
  return { template, label, findings: [...findings, ...found.list()] };
}

async function checkSamples({ samples, contract }: ReadyTemplate, found: Findings): Promise<void> {
  const names = new Set(contract.fields.map(({ name }) => name));
  for (const [index, { data }] of samples.entries()) {
    const path = `samples[${index}].data`;
    const checked = await contract.check(new TextEncoder().encode(JSON.stringify(data)));
    if (!checked.ok) {
      const defects = checked.fields ?? [];
      if (defects.length === 0) found.error(path, checked.message);
      for (const { field, reason } of defects) found.error(memberPath(path, field), `${reason}.`);
    }
    for (const key of Object.keys(typeof data === 'object' && data !== null ? data : {})) {
      if (!names.has(key)) found.warning(memberPath(path, key), 'No field has this name.');
    }
  }
}
