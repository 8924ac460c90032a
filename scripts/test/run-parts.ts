import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { IdleCores } from './idle-cores.ts'
import { runPart, type PartOutcome } from './run-part.ts'
import type { TestPart } from './test-parts.ts'

/** The idle share of the cores over the last {@link LOOK_MS} from which one more part is begun. */
const SPARE_SHARE = 0.2
/** The time after which a new part shows in the load of the cores. */
const LOOK_MS = 2000
/** The most parts for each core, however idle the cores are: memory and the programs of tests limit them. */
const MAX_PER_CORE = 3

/** The machine that parts run on, which a test replaces. */
export type PartsMachine = {
  readonly cores: number
  /** Returns the share of the cores' time that no program used since the last call. */
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
 * wait for the media.
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
