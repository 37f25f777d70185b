import type { TextTemplate } from '../../model/nodes.ts';
import type { FileMetadata, FileRelationship, Profile } from '../../model/structure.ts';
import type { CompileScope, Context } from '../context.ts';
import { parseText } from '../fields/bindings.ts';
import { checkObject } from '../vocabulary/check.ts';
import { type FILE_KEYS, FILE_METADATA_KEYS } from '../vocabulary/keys.ts';
import type { Checked, FacturXLevel } from '../vocabulary/values.ts';

type FileSource = Checked<typeof FILE_KEYS> & {
  readonly name: string;
  readonly mediaType: string;
};

/** The file names that Factur-X 1.0 asks for, by its level. */
const FACTUR_X_NAMES: Partial<Record<FacturXLevel, string>> = { XRECHNUNG: 'xrechnung.xml' };
const FACTUR_X_NAME = 'factur-x.xml';
/** These levels hold less than an invoice does, so their data is no alternative to the pages. */
const DATA_LEVELS: ReadonlySet<FacturXLevel> = new Set(['MINIMUM', 'BASIC WL']);
const INVOICE_RELATIONSHIPS: ReadonlySet<FileRelationship> = new Set([
  'Alternative',
  'Data',
  'Source',
]);
/** Prefixes that the metadata of a document uses itself. */
const OWN_PREFIX = /^(x|xml|xmlns|rdf|dc|pdf|xmp|pdfaid|pdfuaid|pdfa[A-Z]\w*)$/;
const NAME = /^[A-Za-z][\w-]*$/;

/** The relationship of a file for which the template gives none. */
export function relationshipOf(level: FacturXLevel | undefined): FileRelationship {
  if (level === undefined) return 'Unspecified';
  return DATA_LEVELS.has(level) ? 'Data' : 'Alternative';
}

/** Description of an embedded file in the document's metadata; null: none. */
export function compileFileMetadata(
  own: FileSource,
  path: string,
  profile: Profile,
  context: Context,
  scope: CompileScope,
): FileMetadata<TextTemplate> | null {
  const { findings } = context;
  if (own.facturX === undefined && own.metadata === undefined) return null;
  if (profile.kind !== 'archive' || profile.level.part !== 3) {
    const key = own.facturX === undefined ? 'metadata' : 'facturX';
    findings.error(`${path}.${key}`, 'It needs "archive": "PDF/A-3u" or "PDF/A-3a".');
  }
  if (own.facturX === undefined) return compileOwn(own, `${path}.metadata`, context, scope);
  if (own.metadata !== undefined) {
    findings.error(`${path}.metadata`, '"facturX" gives the metadata: leave this out.');
  }
  reportFacturX(own, own.facturX, path, context);
  return facturX(own.name, own.facturX);
}

/** Reports where the file is not as Factur-X 1.0 demands. */
function reportFacturX(
  { name, mediaType, relationship }: FileSource,
  level: FacturXLevel,
  path: string,
  { findings }: Context,
): void {
  const wanted = FACTUR_X_NAMES[level] ?? FACTUR_X_NAME;
  if (name !== wanted) findings.error(`${path}.name`, `Factur-X calls this file ${wanted}.`);
  if (mediaType !== 'text/xml') {
    findings.error(`${path}.mediaType`, 'Factur-X asks for "text/xml".');
  }
  if (relationship === undefined) return;
  if (DATA_LEVELS.has(level) && relationship !== 'Data') {
    findings.error(`${path}.relationship`, `Factur-X asks for "Data" at the level ${level}.`);
  } else if (!INVOICE_RELATIONSHIPS.has(relationship)) {
    const message = 'Factur-X allows "Alternative", "Data" and "Source".';
    findings.error(`${path}.relationship`, message);
  }
}

/** The schema of Factur-X 1.0, which ZUGFeRD 2 shares. */
function facturX(name: string, level: FacturXLevel): FileMetadata<TextTemplate> {
  return {
    schema: 'Factur-X PDFA Extension Schema',
    namespace: 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#',
    prefix: 'fx',
    properties: [
      property('DocumentType', 'Kind of the embedded document', 'INVOICE'),
      property('DocumentFileName', 'Name of the embedded XML file', name),
      property('Version', 'Version of the standard of the XML data', '1.0'),
      property('ConformanceLevel', 'Profile of the XML data', level),
    ],
  };
}

type Property = FileMetadata<TextTemplate>['properties'][number];

function property(name: string, description: string, text: string): Property {
  return { name, description, value: [{ kind: 'static', text }] };
}

/** A schema that the template names itself, such as that of a national invoice. */
function compileOwn(
  { metadata = {} }: FileSource,
  path: string,
  context: Context,
  scope: CompileScope,
): FileMetadata<TextTemplate> | null {
  const { findings } = context;
  const { schema, namespace, prefix, properties } = checkObject(
    metadata,
    path,
    FILE_METADATA_KEYS,
    findings,
  );
  if (namespace === undefined || prefix === undefined || properties === undefined) {
    findings.error(path, 'Metadata needs "namespace", "prefix" and "properties".');
    return null;
  }
  if (!NAME.test(prefix) || OWN_PREFIX.test(prefix)) {
    findings.error(`${path}.prefix`, 'It is not a name, or every document uses it already.');
  }
  const list = Object.entries(properties).map(([name, value]) => {
    const at = `${path}.properties.${name}`;
    if (!NAME.test(name)) findings.error(at, 'A property has a name of letters and digits.');
    if (typeof value !== 'string') findings.error(at, 'A property is a string.');
    const text = parseText(typeof value === 'string' ? value : '', at, context, scope);
    return { name, description: `${name} of an embedded file`, value: text };
  });
  return { schema: schema ?? prefix, namespace, prefix, properties: list };
}
