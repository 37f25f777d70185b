// Made from src/engine/contract/types.ts by `npm run generate`.

export const FIELD_TYPES = ['text', 'number', 'date', 'image', 'qrcode', 'table', 'svg'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];
