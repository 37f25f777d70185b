import { loadBarcodes } from '../barcode/encode.ts';
import { compileContract, type Contract } from '../contract/contract.ts';
import type { DecodeBudget } from '../image/decode-budget.ts';
import type { QrUse } from '../qr/capacity.ts';
import type { Finding, TemplateLabel } from '../job.ts';
import { AmountColumns } from './amount-columns.ts';
import { Anchors } from './anchors.ts';
import { reportUnarchivable } from './archive/archive.ts';
import { compileProfile, glyphPolicyOf } from './archive/profile.ts';
import { Assets } from './assets.ts';
import { compileBlock } from './blocks/blocks.ts';
import { pickStyle, StyleDictionary } from './style/cascade.ts';
import type { Cascade } from './style/cascade.ts';
import { checkIsObject, checkObject, isAbsent } from './vocabulary/check.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { JsonObject } from '../../runtime/json-object.ts';
import type { Context, CompileScope, Surroundings } from './context.ts';
import { Expressions } from './computed/expressions.ts';
import { compileComputed } from './computed/plan.ts';
import { compileHead } from './fields/fields.ts';
import type { TemplateHead } from './fields/fields.ts';
import { FieldTable } from './fields/fieldtable.ts';
import { compileFiles } from './archive/files.ts';
import { compileSignatureField } from './archive/signature-field.ts';
import { Findings, memberPath } from './vocabulary/findings.ts';
import {
  DOCUMENT_KEYS,
  IGNORED_DOCUMENT_KEYS,
  NAMED_STYLE_KEYS,
  TEMPLATE_KEYS,
} from './vocabulary/keys.ts';
import { compileLayout } from './style/layouts.ts';
import { constantImages } from '../model/constant-images.ts';
import type { CompiledTemplate, PageSetup } from '../model/nodes.ts';
import type { TableLayout } from '../model/table-layout.ts';
import { compileRunningElement, compileMargins, compilePaper } from './pages.ts';
import { Letterheads } from './letterheads.ts';
import type { LetterheadTrust } from './letterheads.ts';
import { Patterns } from './style/hatches.ts';
import type { Mentions } from './mentions.ts';
import { mentionsIn } from './mentions.ts';
import { compileNaming, type NamingTemplate } from './naming.ts';
import { compileSamples, reportColumnSums } from './samples.ts';
import type { Sample } from './samples.ts';
import { compileSections } from './sections.ts';
import { reportKept } from './kept.ts';
import { attachedPagesOf, breakBeforeOf, compileInfo, compileWatermark } from './settings.ts';
import { parseSource } from './source.ts';
import { type DeclaredFonts, TextStyles } from './style/textstyle.ts';
import { reportUntaggable } from './archive/tagging.ts';
import { TextUses } from './style/uses.ts';
import type { Checked } from './vocabulary/values.ts';
import { estimateBytes } from './weigh.ts';

/** Properties of a template that are not in its file. */
export interface TemplateMeta {
  /** Lowercase hex SHA-256 of the file. */
  readonly hash: string;
  /** The id under which it is stored, if it is. */
  readonly templateId?: string;
  readonly version?: number;
}

/** A compiled template together with its contract: all that rendering needs. */
export interface ReadyTemplate extends CompiledTemplate {
  readonly contract: Contract;
  /** Null: its documents have neither reference nor file name. */
  readonly naming: NamingTemplate | null;
}

/** The samples and the contract that checks their data; both exist without a layout. */
export interface SampleCheck {
  readonly contract: Contract;
  readonly samples: readonly Sample[];
}

/** `template` is null exactly when `findings` holds an error. */
export interface Compilation {
  readonly template: ReadyTemplate | null;
  /** null when the fields have an error, or the file is not a JSON object. */
  readonly sampleCheck: SampleCheck | null;
  /** null when the file is not a JSON object. */
  readonly label: TemplateLabel | null;
  readonly findings: readonly Finding[];
  /** The parsed file; null when it is not a JSON object within the limits. */
  readonly file: JsonObject | null;
  /** Cleaned PDFs to be stored instead: data URLs by the data URLs of the file. */
  readonly cleanedPdfs?: ReadonlyMap<string, string>;
}

