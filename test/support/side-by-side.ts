import { runBeside } from '../peers/lifetime.ts'
import { isSoak } from './soak.ts'

/** With more at once, a machine with two cores would hold them up. */
const LANES = 3

/**
 * Gives what stands in for `it` where tests mostly wait, and need nothing of each other: they run side by side before the
 * first of them, and each then tells how it went. In a soak, where whole matrices run within them, one runs after the other.
 */
export function sideBySide(lanes = LANES): (title: string, run: () => Promise<void>) => void {
  const runs: (() => Promise<void>)[] = []
  const results: Promise<void>[] = []
  before(async function () {
    this.timeout(this.timeout() * runs.length)
    const ends: Promise<unknown>[] = []
    for (const [index, run] of runs.entries()) {
      const lane = isSoak ? 0 : index % lanes
      const result = Promise.resolve(ends[lane]).then(() => runBeside(run))
      ends[lane] = result.catch(() => undefined)
      results.push(result)
    }
    await Promise.allSettled(results)
  })
  return (title, run) => {
    const index = runs.push(run) - 1
    it(title, () => results[index])
  }
}
