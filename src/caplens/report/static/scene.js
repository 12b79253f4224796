// Scene graphs as drawings: output/scene/svg.py in the browser, with colours that follow the theme.
// Matched parts have solid lines and bold letters, the others broken lines: colour only says it again.

import { drawn } from "./dom.js";
import { layOut } from "./layout.js";

const [NAME_SIZE, TAG_SIZE, LABEL_SIZE] = [14, 11.5, 12];
const [BOX_PADDING, TAG_PADDING, TAG_GAP] = [12, 7, 5];
const [LINE, TAG_HEIGHT, LABEL_LINE] = [17, 19, 14];
const [WIDEST_NAME, WIDEST_TAGS, WIDEST_LABEL] = [150, 190, 130];
const [ARROW_LENGTH, ARROW_WIDTH] = [8, 7];
const MOST_LETTERS = 40;
const MARGIN = 4;

/** Draw one scene graph; `side` ("candidate" or "references") says what unmatched parts are. */
export function sceneDrawing(scene, side) {
  const look = (matched) => (matched ? "matched" : side === "candidate" ? "wrong" : "missed");
  const boxes = scene.objects.map(boxOf);
  const labels = scene.relations.map((relation) => wrapped(relation.name, LABEL_SIZE, WIDEST_LABEL));
  const arrows = scene.relations.map(({ source, target }, place) => ({ source, target, label: labelSize(labels[place]) }));
  const layout = layOut(boxes.map((box) => box.size), arrows, 560);
  const [width, height] = [Math.ceil(layout.width) + 2 * MARGIN, Math.ceil(layout.height) + 2 * MARGIN];
  const paths = scene.relations.map((relation, place) => ({ relation, lines: labels[place], route: layout.routes[place] }));
  paths.sort((one, two) => one.relation.matched - two.relation.matched);
  return drawn(
    "svg",
    {
      class: "scene-graph",
      width: Math.max(width, 120),
      height: Math.max(height, 24),
      viewBox: `${-MARGIN} ${-MARGIN} ${Math.max(width, 120)} ${Math.max(height, 24)}`,
      role: "img",
      "aria-label": described(scene, side),
    },
    boxes.length ? null : drawn("text", { x: 0, y: 14, class: "missed" }, "no tuples"),
    paths.map(({ relation, lines, route }) => arrowOf(lines, route, look(relation.matched))),
    boxes.map((box, place) => drawnBox(box, ...layout.boxes[place], look)),
  );
}

function described(scene, side) {
  const names = scene.objects.map((one) => one.name);
  const all = [
    ...scene.objects.map((one) => [one.name, one.matched]),
    ...scene.objects.flatMap((one) => one.attributes.map((tag) => [`${one.name} ${tag.name}`, tag.matched])),
    ...scene.relations.map((one) => [`${names[one.source]} ${one.name} ${names[one.target]}`, one.matched]),
  ];
  const listed = (matched) => all.filter((one) => one[1] === matched).map((one) => one[0]).join("; ") || "nothing";
  return `Scene graph of the ${side}. Matched: ${listed(true)}. Not matched: ${listed(false)}.`;
}

function boxOf(object) {
  const lines = wrapped(object.name, NAME_SIZE, WIDEST_NAME);
  const rows = [];
  let room = 0;
  for (const attribute of object.attributes) {
    const text = shortened(attribute.name);
    const width = textWidth(text, TAG_SIZE) + 2 * TAG_PADDING;
    if (!rows.length || room + width > WIDEST_TAGS) {
      rows.push([]);
      room = 0;
    }
    rows[rows.length - 1].push({ attribute, text, width });
    room += width + TAG_GAP;
  }
  const width = Math.max(...lines.map((line) => textWidth(line, NAME_SIZE) + 2 * BOX_PADDING), ...rows.map(rowWidth));
  const half = (LINE * lines.length + BOX_PADDING) / 2;
  return { object, lines, rows, half, size: { width, above: half, below: half + (TAG_HEIGHT + TAG_GAP) * rows.length } };
}

function rowWidth(row) {
  return row.reduce((sum, { width }) => sum + width + TAG_GAP, -TAG_GAP);
}

