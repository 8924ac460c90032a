const SEPARATORS = /[-_]/g

/** The form in which names of sections and keys are compared: `Enable_Auth` and `enable-auth` are `enableauth`. */
export function normalizeKey(name: string): string {
  return name.replaceAll(SEPARATORS, '').toLowerCase()
}

/** The candidate that `name` was most likely meant to be; undefined when none is close. */
export function nearestKey(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = normalizeKey(name)
  // Two slips are allowed, but only one in a short name, as two would change most of it.
  let best = wanted.length < 5 ? 1 : 2
  let nearest: string | undefined
  for (const candidate of candidates) {
    const distance = editDistance(wanted, normalizeKey(candidate))
    if (distance < best || (distance === best && nearest === undefined)) {
      best = distance
      nearest = candidate
    }
  }
  return nearest
}

/** The Levenshtein distance, with a swap of two letters as one slip. Works row by row. */
function editDistance(left: string, right: string): number {
  let previous: number[] = []
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1, swapped ? previous[j - 2]! + 1 : Infinity))
    }
    previous = row
    row = next
  }
  return row[right.length]!
}