type DocumentSource = Checked<typeof DOCUMENT_KEYS>;
type TemplateSource = Checked<typeof TEMPLATE_KEYS>;

/**
 * Compiles a template file. All its faults are found in one go; each finding names the JSON path and
 * how to mend it. Asynchronous because static images are decoded.
 */
export async function compileTemplate(
  source: Uint8Array,
  meta: TemplateMeta,
  surroundings: Surroundings,
  trust: LetterheadTrust = 'stored',
): Promise<Compilation> {
  const findings = new Findings();
  const file = parseSource(source, findings);
  if (file === null) {
    return { template: null, sampleCheck: null, label: null, file, findings: findings.list() };
  }
  const own = checkObject(file, '', TEMPLATE_KEYS, findings);
  const errorsBefore = findings.errors;
  const head = compileHead(file, findings);
  const areFieldsSound = findings.errors === errorsBefore;
  const label = { templateId: head.templateId, name: head.name };
  const templateId = meta.templateId ?? head.templateId;
  if (templateId === '') findings.error('templateId', 'A template needs a "templateId".');
  const samples = compileSamples(own.samples ?? [], findings);
  const { decodeBudget } = surroundings;
  const contractOnly = (): SampleCheck | null =>
    areFieldsSound ? { contract: contractAlone(head, decodeBudget), samples } : null;
  const layout = checkIsObject(file['document'], 'document', findings);
  if (layout === null) {
    const sampleCheck = contractOnly();
    return { template: null, sampleCheck, label, file, findings: findings.list() };
  }
  if (mayHaveBarcodes(source, layout)) await loadBarcodes();
  const assets = await Assets.prepare(layout, 'document.images', decodeBudget, findings);
  const letterheads = await Letterheads.prepare(layout, trust, findings);
  const cleanedPdfs = letterheads.cleaned();
  const known = { ...head, templateId };
  const compiled = compileDocument(
    layout,
    own,
    known,
    { ...surroundings, assets, letterheads },
    samples,
    findings,
  );
  if (findings.failed) {
    const sampleCheck = contractOnly();
    return { template: null, sampleCheck, label, file, findings: findings.list(), cleanedPdfs };
  }
  const assetChars = assets.sourceChars + letterheads.sourceChars;
  const images = [...assets.used(), ...letterheads.used()];
  const template: ReadyTemplate = {
    ...compiled,
    hash: meta.hash,
    bytes: estimateBytes(source.length, assetChars, { images, fontUses: compiled.fontUses }),
  };
  const sampleCheck = { contract: template.contract, samples };
  return { template, sampleCheck, label, file, findings: findings.list(), cleanedPdfs };
}

/** Searches the bytes first: most files hold no barcode, and much of a file may be its images. */
function mayHaveBarcodes(source: Uint8Array, layout: JsonObject): boolean {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (bytes.includes('"barcode"')) return true;
  // An escape may stand in the key itself.
  return bytes.includes('\\u') && JSON.stringify(layout).includes('"barcode":');
}

/** The resources that compiling a node needs besides the template file. */
interface Given extends Surroundings {
  readonly assets: Assets;
  readonly letterheads: Letterheads;
}

type CompiledDocument = Omit<ReadyTemplate, 'hash' | 'bytes'>;

