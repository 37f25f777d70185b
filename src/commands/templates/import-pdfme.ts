import type { ImportedTemplate } from './import-other.ts';

/** pdfme's lengths are millimetres. */
const PT_PER_MM = 72 / 25.4;

type Json = Readonly<Record<string, unknown>>;

interface Contract {
  readonly name: string;
  readonly type: string;
  readonly required?: true;
  readonly format?: object;
}

/** Makes a draft of a pdfme template: each schema where it stands, its pages as backgrounds. */
export function importPdfme(id: string, source: Json): ImportedTemplate {
  const maker = new PdfmeMaker();
  const pages = listOf(source['schemas']).map((page, index) => maker.page(page, index));
  const base = source['basePdf'];
  const isFile = typeof base === 'string' && base.startsWith('data:application/pdf');
  if (typeof base === 'string' && !isFile) {
    maker.note('basePdf', 'only a data URL of a PDF is read; put the file into document.pdfs');
  }
  const paper = isObject(base) ? base : {};
  const pageSize = { width: pt(paper['width'], 210), height: pt(paper['height'], 297) };
  const content = pages.map((nodes, index) => ({
    section: [{ text: '\u00a0', fontSize: 1 }, ...nodes],
    ...(isFile ? { background: { pdf: 'base', page: index + 1 } } : {}),
  }));
  const document = {
    pageSize,
    pageMargins: 0,
    defaultStyle: { fontSize: 13 },
    ...(isFile ? { pdfs: { base } } : {}),
    content,
  };
  return {
    template: { templateId: id, name: id, fields: maker.contract, document },
    notes: maker.notes,
  };
}

class PdfmeMaker {
  readonly contract: Contract[] = [];
  readonly notes: { readonly place: string; readonly note: string }[] = [];

  note(place: string, note: string): void {
    this.notes.push({ place, note });
  }

  /** The nodes of a page; before version 5 its schemas were an object by name. */
  page(source: unknown, index: number): readonly object[] {
    const schemas = Array.isArray(source)
      ? listOf(source)
      : Object.entries(isObject(source) ? source : {}).map(([name, schema]) => ({
          name,
          ...(isObject(schema) ? schema : {}),
        }));
    return schemas.flatMap((schema) => {
      if (!isObject(schema)) return [];
      const place = `schemas[${index}].${textOf(schema['name'])}`;
      if (numberOf(schema['rotate'], 0) !== 0)
        this.note(place, 'it is turned; text here is upright');
      const node = this.#node(schema, place);
      return node === null ? [] : [{ ...placeOf(schema), ...node }];
    });
  }

  #node(schema: Json, place: string): object | null {
    const type = textOf(schema['type']);
    const fit = [pt(schema['width'], 0), pt(schema['height'], 0)];
    switch (type) {
      case 'text':
      case 'multiVariableText':
        return this.#text(schema, type === 'text' ? null : textOf(schema['text']));
      case 'date':
        return this.#text(schema, null, 'date');
      case 'image':
        return { image: this.#value(schema, 'image'), fit };
      case 'svg':
        return { svg: this.#value(schema, 'svg'), fit };
      case 'qrcode':
        return { qr: this.#value(schema, 'text'), fit: Math.min(fit[0] ?? 1, fit[1] ?? 1) };
      case 'code128':
      case 'ean13':
      case 'pdf417':
        return { barcode: type, data: this.#value(schema, 'text'), fit };
      case 'itf14':
        return { barcode: 'itf', data: this.#value(schema, 'text'), fit };
      case 'line':
      case 'rectangle':
      case 'ellipse':
        return shape(type, schema);
      case 'table':
        return this.#table(schema);
      default:
        this.note(place, `a schema of type ${JSON.stringify(type)} has no counterpart`);
        return null;
    }
  }

  #text(schema: Json, template: string | null, type = 'text'): object {
    const text =
      template === null
        ? this.#value(schema, type)
        : template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
            this.#declare(name.trim(), 'text', schema['required'] === true);
            return `{{${fieldName(name.trim())}}}`;
          });
    const alignment = textOf(schema['alignment']);
    return {
      columns: [
        {
          width: pt(schema['width'], 0),
          text,
          fontSize: numberOf(schema['fontSize'], 13),
          lineHeight: numberOf(schema['lineHeight'], 1),
          ...(alignment === '' ? {} : { alignment }),
          ...colour('color', schema['fontColor']),
          ...colour('background', schema['backgroundColor']),
          ...(numberOf(schema['characterSpacing'], 0) === 0
            ? {}
            : { characterSpacing: schema['characterSpacing'] }),
        },
      ],
    };
  }

  #table(schema: Json): object {
    const name = this.#declare(textOf(schema['name']), 'table', schema['required'] === true);
    const head = listOf(schema['head']).map(textOf);
    const shares = listOf(schema['headWidthPercentages']);
    const width = pt(schema['width'], 0);
    const widths = head.map(
      (_, index) => (width * numberOf(shares[index], 100 / head.length)) / 100,
    );
    const row = { each: name, cells: head.map((_, index) => `{{${index}}}`) };
    return {
      columns: [
        {
          width,
          table: { headerRows: 1, widths, body: [head, row] },
          layout: { paddingLeft: 0, paddingRight: 0 },
        },
      ],
    };
  }

  /** Static content, or the placeholder of a field. */
  #value(schema: Json, type: string): string {
    if (schema['readOnly'] === true) return textOf(schema['content']);
    return `{{${this.#declare(textOf(schema['name']), type, schema['required'] === true)}}}`;
  }

  #declare(source: string, type: string, required: boolean): string {
    const name = fieldName(source);
    if (!this.contract.some((field) => field.name === name)) {
      this.contract.push({ name, type, ...(required ? { required: true } : {}) });
    }
    return name;
  }
}

function shape(type: 'line' | 'rectangle' | 'ellipse', schema: Json): object {
  const w = pt(schema['width'], 0);
  const h = pt(schema['height'], 0);
  if (type === 'line') {
    const line = { type: 'line', x1: 0, y1: h / 2, x2: w, y2: h / 2, lineWidth: h };
    return { canvas: [{ ...line, ...colour('lineColor', schema['color']) }] };
  }
  const look = {
    lineWidth: pt(schema['borderWidth'], 0),
    ...colour('lineColor', schema['borderColor']),
    ...colour('color', schema['color']),
  };
  return type === 'rectangle'
    ? { canvas: [{ type: 'rect', x: 0, y: 0, w, h, ...look }] }
    : { canvas: [{ type: 'ellipse', x: w / 2, y: h / 2, r1: w / 2, r2: h / 2, ...look }] };
}

function placeOf(schema: Json): object {
  const position = isObject(schema['position']) ? schema['position'] : {};
  return { absolutePosition: { x: pt(position['x'], 0), y: pt(position['y'], 0) } };
}

function colour(key: string, value: unknown): object {
  return typeof value === 'string' && value !== '' ? { [key]: value } : {};
}

function fieldName(name: string): string {
  return name.replaceAll(/[{}]/g, '_').replace(/^(?=\d*$)/, 'field');
}

function pt(millimetres: unknown, otherwise: number): number {
  return Math.round(numberOf(millimetres, otherwise) * PT_PER_MM * 100) / 100;
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
