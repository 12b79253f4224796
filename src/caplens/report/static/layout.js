// Places for the boxes and arrows of a graph: output/scene/layout.py in the browser, with the same outcome.
// The method (Sugiyama, Tagawa and Toda 1981) is explained there; tests compare the two.

import { arrange, assignColumns, connectedParts } from "./columns.js";

const COLUMN_GAP = 34;
const ROW_GAP = 14;
const PART_GAP = 28;
const LEAST_WIDTH = 640;
const TURNS = 40;
const STRAIGHTENINGS = 4;
const PORT_GAP = 9;
const CORNER = 9;
const LOOP = 5;
const STUB = 8;

/**
 * Find places for boxes ({width, above, below}) and arrows ({source, target, label}, the label being a size too).
 * Returns {width, height, boxes: [[left, height], ...], routes: [{before, label, after}, ...]}.
 */
export function layOut(boxes, arrows, leastWidth = LEAST_WIDTH) {
  const ends = arrows.map(({ source, target }) => [source, target]);
  const parts = connectedParts(boxes.length, ends).map((members) => {
    const within = arrows.map((_, number) => number).filter((number) => members.includes(ends[number][0]));
    return layOutPart(members, boxes, within, arrows);
  });
  parts.sort((a, b) => b.chains.size - a.chains.size || b.boxes.size - a.boxes.size ||
    Math.min(...a.boxes.keys()) - Math.min(...b.boxes.keys()));
  const [width, height] = setInRows(parts, leastWidth);
  const places = [];
  const routes = [];
  for (const part of parts) {
    for (const [box, number] of part.boxes) places[box] = [part.places[number].left, part.places[number].height];
    for (const [arrow, chain] of part.chains) routes[arrow] = route(part, arrow, chain);
  }
  return { width, height, boxes: places, routes };
}

const place = (size, column) => ({ size, column, left: 0, height: 0, leftMargin: 0, rightMargin: 0 });
const rightOf = (one) => one.left + one.size.width;

function crossing(one, toRight) {
  const left = [one.left - one.leftMargin, one.height];
  const right = [rightOf(one) + one.rightMargin, one.height];
  return toRight ? [left, right] : [right, left];
}

function layOutPart(members, boxes, within, arrows) {
  const numbers = new Map(members.map((box, number) => [box, number]));
  const ends = within.map((number) => [numbers.get(arrows[number].source), numbers.get(arrows[number].target)]);
  const columns = assignColumns(members.length, ends);
  const part = {
    boxes: numbers,
    places: members.map((box, number) => place(boxes[box], 2 * columns[number])),
    joints: [],
    chains: new Map(),
    labels: new Map(),
    starts: new Map(),
    ends: new Map(),
  };
  for (const number of within) addChain(part, number, arrows[number]);
  const order = arrange(part.places.map((one) => one.column), part.joints);
  setColumns(part);
  setHeights(part, order);
  for (let turn = 0; turn < STRAIGHTENINGS; turn++) straighten(part, order);
  move(part, 0, -Math.min(...part.places.map((one) => one.height - one.size.above)));
  setPorts(part, within, arrows);
  return part;
}

function addChain(part, number, arrow) {
  const [source, target] = [part.boxes.get(arrow.source), part.boxes.get(arrow.target)];
  const [first, last] =
    part.places[source].column <= part.places[target].column ? [source, target] : [target, source];
  const [start, stop] = [part.places[first].column, part.places[last].column];
  const labelled = stop - start < 4 ? start + 1 : Math.floor((start + stop) / 2) | 1;
  const chain = [first];
  for (let column = start + 1; column < Math.max(stop, start + 2); column++) {
    part.places.push(place(column === labelled ? arrow.label : { width: 0, above: 3, below: 3 }, column));
    chain.push(part.places.length - 1);
    if (column === labelled) part.labels.set(number, chain[chain.length - 1]);
  }
  chain.push(last);
  for (let at = 0; at < chain.length - 1; at++) {
    const [one, two] = [chain[at], chain[at + 1]];
    if (part.places[one].column < part.places[two].column) part.joints.push([one, two]);
  }
  part.chains.set(number, chain);
}

