// The script of the page that page.ts writes: draws the graph that lies in #data.
const graphs = JSON.parse(document.querySelector('#data').textContent);
const [graph, search, found, detail] = ['graph', 'search', 'found', 'detail'].map((id) =>
  document.querySelector(`#${id}`),
);
const ROW_PX = 20;
const WIDTH_MIN_PX = 2;
const LABEL_MIN_PX = 28;
/** A hue for each part of the project; what is not the project's is grey. */
const HUES = [
  [/src\/engine\/layout\/text/, 265],
  [/src\/engine\/layout/, 215],
  [/src\/engine\/pdf/, 28],
  [/src\/engine\/font/, 150],
  [/src\/engine\/contract/, 340],
  [/src\/engine\/qr/, 185],
  [/src\//, 50],
];

let root = link(graphs[0].tree, null);
let zoomed = root;
let focused = root;

/** A node with its parent, from its packed form. */
function link([name, place, total, self, children], parent) {
  const node = { name, place, total, self, parent, children: [] };
  node.children = children.map((child) => link(child, node));
  return node;
}

function matches({ name, place }) {
  const text = search.value.trim().toLowerCase();
  return text !== '' && `${name} ${place}`.toLowerCase().includes(text);
}

function draw() {
  graph.replaceChildren();
  const widthPx = graph.clientWidth;
  const above = [];
  for (let node = zoomed.parent; node !== null; node = node.parent) above.unshift(node);
  above.forEach((node, depth) => add(node, 0, depth, widthPx, true));
  let deepest = above.length;
  const place = (node, x, depth) => {
    const width = (node.total / zoomed.total) * widthPx;
    if (width < WIDTH_MIN_PX) return;
    deepest = Math.max(deepest, depth);
    add(node, x, depth, width, false);
    let at = x;
    for (const child of node.children) {
      place(child, at, depth + 1);
      at += (child.total / zoomed.total) * widthPx;
    }
  };
  place(zoomed, 0, above.length);
  graph.style.height = `${(deepest + 1) * ROW_PX}px`;
  count();
}

function add(node, x, depth, width, isAbove) {
  const box = document.createElement('button');
  box.type = 'button';
  box.style.cssText = `left:${x}px;top:${depth * ROW_PX}px;width:${Math.max(1, width - 0.5)}px`;
  const hue = HUES.find(([part]) => part.test(node.place))?.[1];
  if (hue === undefined) box.classList.add('other');
  else box.style.setProperty('--hue', hue);
  if (isAbove) box.classList.add('above');
  if (matches(node)) box.classList.add('found');
  if (width > LABEL_MIN_PX) box.textContent = node.name;
  box.title = describe(node);
  box.setAttribute('aria-label', describe(node));
  box.tabIndex = node === focused ? 0 : -1;
  box.addEventListener('click', () => zoom(node));
  box.addEventListener('focus', () => show(node));
  box.addEventListener('mouseenter', () => (detail.textContent = describe(node)));
  node.box = box;
  graph.append(box);
}

function shareOf(ms) {
  return `${((ms / root.total) * 100).toFixed(1)} %`;
}

function describe({ name, place, total, self }) {
  const [whole, own] = [total, self].map((ms) => `${ms.toFixed(1)} ms (${shareOf(ms)})`);
  return `${name} ${place}: ${whole}, itself ${own}`;
}

function show(node) {
  focused.box?.setAttribute('tabindex', '-1');
  focused = node;
  node.box?.setAttribute('tabindex', '0');
  detail.textContent = describe(node);
}

function zoom(node) {
  zoomed = node;
  focused = node;
  draw();
  node.box.focus();
}

/** The share of the samples in functions that the search finds, callees of such ones not twice. */
function count() {
  if (search.value.trim() === '') {
    found.textContent = '';
    return;
  }
  let total = 0;
  const visit = (node) => {
    if (matches(node)) total += node.total;
    else node.children.forEach(visit);
  };
  visit(root);
  found.textContent = `found: ${((total / root.total) * 100).toFixed(1)} %`;
}

function neighbour(step) {
  const siblings = focused.parent?.children ?? [focused];
  return siblings[siblings.indexOf(focused) + step];
}

const KEYS = {
  ArrowUp: () => focused.parent,
  ArrowDown: () => focused.children[0],
  ArrowLeft: () => neighbour(-1),
  ArrowRight: () => neighbour(1),
};

graph.addEventListener('keydown', (event) => {
  const next = KEYS[event.key]?.();
  if (KEYS[event.key] === undefined) return;
  event.preventDefault();
  if (next?.box?.isConnected) next.box.focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    search.value = '';
    zoom(root);
  } else if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
search.addEventListener('input', draw);
document.querySelector('#reset').addEventListener('click', () => zoom(root));
window.addEventListener('resize', draw);

function fillRows(rows) {
  document.querySelector('#rows').replaceChildren(
    ...rows.map(({ name, place, selfMs, share }) => {
      const row = document.createElement('tr');
      row.innerHTML = '<td></td><td></td><td><button type="button"></button> <small></small></td>';
      row.cells[0].textContent = (share * 100).toFixed(1);
      row.cells[1].textContent = selfMs.toFixed(1);
      row.querySelector('button').textContent = name;
      row.querySelector('small').textContent = place;
      row.querySelector('button').addEventListener('click', () => {
        search.value = name;
        draw();
      });
      return row;
    }),
  );
}

function choose(index) {
  root = link(graphs[index].tree, null);
  zoomed = root;
  focused = root;
  fillRows(graphs[index].rows);
  tabs.forEach((tab, at) => tab.setAttribute('aria-pressed', String(at === index)));
  draw();
  detail.textContent = describe(root);
}

const tabs = graphs.map(({ title }, index) => {
  const tab = document.createElement('button');
  tab.type = 'button';
  tab.textContent = title;
  tab.addEventListener('click', () => choose(index));
  document.querySelector('#tabs').append(tab, ' ');
  return tab;
});
choose(0);
