import { stat, writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { SluiceError } from 'sluice/sdk'
import { PostgresServer } from '../../test/peers/postgres.ts'
import { requirePeer } from '../../test/peers/require-peer.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { createFile, describeStores } from '../../test/support/stores.ts'
import { EditedConfig } from './fixtures/edited-config.ts'

const BY = { by: 'ann' }

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt
  } catch (error) {
    if (error instanceof SluiceError) return error.code
    throw error
  }
  return 'done'
}

describeStores('a config that is edited while the server runs', (databases) => {
  let dsn: string
  beforeEach(async () => {
    dsn = await databases.create()
  })

  it('has what was set above environment and file, also after a restart', async () => {
    const text = 'relay: {chunksize: 2048, linger: 5s, publish: {key: of-file}}\n'
    const env = { SLUICE_RELAY_LINGER: '9s' }
    const keys = ['chunksize', 'linger', 'publish.key', 'loglevel']
    const expected = [4096, 'modify', 12_000, 'modify', 'new', 'modify', 'debug', 'plugin']
    {
      await using edited = await EditedConfig.start({ dsn, text, env })
      expect(edited.relay(...keys)).to.eql([2048, 'file', 9000, 'env', 'of-file', 'file', 'debug', 'plugin'])
      const values = { Chunk_Size: 4096, linger: 12, PUBLISH: { Key: 'new' } }
      const { keys: changed } = await edited.editor.modify('Relay', values, BY)
      expect(changed).to.eql(['chunksize', 'linger', 'publish.key'])
      expect(edited.applied).to.eql([{ section: 'relay', keys: changed }])
      expect(edited.relay(...keys)).to.eql(expected)
    }
    await using again = await EditedConfig.start({ dsn, text, env })
    expect(again.relay(...keys)).to.eql(expected)
    expect(again.config.modified.of('relay').map(({ by, isStored }) => [by, isStored])).to.eql(
      Array.from({ length: 3 }, () => ['ann', true]),
    )
    await again.temp.write('relay: {chunksize: 512}\n')
    await again.editor.reload()
    expect(again.relay('chunksize')).to.eql([4096, 'modify'])
    await again.editor.reset('relay', ['publish', 'chunksize'], BY)
    expect(again.relay(...keys)).to.eql([512, 'file', 12_000, 'modify', '', 'default', 'debug', 'plugin'])
    await again.editor.reset('relay', undefined, BY)
    expect(again.stored).to.eql({})
  })

  it('loses nothing of what many set at once', async () => {
    const paths = ['chunksize', 'linger', 'passphrase', 'loglevel', 'enableauth', 'secretargname', 'expireargname']
    const values = [2048, '1s', 'hush', 'warn', true, 's', 'e']
    const more = Array.from({ length: 20 }, (_, index) => ({ [`cam/${index}`]: { url: 'rtmp://host/a' } }))
    {
      await using edited = await EditedConfig.start({ dsn })
      const changes = paths.map((path, index) => edited.editor.modify('relay', { [path]: values[index] }, BY))
      const publish = ['maxcount', 'maxfps'].map((key) => edited.editor.modify('global', { publish: { [key]: 7 } }, BY))
      await Promise.all([...changes, ...publish, ...more.map((pull) => edited.editor.modify('relay', { pull }, BY))])
    }
    await using again = await EditedConfig.start({ dsn })
    const read = paths.map((path) => again.config.find('relay')?.settings.get(path)?.written)
    expect(read).to.eql(values)
    expect(again.config.global.publish).to.include({ maxcount: 7, maxfps: 7 })
    expect(again.config.modified.revisionOf('relay')).to.equal(paths.length + more.length)
  })

  it('refuses a change that was made from another revision', async () => {
    await using edited = await EditedConfig.start({ dsn })
    await edited.editor.modify('relay', { chunksize: 256 }, { ...BY, revision: 0 })
    expect(await codeOf(edited.editor.modify('relay', { linger: '1s' }, { ...BY, revision: 0 }))).to.equal(
      'CONFIG_CHANGED',
    )
    expect(edited.stored).to.eql({ 'relay.chunksize': 256 })
    await edited.editor.modify('relay', { linger: '1s' }, { ...BY, revision: 1 })
    await edited.editor.modify('global', { loglevel: 'warn' }, { ...BY, revision: 0 })
    // Nothing is changed by what is set already.
    await edited.editor.modify('relay', { linger: '1s' }, BY)
    expect(edited.config.modified.revisionOf('relay')).to.equal(2)
  })

  it('takes in what others have put into the database', async () => {
    await using one = await EditedConfig.start({ dsn })
    await one.editor.modify('relay', { chunksize: 256, linger: '1s' }, BY)
    await using other = await EditedConfig.start({ dsn })
    await one.editor.modify('relay', { chunksize: 512 }, BY)
    await other.editor.modify('relay', { linger: '2s' }, BY)
    expect(other.relay('chunksize', 'linger')).to.eql([512, 'modify', 2000, 'modify'])
    const edit = () => {
      const revision = one.config.modified.revisionOf('relay')
      return codeOf(one.editor.modify('relay', { loglevel: 'warn' }, { ...BY, revision }))
    }
    expect(await edit()).to.equal('CONFIG_CHANGED')
    expect(one.relay('linger')).to.eql([2000, 'modify'])
    expect(await edit()).to.equal('done')
  })

  it('stores nothing that is refused, and holds nothing that is not stored', async () => {
    let isFree = true
    const asked: string[] = []
    const accept = async ({ http }: { http: { listenaddr: string } }) => {
      asked.push(http.listenaddr)
      if (http.listenaddr === ':1' && !isFree) throw new SluiceError('LISTEN', 503, 'in use')
    }
    await using edited = await EditedConfig.start({ dsn, accept })
    await edited.editor.modify('relay', { chunksize: 256 }, BY)
    expect(await codeOf(edited.editor.modify('relay', { chunksize: 1, linger: '1s' }, BY))).to.equal('CONFIG')
    isFree = false
    const busy = edited.editor.modify('global', { http: { listenaddr: ':1' }, loglevel: 'warn' }, BY)
    expect(await codeOf(busy)).to.equal('LISTEN')
    expect(edited.stored).to.eql({ 'relay.chunksize': 256 })
    expect(edited.config.global).to.include({ loglevel: 'info' })
    expect(asked).to.eql([':8080', ':1'])
  })

  it('keeps what is to pass apart from what is stored', async () => {
    const passing = { ...BY, isStored: false }
    {
      await using edited = await EditedConfig.start({ dsn })
      await edited.editor.modify('relay', { chunksize: 256 }, BY)
      await edited.editor.modify('relay', { chunksize: 512, linger: '1s' }, passing)
      await edited.editor.modify('relay', { loglevel: 'warn' }, BY)
      expect(edited.relay('chunksize', 'linger', 'loglevel')).to.eql([512, 'modify', 1000, 'modify', 'warn', 'modify'])
    }
    await using again = await EditedConfig.start({ dsn })
    expect(again.relay('chunksize', 'linger', 'loglevel')).to.eql([256, 'modify', 3000, 'plugin', 'warn', 'modify'])
  })
})

