/** Groups of two or more modules that reach each other (Tarjan's strongly connected components). */
export function cyclesOf(arrows: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const order = new Map<string, number>();
  const open: string[] = [];
  const visit = (path: string): number => {
    const own = order.size;
    order.set(path, own);
    open.push(path);
    let low = own;
    for (const target of arrows.get(path) ?? []) {
      if (!arrows.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    if (low === own) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1) cycles.push(group);
    }
    return low;
  };
  for (const path of arrows.keys()) if (!order.has(path)) visit(path);
  return cycles;
}