function setColumns(part) {
  const widths = [];
  for (const one of part.places) widths[one.column] = Math.max(widths[one.column] ?? 0, one.size.width);
  const lefts = [];
  let at = 0;
  widths.forEach((width, column) => {
    lefts[column] = at;
    at += width + COLUMN_GAP;
  });
  part.places.forEach((one, number) => {
    const room = widths[one.column] - one.size.width;
    if (number >= part.boxes.size) one.leftMargin = room / 2;
    else if (one.column === 0) one.leftMargin = room;
    one.rightMargin = room - one.leftMargin;
    one.left = lefts[one.column] + one.leftMargin;
  });
}

function setHeights(part, order) {
  const { places } = part;
  const joined = places.map(() => []);
  for (const [one, two] of part.joints) {
    const pull = 4 ** ((one >= part.boxes.size) + (two >= part.boxes.size));
    joined[one].push([two, pull]);
    joined[two].push([one, pull]);
  }
  const weights = joined.map((found) => found.reduce((sum, [, pull]) => sum + pull, 0) || 1);
  for (const column of order) spread(places, column, column.map(() => 0), weights);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const column of turn % 2 === 0 ? order : [...order].reverse()) {
      const wanted = column.map((number) =>
        joined[number].length
          ? joined[number].reduce((sum, [other, pull]) => sum + pull * places[other].height, 0) / weights[number]
          : places[number].height);
      spread(places, column, wanted, weights);
    }
  }
}

function spread(places, column, wanted, weights) {
  const distances = [0];
  for (let at = 1; at < column.length; at++) {
    distances.push(distances[at - 1] + distance(places, column[at - 1], column[at]));
  }
  const pools = [];
  column.forEach((number, at) => {
    let [mean, weight, count] = [wanted[at] - distances[at], weights[number], 1];
    while (pools.length && pools[pools.length - 1][0] >= mean) {
      const [other, heavy, many] = pools.pop();
      [mean, weight, count] = [(mean * weight + other * heavy) / (weight + heavy), weight + heavy, count + many];
    }
    pools.push([mean, weight, count]);
  });
  const means = pools.flatMap(([mean, , count]) => Array(count).fill(mean));
  column.forEach((number, at) => (places[number].height = means[at] + distances[at]));
}

function straighten(part, order) {
  const { places } = part;
  const above = new Map();
  const below = new Map();
  for (const column of order) {
    for (let at = 1; at < column.length; at++) {
      above.set(column[at], column[at - 1]);
      below.set(column[at - 1], column[at]);
    }
  }
  const room = (number) => {
    const [upper, lower] = [above.get(number), below.get(number)];
    return [
      upper === undefined ? -Infinity : places[upper].height + distance(places, upper, number),
      lower === undefined ? Infinity : places[lower].height - distance(places, number, lower),
    ];
  };
  for (const chain of part.chains.values()) {
    let [level, least, most] = [[], -Infinity, Infinity];
    for (const number of chain.slice(1, -1)) {
      const [highest, lowest] = room(number);
      if (level.length && Math.max(least, highest) > Math.min(most, lowest)) {
        setLevel(level, least, most);
        [level, least, most] = [[], -Infinity, Infinity];
      }
      level.push(places[number]);
      [least, most] = [Math.max(least, highest), Math.min(most, lowest)];
    }
    setLevel(level, least, most);
  }
}

function setLevel(places, least, most) {
  const mean = places.reduce((sum, one) => sum + one.height, 0) / places.length;
  for (const one of places) one.height = Math.min(Math.max(mean, least), most);
}

function distance(places, upper, lower) {
  return places[upper].size.below + ROW_GAP + places[lower].size.above;
}

