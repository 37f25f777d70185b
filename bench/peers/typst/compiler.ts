import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The part of the package that is used; it is installed on demand, so it is not imported here. */
export interface TypstModule {
  readonly NodeCompiler: {
    create(options: { workspace: string; fontArgs: { fontPaths: string[] }[] }): Compiler;
  };
}

interface Compiler {
  mapShadow(path: string, content: Buffer): void;
  pdf(
    source: { mainFilePath: string; inputs: Record<string, string> },
    options: { pdfTags: boolean },
  ): Uint8Array;
  evictCache(maxAge: number): void;
}

/** Draws the source with other inputs each time. */
type Typst = (inputs: Record<string, string>) => Uint8Array;

/**
 * Typst in this process: the source at `main` is compiled anew for each document, while the fonts in
 * the folders of `fontFiles` are read once. `pictures` are files beside the source, by name.
 */
export function openTypst(
  { NodeCompiler }: TypstModule,
  main: string,
  fontFiles: readonly string[],
  { pictures, pdfTags }: { readonly pictures: Record<string, Buffer>; readonly pdfTags: boolean },
): Typst {
  const workspace = dirname(main);
  const fontArgs = [{ fontPaths: fontFiles.map((file) => dirname(file)) }];
  const compiler = NodeCompiler.create({ workspace, fontArgs });
  compiler.mapShadow(main, readFileSync(main));
  for (const [name, content] of Object.entries(pictures)) {
    compiler.mapShadow(`${workspace}/${name}`, content);
  }
  return (inputs) => {
    const pdf = compiler.pdf({ mainFilePath: main, inputs }, { pdfTags });
    // Without this its memory would grow without bound; results of the last documents stay.
    compiler.evictCache(10);
    return pdf;
  };
}
