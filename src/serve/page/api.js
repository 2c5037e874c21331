// Questions to the server. The page knows no rules: every move, value and step of a sowing comes from here.

/** A question that was refused, with the server's reason. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.error ?? `the server answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

async function get(path, parameters = []) {
  const query = new URLSearchParams(parameters).toString();
  let response;
  try {
    response = await fetch(query ? `${path}?${query}` : path, { headers: { accept: 'application/json' } });
  } catch {
    throw new Refused(0, { error: 'the server cannot be reached' });
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body);
  return body;
}

/** The parameters that name the rules of an entry. */
function ruling(entry) {
  const rules = Object.entries(entry.rules).map(([name, value]) => ['rule', `${name}=${value}`]);
  return [['pits', entry.pits], ...rules];
}

/** The position of an entry as the server reads it. */
export function positionText(entry) {
  const [south, north] = entry.won;
  const won = entry.mover === 0 ? `${south}-${north}` : `${north}-${south}`;
  return south + north > 0 ? `${entry.text} : ${won}` : entry.text;
}

function about(entry) {
  const filling = entry.perPit === undefined ? [] : [['per_pit', entry.perPit]];
  return [...ruling(entry), ['position', positionText(entry)], ...filling];
}

export const games = () => get('v1/games');
export const sow = (entry, move) => get(`v1/${entry.game}/sow`, [...about(entry), ['move', move]]);
export const line = (entry) => get(`v1/${entry.game}/line`, about(entry));
export const stats = (entry, seeds) => get(`v1/${entry.game}/stats`, [...ruling(entry), ['seeds', seeds]]);

/** The answer to an entry; where the tables do not reach, what is known, with `missing` telling what is not. */
export async function answer(entry) {
  try {
    return await get(`v1/${entry.game}`, about(entry));
  } catch (error) {
    if (!(error instanceof Refused) || !error.body.answer) throw error;
    return { ...error.body.answer, missing: { reason: error.message, seeds: error.body.covered.seeds } };
  }
}
