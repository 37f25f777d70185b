import { Objects, textOf } from './objects.ts';
import { Painting } from './painted.ts';
import { checkTree, type TreeFacts } from './tree.ts';

/**
 * A second look at archive and tagged files, which shares no code with the engine nor with
 * `test/archive`: qpdf reads the objects. `tree` is null for files that are not tagged.
 */
export interface Opinion {
  readonly faults: readonly string[];
  readonly tree: TreeFacts | null;
}

export function inspect(file: string, level: string | null, isTagged: boolean): Opinion {
  const objects = new Objects(file);
  const { trailer } = objects;
  const pages = objects.pages();
  const { faults: painted, mcids } = new Painting(objects, isTagged).read(pages);
  const faults = [...painted];
  const require = (holds: boolean, message: string): void => void (holds || faults.push(message));
  const metadata = objects
    .bytes(objects.raw(objects.raw(trailer, '/Root'), '/Metadata'))
    .toString();
  if (level !== null) {
    const [, part, conformance] = /(\d)(\w)$/.exec(level) ?? [];
    require(metadata.includes(`<pdfaid:part>${part}<`), 'XMP has another part');
    require(metadata
      .toUpperCase()
      .includes(`<PDFAID:CONFORMANCE>${conformance?.toUpperCase()}<`), 'level');
    require(objects.list(trailer, '/Root', '/OutputIntents').length > 0, 'no output intent');
    require(trailer['/Encrypt'] === undefined, 'encrypted');
    require(Array.isArray(objects.get(trailer, '/ID')), 'no /ID');
  }
  if (!isTagged) return { faults, tree: null };
  require(metadata.includes('<pdfuaid:part>1<'), 'XMP does not say PDF/UA-1');
  require(objects.get(trailer, '/Root', '/MarkInfo', '/Marked') === true, 'not marked');
  require(objects.get(trailer, '/Root', '/ViewerPreferences', '/DisplayDocTitle') ===
    true, 'title');
  require((textOf(objects.get(trailer, '/Root', '/Lang')) ?? '') !== '', 'no language');
  require((textOf(objects.get(trailer, '/Info', '/Title')) ?? '') !== '', 'no title');
  const tree = checkTree(objects);
  faults.push(...tree.faults);
  for (const [index, page] of pages.entries()) {
    const named = tree.mcids.get(page) ?? new Map<number, number>();
    const shown = mcids[index] ?? new Map<number, number>();
    for (const mcid of new Set([...named.keys(), ...shown.keys()])) {
      const [inTree, inContent] = [named.get(mcid) ?? 0, shown.get(mcid) ?? 0];
      const isOnce = inTree === 1 && inContent === 1;
      require(isOnce, `page ${index + 1}, MCID ${mcid}: ${inTree} in the tree, ${inContent} in content`);
    }
  }
  return { faults, tree };
}