function setPorts(part, within, arrows) {
  const sides = new Map();
  const add = (box, right, entry) => {
    const key = `${box} ${right}`;
    if (!sides.has(key)) sides.set(key, [box, []]);
    sides.get(key)[1].push(entry);
  };
  for (const [number, chain] of part.chains) {
    const last = chain[chain.length - 1];
    add(chain[0], true, [part.places[chain[1]].height, number, true]);
    add(last, chain[0] === last, [part.places[chain[chain.length - 2]].height, number, false]);
  }
  for (const [box, found] of sides.values()) {
    found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || b[2] - a[2]);
    const room = 2 * (part.places[box].size.above - CORNER);
    const gap = Math.min(PORT_GAP, room / Math.max(found.length - 1, 1));
    found.forEach(([, number, isFirst], at) => {
      (isFirst ? part.starts : part.ends).set(number, gap * (at - (found.length - 1) / 2));
    });
  }
  for (const number of within) {
    const chain = part.chains.get(number);
    if (chain[0] !== part.boxes.get(arrows[number].source)) {
      chain.reverse();
      const start = part.starts.get(number);
      part.starts.set(number, part.ends.get(number));
      part.ends.set(number, start);
    }
  }
}

function move(part, right, down) {
  for (const one of part.places) {
    one.left += right;
    one.height += down;
  }
}

function setInRows(parts, leastWidth) {
  const widthOf = (part) => Math.max(...part.places.map(rightOf));
  const bottomOf = (part) => Math.max(...part.places.map((one) => one.height + one.size.below));
  const limit = Math.max(leastWidth, ...parts.map(widthOf));
  let [at, top, bottom, width] = [0, 0, 0, 0];
  let looseBefore = false;
  for (const part of parts) {
    const loose = part.chains.size === 0;
    const size = widthOf(part);
    if (at && (at + size > limit || loose !== looseBefore)) {
      [at, top] = [0, bottom + (!loose || !looseBefore ? PART_GAP : ROW_GAP)];
    }
    looseBefore = loose;
    move(part, at, top);
    [width, bottom] = [Math.max(width, at + size), Math.max(bottom, bottomOf(part))];
    at += size + (loose ? COLUMN_GAP : PART_GAP);
  }
  return [width, bottom];
}

function route(part, arrow, chain) {
  const places = chain.map((number) => part.places[number]);
  const [source, target] = [places[0], places[places.length - 1]];
  const label = part.places[part.labels.get(arrow)];
  const middle = [label.left + label.size.width / 2, label.height];
  const [start, end] = [source.height + part.starts.get(arrow), target.height + part.ends.get(arrow)];
  if (source === target) {
    const [border, near] = [rightOf(source) + source.rightMargin + STUB, label.left - label.leftMargin];
    const [there, back] = [label.height - LOOP, label.height + LOOP];
    return {
      before: [[rightOf(source), start], [border, start], [near, there], [label.left, there]],
      label: middle,
      after: [[label.left, back], [near, back], [border, end], [rightOf(source), end]],
    };
  }
  const toRight = source.column < target.column;
  const at = chain.indexOf(part.labels.get(arrow));
  const before = places.slice(1, at).flatMap((one) => crossing(one, toRight));
  const after = places.slice(at + 1, -1).flatMap((one) => crossing(one, toRight));
  const [enters, leaves] = crossing(label, toRight);
  const [leaving, arriving] = [crossing(source, toRight)[1][0], crossing(target, toRight)[0][0]];
  const [[first, near], [far, last]] = toRight
    ? [[rightOf(source), label.left], [rightOf(label), target.left]]
    : [[source.left, rightOf(label)], [label.left, rightOf(target)]];
  return {
    before: [[first, start], [leaving, start], ...before, enters, [near, label.height]],
    label: middle,
    after: [[far, label.height], leaves, ...after, [arriving, end], [last, end]],
  };
}
