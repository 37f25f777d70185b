import { FIELD_TYPES } from '#engine/light';

/** The types of fields for the Studio, which imports nothing of src/. */
export function typesOfStudio(): string {
  const types = FIELD_TYPES.map((type) => `'${type}'`).join(', ');
  return `// Made from src/engine/contract/types.ts by \`npm run generate\`.

export const FIELD_TYPES = [${types}] as const;
export type FieldType = (typeof FIELD_TYPES)[number];
`;
}
