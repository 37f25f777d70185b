import { writeFileSync } from 'node:fs';
import { templateSchema } from '../src/workers/template/schema.ts';

/** Writes the editors' schema of template files: `node scripts/make-schema.ts`. */
const path = new URL('../templates/template.schema.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(templateSchema(), null, 1)}\n`);
