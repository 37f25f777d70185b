/** Every fixed bound of the service. What an operator may tune is in config.ts instead. */
export const LIMITS = {
  // The spec's limits.
  infoCodePointsMax: 200,
  metadataTitleCodePointsMax: 200,
  metadataSubjectCodePointsMax: 200,
  watermarkCodePointsMax: 30,
  attachmentsMax: 3,
  imagePixelsMax: 30_000_000,
  tableRowsMax: 2_000,
  tableCellsMax: 20_000,

  // Input beyond the spec.
  numberDigitsMax: 40,
  passwordBytesMax: 127,
  bodyDrainBytesMax: 16 * 1024 * 1024,
  /** Pixels of all images of a request; those of a re-encoded image count twice. */
  requestImagePixelsMax: 60_000_000,
  /** A longer side is no picture: 1 x 30,000,000 is legal in pixels and costs libvips 20 s. */
  imageSidePxMax: 65_535,
  /** Time limit of one call to libvips. */
  imageDecodeSecondsMax: 5,
  /** A scan of 40 bytes goes over every block of the picture; honest files have a dozen. */
  jpegScansMax: 100,
  imageCacheBytesMax: 48 * 1024 * 1024,
  dataUrlHeaderMax: 200,
  patternLengthMax: 10_000,
  patternStepsMax: 1_000,
  /** Sum over all patterns of a contract: a step costs some ns for each character of a text. */
  contractPatternStepsMax: 10_000,
  patternDepthMax: 50,
  /** Text a `validation.pattern` is matched against. */
  patternTextCodePointsMax: 10_000,
  svgElementsMax: 10_000,
  svgDepthMax: 200,
  svgExpandedElementsMax: 50_000,
  /** Nesting counted through references, too. */
  svgExpandedDepthMax: 400,
  /** Characters of markup drawn once every reference is expanded. */
  svgExpandedCharactersMax: 4_000_000,
  svgAttributesMax: 200,
  svgReferencesMax: 2_000,

  // Runs.
  /** Size of a part after decompression. */
  runPartBytesMax: 16 * 1024 * 1024,
  rowBytesMax: 1_048_576,
  rowIdLengthMax: 128,
  /** Rows of a run that are stored together, in one pack. */
  chunkRowsMax: 250,
  chunkBytesMax: 4 * 1024 * 1024,

  // Browser users.
  /** Drafts that a user may look at in a minute, beside the calls of the rate limit. */
  previewsPerMinuteMax: 600,

  // Templates.
  templateBytesMax: 8 * 1024 * 1024,
  fieldsMax: 500,
  /** Each is held against every field; those after them are left out, with a warning. */
  samplesMax: 1_000,
  /** JSON values of the file, samples and all: V8 takes 3 µs for each. */
  templateValuesMax: 250_000,
  /** JSON values of `document`: compiling and laying out a node takes 20 µs at most. */
  layoutValuesMax: 100_000,
  nodeDepthMax: 64,
  /** Fonts with fontFeatures: each keeps a megabyte of shaped pairs. */
  featuredFontsMax: 32,
  /** Brackets around a value of the file; a node takes three or four levels. */
  templateJsonDepthMax: 500,

  // Barcodes.
  /** Characters of a code of bars: more make it wider than a page. */
  barCharactersMax: 80,
  /** Bytes of a DataMatrix or PDF417: encoding costs up to 60 µs each. */
  matrixBytesMax: 500,
  /** Characters of all barcodes of a document's data: a second of encoding. */
  barcodeCharactersMax: 15_000,

  // PDFs as assets of a template.
  pdfBytesMax: 6 * 1024 * 1024,
  pdfPagesMax: 50,
  pdfObjectsMax: 20_000,
  /** Arrays, dictionaries and references inside one another. */
  pdfDepthMax: 50,
  /** Decompressed size of all streams except images, and of a single one. */
  pdfUnpackedBytesMax: 32 * 1024 * 1024,
  pdfStreamBytesMax: 8 * 1024 * 1024,
  pdfLinksMax: 200,
  /** CPU time to read one file, counted from when its reader is loaded. */
  pdfCleanMsMax: 1_200,
  pdfHeapMbMax: 96,

  // Rendering.
  pagesMax: 2_000,
  /** All lines of a paragraph are broken before the first is placed; pages hold some hundred. */
  paragraphLinesMax: 200_000,
  /** Characters and pictures of headers, footers and backgrounds that are drawn anew for each page. */
  runningElementsWeightMax: 3_000_000,
  mergedPagesMax: 5_000,
  /** Files that a template embeds into each document. */
  embeddedFilesMax: 10,
} as const;
