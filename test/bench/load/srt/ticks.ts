/** How often connections look at what is due. */
const TICK_MS = 5

const ticks = new Set<() => void>()
let timer: NodeJS.Timeout | undefined

/** Calls a function by the one timer that all viewers of this process have. @returns ends it */
export function everyTick(tick: () => void): () => void {
  ticks.add(tick)
  timer ??= setInterval(() => {
    for (const each of ticks) each()
  }, TICK_MS)
  return () => void ticks.delete(tick)
}
