import type { FontLibrary } from '#engine';
import type { ImportedTemplate } from '../other.ts';
import { ORIGIN } from '../origin.ts';
import { ImportedContract } from './contract.ts';
import { flowContent } from './flow.ts';
import type { PlacedSchema } from './flow.ts';
import { codeNodes, pictureNodes, ringNodes, shapeNodes, tickNodes, valueOf } from './graphics.ts';
import { listNode } from './list.ts';
import { isObject, listOf, pointsOf, SchemaReader } from './schema-reader.ts';
import type { ImportNote, Json, Sides } from './schema-reader.ts';
import { tableNode } from './table.ts';
import { FAMILY, staticText, textNodes, variableText } from './text.ts';
import type { Import } from './text.ts';

/** The background of a template: blank paper with paddings, or a PDF. */
interface Paper {
  readonly size: { readonly width: number; readonly height: number };
  readonly padding: Sides;
  /** Null: blank paper. */
  readonly pdf: string | null;
  /** The schemas that every page repeats. */
  readonly everyPage: readonly unknown[];
}

/** The input of an import besides the template. */
export interface PdfmeSurroundings {
  readonly fonts: FontLibrary;
  /** Sizes of the pages of `basePdf` in points, if it is a PDF; otherwise empty. */
  readonly pages: readonly { readonly width: number; readonly height: number }[];
}

/**
 * Makes a draft from a pdfme template, with its schemas in their places and its pages as
 * backgrounds.
 */
export function importPdfme(
  id: string,
  source: Json,
  { fonts, pages }: PdfmeSurroundings,
): ImportedTemplate {
  return new PdfmeImport(fonts, pages).run(id, source);
}

class PdfmeImport {
  readonly #notes: ImportNote[] = [];
  readonly #context: Import;
  readonly #pages: PdfmeSurroundings['pages'];

  constructor(fonts: FontLibrary, pages: PdfmeSurroundings['pages']) {
    this.#pages = pages;
    this.#context = { contract: new ImportedContract(), fonts, needsPageNumbers: false };
  }

