import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { IdleCores } from './idle-cores.ts'
import { runPart, type PartOutcome } from './run-part.ts'
import type { TestPart } from './test-parts.ts'

/** A part more is begun when the cores had so much of the last {@link LOOK_MS} to spare. */
const SPARE_SHARE = 0.2
/** A part that was begun shows in the load of the cores after as long. */
const LOOK_MS = 2000
/** Memory and the programs that tests start bound how many parts run, however idle the cores are. */
const MAX_PER_CORE = 3

/** What a test replaces. */
export type PartsMachine = {
  readonly cores: number
  /** The share of the cores' time that nobody used since it was last asked. */
  idleShare(): number
  pause(): Promise<unknown>
  run(part: TestPart): Promise<PartOutcome>
}

function thisMachine(): PartsMachine {
  const idle = new IdleCores()
  return {
    cores: availableParallelism(),
    idleShare: () => idle.share(),
    pause: () => delay(LOOK_MS),
    run: runPart,
  }
}

/**
 * Runs the parts in their order, as many at a time as there are cores, and more while these are idle: tests with media mostly
 * wait for it.
 */
export async function runParts(parts: readonly TestPart[], machine = thisMachine()): Promise<PartOutcome[]> {
  const { cores } = machine
  const left = [...parts]
  const outcomes: PartOutcome[] = []
  const more: Promise<void>[] = []
  let running = 0

  async function runNext(): Promise<void> {
    const part = left.shift()
    if (part === undefined) return
    running += 1
    outcomes.push(await machine.run(part))
    running -= 1
  }

  async function runAll(): Promise<void> {
    while (left.length > 0) await runNext()
  }

  async function useIdleCores(): Promise<void> {
    while (left.length > 0) {
      await machine.pause()
      if (machine.idleShare() >= SPARE_SHARE && running < MAX_PER_CORE * cores) more.push(runNext())
    }
  }

  await Promise.all([...Array.from({ length: cores }, runAll), useIdleCores()])
  await Promise.all(more)
  return outcomes
}