function compileDocument(
  file: JsonObject,
  template: TemplateSource,
  head: TemplateHead,
  given: Given,
  samples: readonly Sample[],
  findings: Findings,
): CompiledDocument {
  const { assets, letterheads, decodeBudget } = given;
  const document = checkObject(file, 'document', DOCUMENT_KEYS, findings, IGNORED_DOCUMENT_KEYS);
  const profile = compileProfile(template, document.tagged, findings);
  const { isTagged } = profile;
  const own = { ...head, isTagged };
  const context = createContext(document, own, template, given, findings);
  const scope = rootScope(context.defaultStyle);
  const setup = documentSetup(document, context, scope);
  if (document.content === undefined && isAbsent(file['content'])) {
    findings.error('document.content', 'A document needs "content": a node or an array of nodes.');
  }
  const sections = compileSections(document.content ?? [], setup, context, scope);
  const watermark = document.watermark ?? template.watermark;
  const watermarkPath = document.watermark === undefined ? 'watermark' : 'document.watermark';
  const missingGlyph = glyphPolicyOf(
    document.missingGlyph ?? template.missingGlyph,
    document.missingGlyph === undefined ? 'missingGlyph' : 'document.missingGlyph',
    profile,
    findings,
  );
  const compiledWatermark =
    watermark === undefined ? null : compileWatermark(watermark, watermarkPath, context, scope);
  const info = compileInfo(document.info, 'document.info', context, scope);
  const breakBefore = breakBeforeOf(document.breakBefore, 'document.breakBefore', findings);
  reportKept(sections, breakBefore, findings);
  reportColumnSums(context.columnSums, samples, findings);
  if (isTagged) reportUntaggable(sections, info, findings);
  if (profile.kind === 'archive') reportUnarchivable(setup, sections, assets.places(), findings);
  if (profile.kind !== 'plain') letterheads.reportNonStandard();
  const files = compileFiles(template.files ?? [], profile, context, scope);
  const signatureField = compileSignatureField(template.signatureField, sections, context, scope);
  const naming = compileNaming(template, context, scope);
  const mentions = mentionsIn([file, template.watermark, template.signatureField]);
  reportAtEnd(context, mentions, missingGlyph);
  const contract = compileReadyContract(head, context, decodeBudget, findings);
  const constant = constantImages(sections);
  return {
    ...head,
    fields: contract.fields,
    contract,
    naming,
    sections,
    watermark: compiledWatermark,
    info,
    breakBefore,
    missingGlyph,
    wideAmount: template.wideAmount ?? 'shrink',
    profile,
    files,
    drawnFields: context.uses.drawnFields,
    amountColumns: context.amountColumns.list(),
    signatureField,
    attachedPages: attachedPagesOf(document.attachedPages ?? template.attachedPages, findings),
    compress: document.compress ?? true,
    fontUses: context.uses.fontUses(),
    images: [...assets.used().filter(({ key }) => constant.has(key)), ...letterheads.used()],
  };
}

/** The contract of a template whose layout has errors: how its QR codes are drawn is not known. */
function contractAlone(head: TemplateHead, decodeBudget: DecodeBudget): Contract {
  const unseen = new Findings();
  const fields = new FieldTable(head, [], unseen);
  const { values } = new Expressions(head, fields, unseen);
  return compileComputed(head, fields, values, { decodeBudget, secrets: head.secrets });
}

/** Compiles the contract unless there are errors; with an error there is no template anyway. */
function compileReadyContract(
  head: TemplateHead,
  { qrUses, fields, expressions }: Context,
  decodeBudget: DecodeBudget,
  findings: Findings,
): Contract {
  const readsRaw = (list: number): boolean => fields.readsRaw(list);
  const options = { qrUses, decodeBudget, secrets: head.secrets, readsRaw };
  if (findings.failed) return compileContract([], head.language, options);
  return compileComputed(head, fields, expressions.values, options);
}

function createContext(
  document: DocumentSource,
  head: TemplateHead & { readonly isTagged: boolean },
  template: TemplateSource,
  { fonts, words, assets, letterheads }: Given,
  findings: Findings,
): Context {
  const { language, isTagged } = head;
  const fields = new FieldTable(head, template.fields ?? [], findings);
  const patterns = new Patterns(document.patterns ?? {}, 'document.patterns', findings);
  const defaultFamily = /^th\b/i.test(language) ? 'Sarabun' : 'Roboto';
  const styles = new StyleDictionary(document.styles ?? {}, 'document.styles', findings);
  const defaultStyle = defaultStyleOf(document.defaultStyle, findings);
  const declared = declaredFonts(defaultStyle, styles);
  const context: Context = {
    language,
    isTagged,
    fonts,
    findings,
    fields,
    expressions: new Expressions(head, fields, findings),
    words: wordsOf(words, template.words ?? []),
    styles,
    defaultStyle,
    textStyles: new TextStyles(fonts, defaultFamily, language, findings, declared),
    assets,
    letterheads,
    patterns,
    layouts: layoutsOf(document.tableLayouts ?? {}, patterns, findings),
    anchors: new Anchors(findings, outlinedTocs(document)),
    uses: new TextUses(fields, language),
    qrUses: new Map<string, QrUse[]>(),
    columnSums: [],
    amountColumns: new AmountColumns(),
    block: (source, path, scope) => compileBlock(source, path, context, scope),
  };
  return context;
}