describe('a config whose database is away', () => {
  it('is not edited, and says that there is no db', async () => {
    await using edited = await EditedConfig.start({ dsn: '/nowhere/at/all.db' })
    expect(await codeOf(edited.editor.modify('relay', { chunksize: 256 }, BY))).to.equal('NO_DB')
    expect(edited.relay('chunksize')).to.eql([1024, 'plugin'])
    await edited.editor.modify('relay', { chunksize: 256 }, { ...BY, isStored: false })
    expect(edited.relay('chunksize')).to.eql([256, 'modify'])
  })

  it('is known to be incomplete from the start on, and completed when the database is there', async function () {
    requirePeer(this, 'postgresql')
    const database = await PostgresServer.start()
    const dsn = await database.createDatabase()
    {
      await using edited = await EditedConfig.start({ dsn })
      await edited.editor.modify('relay', { enableauth: true }, BY)
    }
    await database.stop()
    await using edited = await EditedConfig.start({ dsn })
    expect(edited.config.incomplete).to.match(/^what was set at run time is not known/u)
    expect(edited.lines.map(({ msg }) => msg)).to.include(
      `${edited.config.incomplete}: clients can neither publish nor play until it is back`,
    )
    expect(await codeOf(edited.editor.reset('relay', undefined, BY))).to.equal('NO_DB')
    await database.start()
    await waitFor(() => edited.config.incomplete === undefined, { what: 'the config to be complete' })
    expect(edited.relay('enableauth')).to.eql([true, 'modify'])
    expect(edited.applied).to.eql([{ section: 'relay', keys: ['enableauth'] }])
  })

  it('is not believed to be empty where its rows can not be applied', async function () {
    requirePeer(this, 'postgresql')
    const database = await PostgresServer.start()
    const dsn = await database.createDatabase()
    {
      await using edited = await EditedConfig.start({ dsn })
      await edited.editor.modify('global', { http: { listenaddr: ':1' } }, BY)
    }
    await database.stop()
    const accept = async () => Promise.reject(new Error('port 1 is in use'))
    await using edited = await EditedConfig.start({ dsn, accept })
    await database.start()
    const told = () => edited.lines.some(({ msg }) => msg.endsWith('clients can still do nothing: port 1 is in use'))
    await waitFor(told, { what: 'the failure to be told' })
    expect(edited.config.incomplete).not.to.equal(undefined)
  })
})

describe('a config that is started without its database', () => {
  it('is as it was known last, by a file that others can not read, and does not take that of another database', async () => {
    const dsn = await createFile()
    const copyFile = `${dsn}.copy`
    {
      await using edited = await EditedConfig.start({ dsn, copyFile })
      await edited.editor.modify('relay', { enableauth: true }, BY)
    }
    expect((await stat(copyFile)).mode & 0o777).to.equal(0o600)
    await writeFile(dsn, 'no database')
    await using edited = await EditedConfig.start({ dsn, copyFile })
    expect(edited.config.incomplete).to.equal(undefined)
    expect(edited.relay('enableauth')).to.eql([true, 'modify'])
    expect(edited.lines.map(({ msg }) => msg).join()).to.include('as it was known last')
    expect(await codeOf(edited.editor.modify('relay', { chunksize: 256 }, BY))).to.equal('NO_DB')
    await edited.editor.modify('relay', { chunksize: 256 }, { ...BY, isStored: false })
    expect(edited.relay('chunksize', 'enableauth')).to.eql([256, 'modify', true, 'modify'])

    const another = await createFile()
    await writeFile(another, 'no database')
    await using other = await EditedConfig.start({ dsn: another, copyFile })
    expect(other.config.incomplete).to.match(/^what was set at run time is not known/u)
  })
})

describe('a config without a database yet', () => {
  it('is complete, and makes one with the first edit', async () => {
    const dsn = await createFile()
    await using edited = await EditedConfig.start({ dsn })
    expect(edited.config.incomplete).to.equal(undefined)
    await edited.editor.modify('relay', { chunksize: 256 }, BY)
    await using again = await EditedConfig.start({ dsn })
    expect(again.relay('chunksize')).to.eql([256, 'modify'])
  })
})
