import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The part of the package that the bench uses. The package is installed on demand, so it cannot be
 * imported here.
 */
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

/** Renders the source with the given inputs. */
type Typst = (inputs: Record<string, string>) => Uint8Array;

/**
 * Typst in this process. It compiles the source at `main` anew for each document, but reads the
 * fonts in the folders of `fontFiles` only once. `pictures`: contents of files beside the source,
 * by name.
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
    // Without this, memory grows without bound. The results of the latest documents stay cached.
    compiler.evictCache(10);
    return pdf;
  };
}
