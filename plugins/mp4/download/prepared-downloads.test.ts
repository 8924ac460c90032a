import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { rejectionOf } from '../../../test/support/rejection.ts'
import type { Download } from './download.ts'
import { PreparedDownloads } from './prepared-downloads.ts'
import { VirtualFile } from './virtual-file.ts'

function downloadOf(sizeBytes: number): Download {
  const bytes = Buffer.alloc(sizeBytes)
  return { file: new VirtualFile([{ bytes, sizeBytes }], { type: 'video/mp4' }), leftOut: [] }
}

/** A download that is being prepared. */
type Preparation = { readonly name: string; readonly signal: AbortSignal; finish(sizeBytes?: number): void }

describe('prepared downloads', () => {
  let prepared: PreparedDownloads
  let begun: Preparation[]
  const { signal } = new AbortController()

  beforeEach(() => {
    prepared = new PreparedDownloads({ maxKeptBytes: 10_000 })
    begun = []
  })

  const get = (name: string, leaving = signal) =>
    prepared.get(
      name,
      leaving,
      (ending) =>
        new Promise((resolve, reject) => {
          const finish = (sizeBytes = 1) => resolve(downloadOf(sizeBytes))
          begun.push({ name, signal: ending, finish })
          ending.addEventListener('abort', () => reject(ending.reason as Error))
        }),
    )
  async function keep(name: string, sizeBytes: number): Promise<void> {
    const download = get(name)
    await turn()
    begun.at(-1)?.finish(sizeBytes)
    await download
  }
  async function isKept(name: string): Promise<boolean> {
    const count = begun.length
    const leaving = new AbortController()
    const asked = get(name, leaving.signal).catch(() => {})
    await turn()
    leaving.abort()
    await asked
    return begun.length === count
  }

  it('are the same for who asks at once, and later', async () => {
    const both = [get('a'), get('a')]
    await turn()
    expect(begun).to.have.length(1)
    begun[0]!.finish()
    const [first, second] = await Promise.all(both)
    expect(first).to.equal(second)
    expect(await get('a')).to.equal(first)
  })

  it('are kept as far as there is memory for them, those that were asked for last', async () => {
    await keep('a', 4000)
    await keep('b', 4000)
    await get('a')
    await keep('c', 4000)
    expect(await Promise.all(['a', 'c'].map(isKept))).to.eql([true, true])
    expect(await isKept('b')).to.equal(false)
    await keep('huge', 20_000)
    expect(await isKept('huge')).to.equal(false)
    expect(await isKept('c')).to.equal(true)
  })

  it('are no more than some', async () => {
    for (let index = 0; index < 17; index++) await keep(String(index), 1)
    expect(await isKept('16')).to.equal(true)
    expect(await isKept('1')).to.equal(true)
    expect(await isKept('0')).to.equal(false)
  })

  it('are no longer prepared once all have left who waited, and others get their turn', async () => {
    const [one, other] = [new AbortController(), new AbortController()]
    const waiting = [get('a', one.signal), get('a', other.signal), get('b'), get('c')]
    await turn()
    expect(begun.map(({ name }) => name)).to.eql(['a', 'b'])
    one.abort(new Error('one left'))
    expect(await rejectionOf(waiting[0]!)).to.have.property('message', 'one left')
    expect(begun[0]!.signal.aborted).to.equal(false)
    other.abort(new Error('the other left'))
    expect(await rejectionOf(waiting[1]!)).to.have.property('message', 'the other left')
    expect(begun[0]!.signal.aborted).to.equal(true)
    await turn()
    expect(begun.map(({ name }) => name)).to.eql(['a', 'b', 'c'])
    for (const preparation of begun) preparation.finish()
    await Promise.all(waiting.slice(2))
    const again = get('a')
    await turn()
    begun.at(-1)!.finish()
    expect((await again).file.sizeBytes).to.equal(1)
  })

  it('are prepared anew where that failed', async () => {
    const failure = new Error('it failed')
    expect(await rejectionOf(prepared.get('a', signal, () => Promise.reject(failure)))).to.equal(failure)
    await keep('a', 1)
    expect(await isKept('a')).to.equal(true)
  })
})
