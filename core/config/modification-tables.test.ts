import { expect } from 'chai'
import { describeStores, openStore } from '../../test/support/stores.ts'
import { ConfigChanged, ModificationTables } from './modification-tables.ts'
import type { Modification } from './modifications.ts'

const VALUES: readonly unknown[] = [true, 0, '', '10s', ['a', 'b'], { '^a/(.*)$': { url: 'rtmp://host/$1' } }]

function modification(path: string, value: unknown): Modification {
  return { section: 'relay', path, value, by: 'ann', atMs: 1_700_000_000_000, isStored: true }
}

describeStores('what was set at run time, in tables', (databases) => {
  it('is read as it was written', async () => {
    const tables = new ModificationTables(openStore(await databases.create()).store)
    const all = VALUES.map((value, index) => modification(`key${index}`, value))
    await tables.save('Relay', (await tables.load()).next('Relay', new Set(), all))
    const loaded = await tables.load()
    expect(loaded.of('relay')).to.have.deep.members(all)
    expect(loaded.revisionOf('relay')).to.equal(1)
    await tables.save('relay', loaded.next('relay', new Set(['key0']), []))
    expect((await tables.load()).of('relay')).to.have.length(VALUES.length - 1)
  })

  it('is written by one of those who have read the same, and by the next who reads again', async () => {
    const tables = new ModificationTables(openStore(await databases.create()).store)
    for (let round = 0; round < 3; round++) {
      const read = await tables.load()
      const writers = ['a', 'b'].map((path) => {
        const next = read.next('relay', new Set(), [modification(`${path}${round}`, round)])
        return tables.save('relay', next).then(
          () => 'done',
          (error: unknown) => error,
        )
      })
      const outcomes = await Promise.all(writers)
      expect(outcomes).to.include('done')
      expect(outcomes.filter((outcome) => outcome instanceof ConfigChanged)).to.have.length(1)
      expect((await tables.load()).of('relay')).to.have.length(round + 1)
    }
  })
})
