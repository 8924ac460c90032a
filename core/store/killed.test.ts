import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { PeerProcess } from '../../test/peers/process.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { describeStores, openStore } from '../../test/support/stores.ts'
import { ROWS, type RowTables } from './fixtures/rows.ts'

const WRITER = fileURLToPath(new URL('fixtures/writer.ts', import.meta.url))
const ROUNDS = 3
const MAX_ROWS = 40

describeStores('a server that is killed', (databases) => {
  it('has what it answered, and whole transactions', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const dsn = await databases.create()
      const writer = new PeerProcess(process.execPath, ['--conditions=source', WRITER, dsn])
      const answered = () => writer.stdout.toString().trimEnd().split('\n').length
      const wanted = 1 + Math.ceil(Math.random() * MAX_ROWS)
      await waitFor(() => answered() >= wanted || writer.exited !== undefined, { what: `${wanted} rows` })
      writer.signal('SIGKILL')
      await writer.exit
      const count = answered()
      expect(count, writer.stderr).to.be.at.least(wanted)
      const { store } = openStore(dsn)
      const db = store.tables<RowTables>('rows', ROWS)
      const rows = await db.selectFrom('sluice_row').select('number').orderBy('number').execute()
      const numbers = rows.map(({ number }) => number)
      // The last may have been written and not yet answered.
      expect(numbers).to.eql(numbers.map((_, index) => index + 1))
      expect(numbers.length).to.be.within(count, count + 1)
      const { number: total } = await db.selectFrom('sluice_total').select('number').executeTakeFirstOrThrow()
      expect(total).to.equal(numbers.length - (numbers.length % 3))
      await store.close()
    }
  })
})
