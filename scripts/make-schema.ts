import { writeFileSync } from 'node:fs';
import { templateSchema } from '../src/workers/template/schema.ts';
import { keyReference } from './key-reference.ts';

/**
 * Writes what is made from the template vocabulary: the editors' schema and the key reference:
 * `node scripts/make-schema.ts`.
 */
const schema = new URL('../templates/template.schema.json', import.meta.url);
writeFileSync(schema, `${JSON.stringify(templateSchema(), null, 1)}\n`);
writeFileSync(new URL('../docs/template-keys.md', import.meta.url), keyReference());
