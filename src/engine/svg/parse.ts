import type { SaxesAttributeNS, SaxesTagNS } from 'saxes';
import { SaxesParser } from 'saxes';
import { LIMITS } from '../../limits.ts';
import { attributeFault, DRAWN_ELEMENTS, FORBIDDEN_ELEMENTS, styleFault } from './rules.ts';
import { referenceFault } from './references.ts';
import type { SvgElement, SvgFault } from './tree.ts';

export type SvgOutcome =
  | { readonly ok: true; readonly root: SvgElement }
  | { readonly ok: false; readonly fault: SvgFault };

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink';

/**
 * Parses SVG markup strictly as XML with namespaces and gives the tree of what can be drawn, or
 * why it is refused. The tree holds no reference to anything outside it, no cycle, and
 * no more than the limits once every reference is expanded. Markup without the SVG namespace
 * counts as SVG; elements of other namespaces, metadata and filters are left out.
 */
export function parseSvg(markup: string): SvgOutcome {
  const text = markup.trim();
  if (!text.includes('<svg') || !text.includes('</svg>') || !text.startsWith('<')) {
    return { ok: false, fault: 'notSvg' };
  }
  const builder = new TreeBuilder();
  try {
    parse(text, builder);
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, fault: error.fault };
    throw error;
  }
  const root = builder.root;
  if (root === null) return { ok: false, fault: 'notSvg' };
  const fault = referenceFault(root);
  return fault === null ? { ok: true, root } : { ok: false, fault };
}

/** Ends the parser at the first fault; caught in this file. */
class Refusal extends Error {
  readonly fault: SvgFault;

  constructor(fault: SvgFault) {
    super(fault);
    this.fault = fault;
  }
}

function parse(text: string, builder: TreeBuilder): void {
  const parser = new SaxesParser({
    xmlns: true,
    position: false,
    // Inline markup uses xlink without declaring it, as HTML allows.
    additionalNamespaces: { xlink: XLINK_NAMESPACE },
  });
  parser.on('error', () => {
    throw new Refusal('malformed');
  });
  parser.on('doctype', () => {
    throw new Refusal('declaration');
  });
  parser.on('processinginstruction', () => {
    throw new Refusal('declaration');
  });
  parser.on('xmldecl', ({ version, encoding }) => {
    const isUtf8 = encoding === undefined || /^utf-?8$/iu.test(encoding);
    if (version !== '1.0' || !isUtf8) throw new Refusal('declaration');
  });
  parser.on('opentag', (tag) => builder.open(tag));
  parser.on('closetag', () => builder.close());
  parser.on('text', (data) => builder.text(data));
  parser.on('cdata', (data) => builder.text(data));
  parser.write(text).close();
}

interface OpenElement {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: (SvgElement | string)[];
}

class TreeBuilder {
  root: SvgElement | null = null;
  readonly #open: (OpenElement | null)[] = [];
  #elements = 0;

  open(tag: SaxesTagNS): void {
    if (++this.#elements > LIMITS.svgElementsMax) throw new Refusal('size');
    if (this.#open.length >= LIMITS.svgDepthMax) throw new Refusal('size');
    if (FORBIDDEN_ELEMENTS.has(tag.local.toLowerCase())) throw new Refusal('element');
    const isSvg = tag.uri === '' || tag.uri === SVG_NAMESPACE;
    const attributes = readAttributes(Object.values(tag.attributes));
    if (this.#open.length === 0) {
      if (!isSvg || tag.local !== 'svg') throw new Refusal('notSvg');
      const root = { name: 'svg', attributes, children: [] };
      this.root = root;
      this.#open.push(root);
      return;
    }
    const parent = this.#open.at(-1) ?? null;
    const isDrawn = parent !== null && isSvg && DRAWN_ELEMENTS.has(tag.local);
    const element = isDrawn ? { name: tag.local, attributes, children: [] } : null;
    if (element !== null) parent?.children.push(element);
    this.#open.push(element);
  }

  close(): void {
    const element = this.#open.pop();
    if (element?.name !== 'style') return;
    const fault = styleFault(element.children.filter((part) => typeof part === 'string').join(''));
    if (fault !== null) throw new Refusal(fault);
  }

  text(data: string): void {
    this.#open.at(-1)?.children.push(data);
  }
}

/** The checked attributes without those of foreign namespaces; xlink's and xml's by local name. */
function readAttributes(list: readonly SaxesAttributeNS[]): Map<string, string> {
  if (list.length > LIMITS.svgAttributesMax) throw new Refusal('size');
  const attributes = new Map<string, string>();
  for (const { local, uri, value, prefix, name } of list) {
    if (prefix === 'xmlns' || name === 'xmlns') continue;
    const fault = attributeFault(local, uri, value);
    if (fault !== null) throw new Refusal(fault);
    if (uri === '') attributes.set(local, value);
    else if (uri === XLINK_NAMESPACE || prefix === 'xml') {
      // A plain `href` wins over `xlink:href` (SVG 2 §16.1.6).
      if (!attributes.has(local)) attributes.set(local, value);
    }
  }
  return attributes;
}