function drawnBox(box, left, height, look) {
  const middle = left + box.size.width / 2;
  const first = height - (LINE * (box.lines.length - 1)) / 2 + 0.35 * NAME_SIZE;
  const parts = [
    drawn("g", { class: look(box.object.matched) },
      drawn("rect", { x: left, y: height - box.half, width: box.size.width, height: 2 * box.half, rx: 8 }),
      box.lines.map((line, number) => textAt(middle, first + number * LINE, line, NAME_SIZE))),
  ];
  let top = height + box.half + TAG_GAP;
  for (const row of box.rows) {
    let at = middle - rowWidth(row) / 2;
    for (const { attribute, text, width } of row) {
      parts.push(drawn("g", { class: `tag ${look(attribute.matched)}` },
        drawn("rect", { x: at, y: top, width, height: TAG_HEIGHT, rx: TAG_HEIGHT / 2 }),
        textAt(at + width / 2, top + TAG_HEIGHT / 2 + 0.35 * TAG_SIZE, text, TAG_SIZE)));
      at += width + TAG_GAP;
    }
    top += TAG_HEIGHT + TAG_GAP;
  }
  return parts;
}

function arrowOf(lines, route, look) {
  const tip = route.after[route.after.length - 1];
  const before = route.after[route.after.length - 2];
  const neck = [tip[0] > route.label[0] ? tip[0] - ARROW_LENGTH : tip[0] + ARROW_LENGTH, tip[1]];
  const end = Math.abs(before[0] - tip[0]) < ARROW_LENGTH ? [neck] : [before, neck];
  const corners = [tip, [neck[0], neck[1] - ARROW_WIDTH / 2], [neck[0], neck[1] + ARROW_WIDTH / 2]];
  const [x, y] = route.label;
  const first = y - (LABEL_LINE * (lines.length - 1)) / 2 + 0.35 * LABEL_SIZE;
  return drawn("g", { class: look },
    [route.before, [...route.after.slice(0, -2), ...end]].map((points) => drawn("path", { d: curve(points) })),
    drawn("polygon", { points: corners.map((corner) => corner.join(",")).join(" ") }),
    lines.map((line, number) => textAt(x, first + number * LABEL_LINE, line, LABEL_SIZE)));
}

function curve(points) {
  const steps = [`M${points[0][0]} ${points[0][1]}`];
  for (let at = 1; at < points.length; at++) {
    const [[x, y], [toX, toY]] = [points[at - 1], points[at]];
    const middle = (x + toX) / 2;
    steps.push(y === toY ? `H${toX}` : `C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`);
  }
  return steps.join("");
}

function textAt(x, y, text, size) {
  return drawn("text", { x, y, "font-size": size, "text-anchor": "middle" }, text);
}

function labelSize(lines) {
  const half = (LABEL_LINE * lines.length) / 2;
  return { width: Math.max(...lines.map((line) => textWidth(line, LABEL_SIZE))) + 8, above: half, below: half };
}

/** Return how wide a text is at most, whatever the font: as output/svg.py does. */
export function textWidth(text, size) {
  return [...text].reduce((sum, letter) => sum + letterWidth(letter), 0) * size;
}

function letterWidth(letter) {
  if ("ijl.,:;'|!()[] ".includes(letter)) return 0.36;
  if ('frt-/"*'.includes(letter)) return 0.46;
  if ("mwMW@%".includes(letter)) return 0.98;
  if (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(letter)) return 1.05;
  if (/\p{M}/u.test(letter)) return 0;
  return /\p{Lu}/u.test(letter) ? 0.8 : 0.68;
}

function wrapped(name, size, widest) {
  let lines = [""];
  for (const piece of name.split(/(?<=[/ ])/)) {
    const last = lines[lines.length - 1];
    if (last && textWidth((last + piece).trimEnd(), size) > widest) lines.push("");
    lines[lines.length - 1] += piece;
  }
  lines = lines.map((line) => line.trimEnd());
  return lines.map((line) => (textWidth(line, size) <= widest ? line : shortened(line)));
}

function shortened(text) {
  const letters = [...text];
  return letters.length <= MOST_LETTERS ? text : `${letters.slice(0, MOST_LETTERS - 1).join("")}…`;
}
