import { expect } from 'chai'
import { runParts } from './run-parts.ts'
import type { PartOutcome } from './run-part.ts'

const OUTCOME: PartOutcome = { passed: 1, failed: 0, skipped: 0, times: new Map(), failures: [] }

/** A machine of two cores; the test decides when its parts end and when the cores are measured. */
class ScriptedMachine {
  readonly cores = 2
  readonly begun: string[] = []
  idle = 0
  readonly #ends = new Map<string, () => void>()
  #look = () => {}

  idleShare(): number {
    return this.idle
  }

  pause(): Promise<void> {
    return new Promise((resolve) => (this.#look = resolve))
  }

  async run({ files }: { readonly files: readonly string[] }): Promise<PartOutcome> {
    const name = files.join()
    this.begun.push(name)
    await new Promise<void>((resolve) => this.#ends.set(name, resolve))
    return OUTCOME
  }

  async look(idle: number): Promise<void> {
    this.idle = idle
    this.#look()
    await settled()
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await settled()
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const partsOf = (names: string) => Array.from(names, (name) => ({ files: [name], seconds: 1 }))

describe('parts of the tests run', () => {
  it('as many as there are cores, in their order', async () => {
    const machine = new ScriptedMachine()
    const all = runParts(partsOf('abcd'), machine)
    expect(machine.begun.join('')).to.equal('ab')
    await machine.end('b')
    await machine.look(0.1)
    expect(machine.begun.join('')).to.equal('abc')
    await machine.end('a')
    for (const name of 'cd') await machine.end(name)
    await machine.look(0)
    expect(await all).to.have.length(4)
  })

  it('one more each time that cores are found idle, up to a bound', async () => {
    const machine = new ScriptedMachine()
    const all = runParts(partsOf('abcdefgh'), machine)
    for (let look = 0; look < 6; look++) await machine.look(0.5)
    expect(machine.begun.join('')).to.equal('abcdef')
    for (const name of 'abcdef') await machine.end(name)
    expect(machine.begun.join('')).to.equal('abcdefgh')
    for (const name of 'gh') await machine.end(name)
    await machine.look(0)
    expect(await all).to.have.length(8)
  })
})