  run(id: string, source: Json): ImportedTemplate {
    const root = new SchemaReader(source, 'template', this.#notes);
    root.ignore('pdfmeVersion', 'columns', 'sampledata');
    const paper = this.#paper(root);
    const everyPage = this.#schemas(paper.everyPage, 'basePdf.staticSchema');
    const header = everyPage.flatMap(({ nodes }) => nodes);
    const content = root
      .list('schemas')
      .map((page, index) => this.#page(page, index, paper, header));
    root.reportRest();
    const { contract } = this.#context;
    const document = {
      pageSize: paper.size,
      pageMargins: 0,
      // pdfme sets text without kerning: with it, some lines would break elsewhere.
      defaultStyle: { font: FAMILY, fontSize: 13, fontFeatures: { kern: false } },
      ...(paper.pdf === null ? {} : { pdfs: { base: paper.pdf } }),
      content,
    };
    const sample = contract.sample;
    const samples =
      Object.keys(sample).length === 0 ? {} : { samples: [{ name: 'content', data: sample }] };
    const template = {
      $schema: './template.schema.json',
      templateId: id,
      name: id,
      missingGlyph: 'reject',
      fields: contract.fields,
      document,
      ...samples,
    };
    return { template, notes: this.#notes };
  }

  #paper(root: SchemaReader): Paper {
    const base = root.value('basePdf');
    const isFile = typeof base === 'string' && base.startsWith('data:application/pdf');
    if (typeof base === 'string' && !isFile) {
      root.note('only a data URL of a PDF is read; put the file into document.pdfs', 'basePdf');
    }
    const paper = new SchemaReader(isObject(base) ? base : {}, 'basePdf', this.#notes);
    const [top, right, bottom, left] = [0, 1, 2, 3].map((side) =>
      pointsOf(paper.list('padding')[side], 0),
    );
    const found = {
      size: { width: paper.points('width', 210), height: paper.points('height', 297) },
      padding: { top: top ?? 0, right: right ?? 0, bottom: bottom ?? 0, left: left ?? 0 },
      pdf: isFile ? base : null,
      everyPage: paper.list('staticSchema'),
    };
    paper.reportRest();
    return found;
  }

  #page(source: unknown, index: number, paper: Paper, every: readonly object[]): object {
    const schemas = this.#schemas(source, `schemas[${index}]`);
    const grows = paper.pdf === null && schemas.some((schema) => schema.grows);
    const numbered = schemas.filter((schema) => schema.isNumbered);
    const others = schemas.filter((schema) => !schema.isNumbered);
    const header = [...every, ...numbered.flatMap(({ nodes }) => nodes)];
    const { padding } = paper;
    const own = this.#pages[index];
    const nodes = grows ? flowContent(others, padding) : others.flatMap(fixedNodes);
    return {
      // This keeps a page without other nodes.
      section: [{ text: '\u00a0', fontSize: 1, absolutePosition: { x: 0, y: 0 } }, ...nodes],
      ...(grows ? { pageMargins: [padding.left, padding.top, padding.right, padding.bottom] } : {}),
      ...(header.length === 0 ? {} : { header: { stack: header } }),
      ...(paper.pdf === null ? {} : { background: { pdf: 'base', page: index + 1 } }),
      ...(own === undefined ? {} : { pageSize: own }),
    };
  }

  /** Reads the schemas of a page: an array, or before version 5 an object by name. */
  #schemas(
    source: unknown,
    at: string,
  ): readonly (PlacedSchema & { readonly isNumbered: boolean })[] {
    const schemas = Array.isArray(source)
      ? listOf(source)
      : Object.entries(isObject(source) ? source : {}).map(([name, schema]) => ({
          name,
          ...(isObject(schema) ? schema : {}),
        }));
    return schemas.flatMap((json, index) => {
      if (!isObject(json)) return [];
      const name = typeof json['name'] === 'string' ? json['name'] : String(index);
      const schema = new SchemaReader(json, `${at}.${name}`, this.#notes);
      this.#context.needsPageNumbers = false;
      const frame = schema.frame();
      const made = this.#nodes(schema);
      if (made === null) return [];
      const nodes = made.map((node) => ({ ...node, [ORIGIN]: schema.place }));
      schema.ignore('content', 'readOnly', 'required', 'name');
      schema.reportRest();
      const type = schema.text('type');
      const grows = type === 'table' || type === 'list';
      const isNumbered = this.#context.needsPageNumbers;
      return [{ frame, nodes, grows, isNumbered }];
    });
  }

  #nodes(schema: SchemaReader): readonly object[] | null {
    const type = schema.text('type');
    const context = this.#context;
    switch (type) {
      case 'text':
      case 'multiVariableText':
      case 'select':
      case 'date':
      case 'time':
      case 'dateTime':
        return this.#text(schema, type);
      case 'image':
      case 'svg':
        return pictureNodes(schema, context, type);
      case 'signature':
        return pictureNodes(schema, context, 'image');
      case 'line':
      case 'rectangle':
      case 'ellipse':
        return shapeNodes(schema, type);
      case 'checkbox':
      case 'radioGroup':
        return tickNodes(schema, context, type);
      case 'circleMark':
        return ringNodes(schema, context);
      case 'table':
        return [tableNode(schema, context)];
      case 'list':
        return [listNode(schema, context)];
      default: {
        const nodes = codeNodes(schema, context, type);
        if (nodes === null) {
          schema.note(`a schema of type ${JSON.stringify(type)} has no counterpart`);
        }
        return nodes;
      }
    }
  }

  #text(
    schema: SchemaReader,
    type: 'text' | 'multiVariableText' | 'select' | 'date' | 'time' | 'dateTime',
  ): readonly object[] {
    const context = this.#context;
    if (type === 'multiVariableText') {
      schema.ignore('content');
      const text = variableText(schema, context);
      return textNodes(schema, context, text, null);
    }
    if (schema.flag('readOnly') && (type === 'text' || type === 'select')) {
      schema.ignore('options');
      const text = staticText(schema, context, schema.text('content'));
      return textNodes(schema, context, text, null);
    }
    schema.ignore('content');
    if (type === 'text') {
      const value = valueOf(schema, context, 'text');
      return textNodes(schema, context, value, value.slice(2, -2));
    }
    if (type === 'select') {
      const choices = schema.texts('options');
      const pattern = `^(?:${choices.map(literal).join('|')})$`;
      const rules = choices.length === 0 ? {} : { validation: { pattern } };
      const name = context.contract.declare(schema, 'text', rules);
      return textNodes(schema, context, `{{${name}}}`, name);
    }
    const rules = type === 'date' ? dateRules(schema) : {};
    if (type !== 'date') {
      schema.note(`a ${type} is a text: send it as it is to be printed`, 'format');
      schema.ignore('format', 'locale');
    }
    const name = context.contract.declare(schema, type === 'date' ? 'date' : 'text', rules);
    // pdfme always centres dates vertically.
    return textNodes(schema, context, `{{${name}}}`, name, { verticalAlignment: 'middle' });
  }
}

/** The format of a date: pdfme and this program both use CLDR's letters. */
function dateRules(schema: SchemaReader): { readonly format?: object } {
  const format = schema.text('format');
  const locale = schema.text('locale');
  const language = locale === '' ? {} : { language: locale };
  if (format === '') return { format: { pattern: 'yyyy/MM/dd', ...language } };
  const unquoted = format.replaceAll(/'[^']*'/g, '');
  if (/^(?:d{1,2}|M{1,4}|y{1,4}|E{1,4}|[^\p{L}])+$/u.test(unquoted)) {
    return { format: { pattern: format, ...language } };
  }
  schema.note(`the day is printed as 1 January 2026, not as ${JSON.stringify(format)}`, 'format');
  return { format: { pattern: 'd MMMM yyyy', ...language } };
}

/** Nodes of a schema on a page on which nothing is pushed down. */
function fixedNodes({ frame, nodes, grows }: PlacedSchema): readonly object[] {
  if (!grows) return nodes;
  const [node = {}] = nodes;
  return [{ absolutePosition: { x: frame.x, y: frame.y }, ...node }];
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