/** The words of the institution and of the template; null: there are none. */
function wordsOf(
  institution: readonly string[],
  template: readonly string[],
): readonly string[] | null {
  if (template.length === 0) return institution.length === 0 ? null : institution;
  return [...institution, ...template];
}

function defaultStyleOf(source: JsonObject | undefined, findings: Findings): Cascade {
  if (source === undefined) return {};
  const style = checkObject(source, 'document.defaultStyle', NAMED_STYLE_KEYS, findings);
  return pickStyle(style) ?? {};
}

function declaredFonts({ font }: Cascade, styles: StyleDictionary): DeclaredFonts {
  const declared = new Map<string, string[]>();
  const declare = (family: string, path: string): void => {
    const paths = declared.get(family) ?? [];
    declared.set(family, [...paths, memberPath(path, 'font')]);
  };
  if (font !== undefined) declare(font, 'document.defaultStyle');
  for (const [name, family] of styles.families()) {
    declare(family, memberPath('document.styles', name));
  }
  return declared;
}

function layoutsOf(
  source: JsonObject,
  patterns: Patterns,
  findings: Findings,
): ReadonlyMap<string, TableLayout> {
  const layouts = new Map<string, TableLayout>();
  for (const [name, value] of Object.entries(source)) {
    const path = memberPath('document.tableLayouts', name);
    const object = checkIsObject(value, path, findings);
    if (object !== null) layouts.set(name, compileLayout(object, path, findings, patterns));
  }
  return layouts;
}

/**
 * Tables of contents with `outlines: true`, found first because their items may come before them.
 */
function outlinedTocs(document: DocumentSource): ReadonlySet<string> {
  const found = new Set<string>();
  const pending: unknown[] = [document.content];
  while (pending.length > 0) {
    const value = pending.pop();
    if (isObject(value) && isObject(value['toc']) && value['toc']['outlines'] === true) {
      const { id } = value['toc'];
      found.add(typeof id === 'string' ? id : '_default_');
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) {
      if (typeof member === 'object') pending.push(member);
    }
  }
  return found;
}

function rootScope(style: Cascade): CompileScope {
  return {
    style,
    each: null,
    entries: new Map(),
    guards: [],
    group: null,
    inRunningElement: false,
    signature: null,
    sums: null,
    pageSums: false,
    printsSecrets: false,
    format: null,
    room: null,
    depth: 0,
  };
}

function documentSetup(document: DocumentSource, context: Context, scope: CompileScope): PageSetup {
  const { pageSize, pageOrientation, pageMargins } = document;
  const paper = compilePaper(pageSize, pageOrientation, 'document.pageSize', context);
  const part = (key: 'header' | 'footer' | 'background'): PageSetup['header'] =>
    compileRunningElement(document[key], `document.${key}`, context, scope);
  return {
    ...paper,
    margins: compileMargins(pageMargins, paper, 'document.pageMargins', context),
    header: part('header'),
    footer: part('footer'),
    background: part('background'),
  };
}

/** Reports the findings that show only once everything is read. */
function reportAtEnd(
  context: Context,
  mentions: Mentions,
  policy: 'reject' | 'fallback' | 'notdef',
): void {
  const { anchors, assets, fields, findings, letterheads, uses } = context;
  anchors.addUses(uses);
  anchors.report(mentions.ids);
  assets.reportUnused(mentions.images);
  letterheads.reportUnused(mentions.pdfs);
  fields.reportUnbound(mentions.fields);
  uses.reportMissing(policy, findings);
}
