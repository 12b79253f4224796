// The columns of a layered drawing, and the order within them: output/scene/columns.py in the browser.

const SWEEPS = 16;

/** Return which of `count` boxes hang together by the arrows whose [source, target] are given. */
export function connectedParts(count, ends) {
  let part = Array.from({ length: count }, (_, box) => box);
  for (const [source, target] of ends) {
    const [one, two] = [part[source], part[target]];
    part = part.map((each) => (each === one || each === two ? Math.min(one, two) : each));
  }
  const firsts = [...new Set(part)].sort((a, b) => a - b);
  return firsts.map((first) => part.flatMap((each, box) => (each === first ? [box] : [])));
}

/** Give each box a column so that arrows point to the right, but for those that would close a circle. */
export function assignColumns(count, ends) {
  const forward = withoutCircles(count, ends);
  const columns = Array(count).fill(0);
  for (let turn = 0; turn < count; turn++) {
    for (const [source, target] of forward) columns[target] = Math.max(columns[target], columns[source] + 1);
  }
  shorten(columns, forward);
  const first = Math.min(...columns);
  return columns.map((column) => column - first);
}

function withoutCircles(count, ends) {
  const targets = Array.from({ length: count }, () => []);
  const incoming = Array(count).fill(0);
  for (const [source, target] of ends) {
    if (source !== target) {
      targets[source].push(target);
      incoming[target] += 1;
    }
  }
  const forward = [];
  const done = new Set();
  const starts = Array.from({ length: count }, (_, box) => box).sort(
    (a, b) => (incoming[a] > 0) - (incoming[b] > 0) || targets[b].length - targets[a].length || a - b,
  );
  for (const start of starts) {
    if (done.has(start)) continue;
    const open = new Set([start]);
    const way = [[start, 0]];
    while (way.length) {
      const last = way[way.length - 1];
      const [box, at] = last;
      if (at >= targets[box].length) {
        way.pop();
        open.delete(box);
        done.add(box);
        continue;
      }
      last[1] += 1;
      const found = targets[box][at];
      if (open.has(found)) {
        forward.push([found, box]);
      } else {
        forward.push([box, found]);
        if (!done.has(found)) {
          open.add(found);
          way.push([found, 0]);
        }
      }
    }
  }
  return forward;
}

function shorten(columns, forward) {
  const before = columns.map(() => []);
  const behind = columns.map(() => []);
  for (const [source, target] of forward) {
    behind[source].push(target);
    before[target].push(source);
  }
  for (let turn = 0; turn < columns.length; turn++) {
    let moved = false;
    for (let box = 0; box < columns.length; box++) {
      let column = columns[box];
      if (behind[box].length > before[box].length) column = Math.min(...behind[box].map((other) => columns[other])) - 1;
      else if (before[box].length > behind[box].length) {
        column = Math.max(...before[box].map((other) => columns[other])) + 1;
      }
      moved ||= column !== columns[box];
      columns[box] = column;
    }
    if (!moved) return;
  }
}

/** Order the places of each column so that few joints ([left, right]) cross. */
export function arrange(columns, joints) {
  const before = columns.map(() => []);
  const behind = columns.map(() => []);
  for (const [one, two] of joints) {
    behind[one].push(two);
    before[two].push(one);
  }
  const order = Array.from({ length: Math.max(...columns) + 1 }, () => []);
  for (const place of inWalkingOrder(columns, before, behind)) order[columns[place]].push(place);
  let best = order.map((column) => [...column]);
  let fewest = crossings(order, behind);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const toRight = sweep % 2 === 0;
    const joined = toRight ? before : behind;
    for (const column of toRight ? order : [...order].reverse()) sortByMean(column, order, joined);
    swapNeighbours(order, before, behind);
    const found = crossings(order, behind);
    if (found < fewest) [best, fewest] = [order.map((column) => [...column]), found];
  }
  return best;
}

function inWalkingOrder(columns, before, behind) {
  const found = new Set();
  const starts = columns.map((_, place) => place).sort((a, b) => columns[a] - columns[b] || a - b);
  for (const start of starts) {
    const waiting = [start];
    while (waiting.length) {
      const place = waiting.pop();
      if (!found.has(place)) {
        found.add(place);
        waiting.push(...[...before[place]].reverse(), ...[...behind[place]].reverse());
      }
    }
  }
  return found;
}

function positionsIn(order) {
  const positions = [];
  for (const column of order) column.forEach((place, position) => (positions[place] = position));
  return positions;
}

function sortByMean(column, order, joined) {
  const positions = positionsIn(order);
  const mean = (place) =>
    joined[place].length
      ? joined[place].reduce((sum, other) => sum + positions[other], 0) / joined[place].length
      : positions[place];
  column.sort((a, b) => mean(a) - mean(b));
}

function swapNeighbours(order, before, behind) {
  const positions = positionsIn(order);
  const crossed = (upper, lower) => {
    let count = 0;
    for (const joined of [before, behind]) {
      for (const one of joined[upper]) for (const two of joined[lower]) count += positions[one] > positions[two];
    }
    return count;
  };
  for (const column of order) {
    for (let at = 0; at < column.length - 1; at++) {
      const [upper, lower] = [column[at], column[at + 1]];
      if (crossed(upper, lower) > crossed(lower, upper)) {
        [column[at], column[at + 1]] = [lower, upper];
        [positions[upper], positions[lower]] = [at + 1, at];
      }
    }
  }
}

function crossings(order, behind) {
  const positions = positionsIn(order);
  let total = 0;
  for (const column of order) {
    const ends = [];
    for (const place of column) {
      const own = behind[place].map((other) => positions[other]);
      for (const each of own) for (const end of ends) total += end > each;
      ends.push(...own);
    }
  }
  return total;
}
