import { FillItem, GridItem, LineItem, TextItem, type Item } from '../../model/frame.ts';

/** Shifts an item in place; nobody else may hold it. */
export function moveItem(item: Item, dx: number, dy: number): void {
  switch (item.kind) {
    case 'line':
      item.x1 += dx;
      item.x2 += dx;
      item.y1 += dy;
      item.y2 += dy;
      return;
    case 'image':
      item.x += dx;
      item.y += dy;
      if (item.clip !== null) {
        item.clip.x += dx;
        item.clip.y += dy;
      }
      return;
    case 'text':
    case 'grid':
    case 'fill':
    case 'path':
    case 'qr':
    case 'group':
      item.x += dx;
      item.y += dy;
      return;
    case 'tag':
      if (item.area !== null) {
        item.area = { ...item.area, x: item.area.x + dx, y: item.area.y + dy };
      }
      return;
  }
}

/** Makes a shifted copy, which shares shapes, paths and group contents with the original. */
export function copyItem(item: Item, dx: number, dy: number): Item {
  switch (item.kind) {
    case 'text':
      return new TextItem(item.style, item.x + dx, item.y + dy, item.shapes, item.gaps);
    case 'grid':
      return new GridItem(
        item.x + dx,
        item.y + dy,
        item.styles,
        item.baselines,
        item.texts,
        item.first,
        item.tops,
        item.xs,
      );
    case 'line':
      return new LineItem(
        item.x1 + dx,
        item.y1 + dy,
        item.x2 + dx,
        item.y2 + dy,
        item.widthPt,
        item.color,
        item.dash,
      );
    case 'fill':
      return new FillItem(
        item.x + dx,
        item.y + dy,
        item.widthPt,
        item.heightPt,
        item.paint,
        item.opacity,
      );
    case 'image': {
      const { clip } = item;
      return {
        ...item,
        x: item.x + dx,
        y: item.y + dy,
        clip: clip === null ? null : { ...clip, x: clip.x + dx, y: clip.y + dy },
      };
    }
    case 'path':
    case 'qr':
    case 'group':
      return { ...item, x: item.x + dx, y: item.y + dy };
    case 'tag':
      return { ...item };
  }
}
