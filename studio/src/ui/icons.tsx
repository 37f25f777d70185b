/** Outlines on a grid of 20, drawn for this application. */
const SHAPES = {
  templates: 'M5 2.8h6.6L15.5 6.7v10.5H5zM11.5 3v4h4M7.5 10.5h5.5M7.5 13.5h5.5',
  generate: 'M11 2.5 4.5 11.5h5l-.8 6 6.8-9h-5.2z',
  runs: 'M3 4.5h9M3 8.2h9M3 11.8h5M3 15.5h5M12 10.5v6.5l5-3.2z',
  documents: 'M2.8 6.2V16h14.4V6.2L15.4 3.5H4.6zM2.8 6.5h14.4M8 9.5h4',
  verify: 'M10 2.3 16.5 5v4.6c0 4-2.7 6.7-6.5 8.1-3.8-1.4-6.5-4.1-6.5-8.1V5zM7 9.8l2.2 2.2L13 8',
  audit: 'M4 3h12v14H4zM7 7h6M7 10h6M7 13h3.5',
  keys: 'M12.6 3a4.4 4.4 0 1 1-4 6.2L3 14.8V17h2.6v-1.8h1.8v-1.8h1.8l1-1a4.4 4.4 0 0 1 2.4-9.4zM13.6 6.4h.01',
  users:
    'M7.5 3.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM2 16.5c0-3 2.3-4.8 5.5-4.8s5.5 1.8 5.5 4.8M12.8 3.8a3 3 0 0 1 0 5.4M15 12.2c1.9.7 3 2.2 3 4.3',
  operations: 'M3 16.5h14M5 14V9.5M9 14V5M13 14v-6M17 14v-3',
  docs: 'M10 5.2C8.3 3.8 5.6 3.5 3 3.7v11.6c2.6-.2 5.3.1 7 1.5 1.7-1.4 4.4-1.7 7-1.5V3.7c-2.6-.2-5.3.1-7 1.5zM10 5.2v11.6',
  add: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5 5 15',
  check: 'M4 10.5l4 4 8-9',
  warn: 'M10 3 18 16.5H2zM10 8v4M10 14.3h.01',
  error: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM10 6v5M10 13.7h.01',
  info: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM10 9v5M10 6.3h.01',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  sun: 'M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4',
  moon: 'M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z',
  auto: 'M3 4h14v9.5H3zM7.5 17h5M10 13.5V17',
  out: 'M8 3H3.5v14H8M12.5 6.5 16 10l-3.5 3.5M16 10H7.5',
  download: 'M10 3v9.5M6 9l4 4 4-4M3.5 16.5h13',
  upload: 'M10 13V3.5M6 7l4-4 4 4M3.5 16.5h13',
  copy: 'M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7',
  search: 'M8.8 3.5a5.3 5.3 0 1 0 0 10.6 5.3 5.3 0 0 0 0-10.6zM12.7 12.7l4 4',
  left: 'M12.5 4.5 7 10l5.5 5.5',
  right: 'M7.5 4.5 13 10l-5.5 5.5',
  edit: 'M13 3.5 16.5 7 7.5 16H4v-3.5zM11 5.5 14.5 9',
  history: 'M3.5 10a6.5 6.5 0 1 0 2-4.7M3.5 3.5v3h3M10 6.5V10l2.5 1.5',
  compare: 'M3 3.5h5.5v13H3zM11.5 3.5H17v13h-5.5zM10 2v16',
  trash: 'M4 6h12M8 6V3.5h4V6M5.5 6l.8 10.5h7.4L14.5 6',
  line_above: 'M3 16.5h14M3 12.5h14M10 9V2.5M6.8 5.8h6.4',
  line_below: 'M3 3.5h14M3 7.5h14M10 11v6.5M6.8 14.2h6.4',
  page: 'M11.5 2.8H5v14.4h10V6.3zM11.5 2.8v3.5H15M7.5 10h5M7.5 13.3h5',
} as const;

export type IconName = keyof typeof SHAPES;

/** Pixels of a rem, unless the reader's browser has larger text. */
const REM_PX = 15;

/**
 * A decorative icon: its meaning is also given as text beside it or in a label. It grows with the text;
 * `size` is its side in pixels at the usual size.
 */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  const side = `${size / REM_PX}rem`;
  return (
    <svg class="icon" width={side} height={side} viewBox="0 0 20 20" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
