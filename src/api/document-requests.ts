import { LIMITS } from '../limits.ts';
import { type TypeOf, version } from './schema.ts';

/** The request for a document. It validates the bodies and is part of /openapi.json. */
export const GENERATE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['templateId', 'mode', 'data'],
  properties: {
    templateId: { type: 'string', description: 'Template identifier.' },
    version: {
      type: 'number',
      description: 'Published version to pin. The latest when omitted.',
    },
    mode: {
      type: 'string',
      enum: ['sync', 'async'],
      description: 'sync: the PDF in the response, not stored. async: stored, with a link.',
    },
    draft: {
      type: 'boolean',
      description: 'The current draft instead of a published version: browser users, sync only.',
    },
    data: {
      type: 'object',
      additionalProperties: true,
      description: 'Keys and values per the field contract. Other keys are ignored.',
    },
    options: {
      type: 'object',
      additionalProperties: false,
      properties: {
        metadata: {
          type: 'object',
          additionalProperties: false,
          description:
            'Embedded in the PDF and never encrypted: references only, no personal data.',
          properties: {
            title: { type: 'string', maxLength: LIMITS.metadataTitleCodePointsMax },
            subject: { type: 'string', maxLength: LIMITS.metadataSubjectCodePointsMax },
          },
        },
        protection: {
          type: 'object',
          additionalProperties: false,
          description: 'AES-256. At least one password that is not empty.',
          properties: {
            userPassword: { type: 'string', description: 'Opens the document.' },
            ownerPassword: {
              type: 'string',
              description: 'Manages permissions. The user password when omitted.',
            },
            permissions: {
              type: 'object',
              additionalProperties: false,
              description: 'Allowed unless false.',
              properties: {
                print: { type: 'boolean' },
                copy: { type: 'boolean' },
                modify: { type: 'boolean' },
              },
            },
          },
        },
        attach: {
          type: 'array',
          maxItems: LIMITS.attachmentsMax,
          items: { type: 'string' },
          description:
            'documentIds of own async documents that are not protected, merged behind the new one in' +
            ' this order. Page numbers count the merged total: {{pages}} in the footer of the new' +
            ' document counts their pages, too, and their own page numbers are replaced.',
        },
        watermark: {
          type: 'object',
          additionalProperties: false,
          required: ['text'],
          properties: {
            text: {
              type: 'string',
              minLength: 1,
              maxLength: LIMITS.watermarkCodePointsMax,
              description: 'Drawn over every page, attached ones too, from corner to corner.',
            },
            opacity: {
              type: 'number',
              minimum: 0,
              maximum: 1,
              description: '0.15 when omitted.',
            },
          },
        },
        signature: {
          type: 'boolean',
          description:
            'Sign the document (PAdES) with the signer of the team, last of all: with protection, the ' +
            'protected file is signed.',
        },
      },
    },
  },
} as const;

/** Requests are validated as `number`, so that 1.5 is an unknown version (404), as the spec has it. */
export const generateBody = {
  ...GENERATE_SCHEMA,
  properties: {
    ...GENERATE_SCHEMA.properties,
    version: { ...version, description: GENERATE_SCHEMA.properties.version.description },
  },
} as const;

export type GenerateRequest = TypeOf<typeof generateBody>;

/**
 * Data for the receipt of templates/. The demo has that template, so what is sent from /docs works
 * there: the example names neither a version nor a document that might be absent.
 */
const RECEIPT = {
  receiptNo: 'RC-2569-0011873',
  issued: '2026-01-05',
  branch: 'ตลาดตัวอย่าง',
  customer: 'นางสาวสมมติ ตั้งใจเขียน',
  address: '12 ซอยทดสอบ 3 แขวงลายเส้น เขตแกะสลัก กรุงเทพมหานคร 10990',
  accountNo: '9998887776',
  channel: 'แอปพลิเคชัน',
  reference: 'MB-55100',
  items: [['1', 'ค่าธรรมเนียมออกบัตรเดบิตใหม่ (บัตรชำรุด)', '1', '93.46', '93.46']],
  subtotal: '93.46',
  vat: '6.54',
  total: '100.00',
  cashier: 'ระบบอัตโนมัติ',
};

export const GENERATE_EXAMPLE = {
  templateId: 'receipt',
  mode: 'async',
  data: RECEIPT,
  options: {
    metadata: { title: 'Receipt RC-2569-0011873', subject: 'RC-2569-0011873' },
    watermark: { text: 'COPY', opacity: 0.2 },
  },
} satisfies GenerateRequest;
export const PREVIEW_EXAMPLE = {
  templateId: 'note',
  draft: true,
  mode: 'sync',
  data: { text: 'As it may look' },
} satisfies GenerateRequest;
