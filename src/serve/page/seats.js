// South sits below, North above; the server speaks of the player to move ("own") and the other one.

export const SEATS = ['South', 'North'];

/** Pits of both seats, from what the server says when `mover` is to move. */
export function seatsOf(position, mover) {
  const sides = [position.own, position.other];
  const stars = starsOf(position.text);
  const owners = ownersOf(position);
  const seat = (number) => {
    const side = number === mover ? 0 : 1;
    return sides[side].map((seeds, place) => {
      const own = owners[side][place];
      return { seeds, closed: stars[side]?.[place] ?? false, owner: own ? mover : 1 - mover };
    });
  };
  return [seat(0), seat(1)];
}

/** Where the position's text carries stars, by side. */
function starsOf(text) {
  const rows = text.split('/').map((row) => row.trim().split(/[\s,]+/).map((count) => count.endsWith('*')));
  return rows.length === 2 ? rows : [rows.slice(0, 2).flat(), rows.slice(2).flat()];
}

/** Whether the mover owns each pit, by side. */
function ownersOf(position) {
  if (!position.owners) return [position.own.map(() => true), position.other.map(() => false)];
  const digits = [...position.owners].map((digit) => digit === '1');
  return [digits.slice(0, position.own.length), digits.slice(position.own.length)];
}

/** The text of a position of pits as [`seatsOf`] gives them. */
export function textOf(seats, mover, pits) {
  const rows = [];
  for (const seat of [seats[mover], seats[1 - mover]]) {
    for (let first = 0; first < seat.length; first += pits) {
      const row = seat.slice(first, first + pits);
      rows.push(row.map((pit) => `${pit.seeds}${pit.closed ? '*' : ''}`).join(' '));
    }
  }
  return rows.join(' / ');
}

/** The owners of such pits as the player to move writes them. */
export function ownersText(seats, mover) {
  const digit = (pit) => (pit.owner === mover ? '1' : '0');
  return [...seats[mover], ...seats[1 - mover]].map(digit).join('');
}

/** The pit that a move is named after: seat, place there, and the way it is sown on the screen, if it has one. */
export function spot(move, mover, pits) {
  const found = /^([ob]?)(\d+)([<>]?)$/.exec(move);
  if (!found) return null;
  const [, row, number, way] = found;
  const seat = row === 'o' ? 1 - mover : mover;
  const place = Number(number) - 1 + (row === 'b' ? pits : 0);
  // Clockwise runs to the right in a front row and to the left in a back row, and North sits the other way round.
  const right = (way === '>') !== (row === 'b') !== (mover === 1);
  return { seat, place, way: way && (right ? 'right' : 'left'), clockwise: way === '>' };
}

/** The name of a pit for people. */
export function pitName(seat, place, pits, rows) {
  const row = rows === 1 ? '' : place < pits ? ' front' : ' back';
  return `${SEATS[seat]}${row} pit ${(place % pits) + 1}`;
}

/** The board after the first `count` steps of a sowing by `mover`: seats, seeds in hand, seeds won, last pit touched. */
export function afterSteps(seats, won, mover, steps, count) {
  const now = { seats: seats.map((seat) => seat.map((pit) => ({ ...pit }))), won: [...won], hand: 0, at: null };
  for (const step of steps.slice(0, count)) {
    const seat = step.of === 'own' ? mover : 1 - mover;
    const pit = step.of && now.seats[seat][step.place];
    const winner = step.do === 'give' ? 1 - mover : mover;
    if (step.do === 'lift') {
      pit.seeds -= step.seeds;
      now.hand += step.seeds;
    } else if (step.do === 'drop') {
      pit.seeds += step.seeds;
      now.hand -= step.seeds;
    } else {
      if (pit) pit.seeds -= step.seeds;
      else now.hand -= step.seeds;
      now.won[winner] += step.seeds;
    }
    now.at = pit ? { seat, place: step.place } : { store: winner };
    now.did = step;
  }
  return now;
}

/** One step in words. */
export function stepText(step, mover, pits, rows) {
  const seeds = `${step.seeds} ${step.seeds === 1 ? 'seed' : 'seeds'}`;
  const pit = step.of && pitName(step.of === 'own' ? mover : 1 - mover, step.place, pits, rows);
  const from = pit ? `from ${pit}` : 'from the hand';
  switch (step.do) {
    case 'lift': return `${seeds} lifted ${from}`;
    case 'drop': return `${seeds} into ${pit}`;
    case 'store': return `${seeds} into the store`;
    case 'take': return `${SEATS[mover]} wins ${seeds} ${from}`;
    default: return `${SEATS[1 - mover]} wins ${seeds} ${from}`;
  }
}
