import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type * as Library from '@cantoo/pdf-lib';

/**
 * pdf-lib as the one file that its package holds beside its 192 modules. Loading those takes twice
 * the CPU, and each foreign PDF is cleaned in a thread that loads them anew.
 */
const { resolve } = createRequire(import.meta.url);
const bundle = join(resolve('@cantoo/pdf-lib'), '../../dist/pdf-lib.esm.min.js');
const library = (await import(pathToFileURL(bundle).href)) as typeof Library;

export const {
  PDFArray,
  PDFBool,
  PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  PDFObjectStreamParser,
  PDFParser,
  PDFRawStream,
  PDFRef,
  PDFString,
  PDFXRefStreamParser,
} = library;

export type PDFArray = Library.PDFArray;
export type PDFBool = Library.PDFBool;
export type PDFContext = Library.PDFContext;
export type PDFDict = Library.PDFDict;
export type PDFHexString = Library.PDFHexString;
export type PDFName = Library.PDFName;
export type PDFNumber = Library.PDFNumber;
export type PDFObject = Library.PDFObject;
export type PDFObjectStreamParser = Library.PDFObjectStreamParser;
export type PDFParser = Library.PDFParser;
export type PDFRawStream = Library.PDFRawStream;
export type PDFRef = Library.PDFRef;
export type PDFString = Library.PDFString;
export type PDFXRefStreamParser = Library.PDFXRefStreamParser;
