/** The fixed limits of the service; those that an operator may change are settings in settings/config.ts. */
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

  /** The window of the spec's limit of generate calls. */
  rateWindowMs: 60_000,

  // Input beyond the spec.
  /** Entries of a list, those of lists inside it included: what a contract may allow, and the default. */
  listEntriesMax: 20_000,
  listEntriesDefault: 5_000,
  /** Cells of the rows that entries become, absent values included. */
  listCellsMax: 400_000,
  /** Lists that stand in one another. */
  listDepthMax: 3,
  /** Records and lists that stand in one another. */
  nestedFieldsDepthMax: 8,
  /** Different expressions of the layout of a template. */
  expressionsMax: 1_000,
  /** Steps of all expressions of a document together, of about 100 ns each. */
  expressionStepsMax: 1_000_000,
  /** Defects of a body that a reply names. */
  defectsMax: 1_000,
  numberDigitsMax: 40,
  passwordBytesMax: 127,
  bodyDrainBytesMax: 16 * 1024 * 1024,
  /** Pixels of all images of a request; those of a re-encoded image count twice. */
  requestImagePixelsMax: 60_000_000,
  /**
   * Longest side of an image: 1 x 30,000,000 is within the limit of pixels but costs libvips 20 s.
   */
  imageSidePxMax: 65_535,
  /** Time limit of one call to libvips in seconds of wall time: a busy machine decodes slowly. */
  imageDecodeSecondsMax: 10,
  /**
   * A scan of 40 bytes makes the decoder visit every block of the picture; usual files have a
   * dozen.
   */
  jpegScansMax: 100,
  imageCacheBytesMax: 48 * 1024 * 1024,
  dataUrlHeaderMax: 200,
  patternLengthMax: 10_000,
  patternStepsMax: 1_000,
  /** Steps of all patterns of a contract together: each costs some ns per character of a text. */
  contractPatternStepsMax: 10_000,
  patternDepthMax: 50,
  /** Length of a text that a `validation.pattern` is matched against. */
  patternTextCodePointsMax: 10_000,
  svgElementsMax: 10_000,
  svgDepthMax: 200,
  svgExpandedElementsMax: 50_000,
  /** Nesting counted through references, too. */
  svgExpandedDepthMax: 400,
  /** Characters of markup to draw when all references are expanded. */
  svgExpandedCharactersMax: 4_000_000,
  svgAttributesMax: 200,
  svgReferencesMax: 2_000,

  // Runs.
  /** Size of a part after decompression. */
  runPartBytesMax: 16 * 1024 * 1024,
  rowBytesMax: 1_048_576,
  /** A CSV header is read on the main thread. */
  csvHeaderBytesMax: 64 * 1024,
  csvColumnsMax: 2_000,
  rowIdLengthMax: 128,
  /** Rows of a run that are stored together, in one pack. */
  chunkRowsMax: 250,
  chunkBytesMax: 4 * 1024 * 1024,
  /** Defaults of settings (settings/runs.ts). */
  runMbMax: 4_096,
  teamRunMbMax: 8_192,
  teamRunPartsMax: 200_000,
  teamRunsActiveMax: 100,

  // Browser users.
  /** Previews that a user may request per minute, apart from the calls of the rate limit. */
  previewsPerMinuteMax: 600,

  // Templates.
  templateBytesMax: 8 * 1024 * 1024,
  fieldsMax: 500,
  /** Values that a field can list as its choices. */
  fieldChoicesMax: 100,
  /** Each sample is checked against every field; further samples are ignored with a warning. */
  samplesMax: 1_000,
  /** JSON values of the file, samples included: V8 takes 3 µs for each. */
  templateValuesMax: 250_000,
  /** JSON values of `document`: compiling and laying out a node takes 20 µs at most. */
  layoutValuesMax: 100_000,
  nodeDepthMax: 64,
  /** Fonts with fontFeatures: each keeps a megabyte of shaped pairs. */
  featuredFontsMax: 32,
  /** Nesting of arrays and objects in the file; a node takes three or four levels. */
  templateJsonDepthMax: 500,

  // Barcodes.
  /** Characters of a linear barcode: more make it wider than a page. */
  barCharactersMax: 80,
  /** Bytes of a DataMatrix or PDF417: encoding costs up to 60 µs each. */
  matrixBytesMax: 500,
  /** Characters of all barcodes in the data of a document: they take a second to encode. */
  barcodeCharactersMax: 15_000,

  // PDFs as assets of a template.
  pdfBytesMax: 6 * 1024 * 1024,
  pdfPagesMax: 50,
  pdfObjectsMax: 20_000,
  /** Nesting of arrays, dictionaries and references. */
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
  /** Lines of a paragraph, which are all broken before the first is placed. */
  paragraphLinesMax: 200_000,
  /** Characters and pictures of the running elements, summed over the pages that draw them. */
  runningElementsWeightMax: 3_000_000,
  mergedPagesMax: 5_000,
  /** Files that a template embeds into each document. */
  embeddedFilesMax: 10,
} as const;
