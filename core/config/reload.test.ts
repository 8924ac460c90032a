import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { once, EventEmitter } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { definePlugin, Type } from 'sluice/sdk'
import { Config } from './config.ts'
import { configErrorOf, RELAY, TempConfig } from './fixtures/temp-config.ts'

const BARE = definePlugin({ name: 'bare', version: '1.0.0', setup() {} })

describe('config reload', () => {
  const cases: { name: string; before: string; after: string; changes: [section: string, ...keys: string[]][] }[] = [
    { name: 'nothing', before: 'relay: {chunksize: 2048}', after: 'relay: {ChunkSize: 2048}\nx: {}', changes: [] },
    { name: 'only the way it is written', before: 'relay: {linger: 60s}', after: 'relay: {linger: 1m}', changes: [] },
    { name: 'only the source', before: '', after: 'relay: {chunksize: 1024}', changes: [] },
    { name: 'a key', before: '', after: 'relay: {tcp: ":1936"}', changes: [['relay', 'tcp.listenaddr']] },
    { name: 'a list', before: '', after: 'relay: {nicknames: [a]}', changes: [['relay', 'nicknames']] },
    {
      name: 'what others inherit',
      before: 'bare: {publish: {key: mine}}',
      after: 'global: {publish: {key: theirs, maxcount: 2}}\nbare: {publish: {key: mine}}',
      changes: [
        ['global', 'publish.maxcount', 'publish.key'],
        ['relay', 'publish.maxcount', 'publish.key'],
        ['bare', 'publish.maxcount'],
      ],
    },
    {
      name: 'all switches',
      before: 'bare: {enable: true}',
      after: 'global: {disableall: true}\nbare: {enable: true}',
      changes: [
        ['global', 'disableall'],
        ['relay', 'enable'],
      ],
    },
  ]
  for (const { name, before, after, changes } of cases) {
    it(`tells when the file changes ${name}`, async () => {
      await using temp = await TempConfig.create(before)
      const config = await Config.load({ file: temp.file, env: {} })
      config.declare(RELAY)
      config.declare(BARE)
      await temp.write(after)
      expect(await config.reload()).to.deep.equal(changes.map(([section, ...keys]) => ({ section, keys })))
      expect(await config.reload()).to.deep.equal([])
    })
  }

  it('applies to sections, global and undeclared sections', async () => {
    await using temp = await TempConfig.create('')
    const config = await Config.load({ file: temp.file, env: { SLUICE_RELAY_LINGER: '9s' } })
    config.declare(RELAY)
    expect(config.shared.loglevel).to.equal('info')
    await temp.write('global: {loglevel: warn}\nrelay: {enable: false, linger: 1s}\nlater: {}\n')
    expect((await config.reload()).map(({ section }) => section)).to.deep.equal(['global', 'relay'])
    expect(config.global.loglevel).to.equal('warn')
    expect(config.shared).to.include({ loglevel: 'warn' }).and.to.not.have.any.keys('db', 'admin')
    expect(config.section('relay')).to.deep.include({ enabled: false, userConfig: 'enable: false\nlinger: 9s\n' })
    expect(config.undeclaredSections().map(({ name, place }) => [name, place.line])).to.deep.equal([['later', 3]])
  })

  const invalid: [name: string, text: string, keys: string[]][] = [
    ['one plugin', 'global: {loglevel: warn}\nrelay: {linger: x}', ['relay.linger']],
    ['global and a plugin', 'global: {loglevel: loud}\nbare: {http: x}', ['global.loglevel', 'bare.http.listenaddr']],
    ['the file as a whole', 'relay: {linger: 1s', ['']],
  ]
  for (const [name, text, keys] of invalid) {
    it(`leaves everything as it was when ${name} is wrong`, async () => {
      await using temp = await TempConfig.create('relay: {linger: 2s}')
      const config = await Config.load({ file: temp.file, env: {} })
      const relay = config.declare(RELAY)
      config.declare(BARE)
      const { global } = config
      await temp.write(text)
      expect((await configErrorOf(() => config.reload())).problems.map(({ key }) => key)).to.deep.equal(keys)
      expect(config.global).to.equal(global)
      expect(config.section('relay')).to.equal(relay)
      expect(config.undeclaredSections()).to.deep.equal([])
      await temp.write('relay: {linger: 3s}')
      expect(await config.reload()).to.deep.equal([{ section: 'relay', keys: ['linger'] }])
    })
  }

  it('leaves everything as it was when the file is gone', async () => {
    await using temp = await TempConfig.create('relay: {linger: 2s}')
    const config = await Config.load({ file: temp.file, env: {} })
    const relay = config.declare(RELAY)
    await rename(temp.file, `${temp.file}.old`)
    expect((await configErrorOf(() => config.reload())).message).to.match(/there is no such file$/)
    expect(config.section('relay')).to.equal(relay)
  })

  it('leaves everything as it was when what it asks for can not be done, and tries again', async () => {
    await using temp = await TempConfig.create('relay: {linger: 2s}')
    const config = await Config.load({ file: temp.file, env: {} })
    const relay = config.declare(RELAY)
    await temp.write('global: {loglevel: warn}\nrelay: {linger: 3s}')
    const asked: string[] = []
    const refuse = async ({ loglevel }: { loglevel: string }) => {
      asked.push(`${loglevel} instead of ${config.global.loglevel}`)
      throw new Error('not now')
    }
    const failure = await config.reload(refuse).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).to.have.property('message', 'not now')
    expect(asked).to.deep.equal(['warn instead of info'])
    expect(config.global.loglevel).to.equal('info')
    expect(config.section('relay')).to.equal(relay)
    expect((await config.reload(async () => {})).map(({ section }) => section)).to.deep.equal(['global', 'relay'])
  })

  it('keeps what was declared while it asked', async () => {
    await using temp = await TempConfig.create('relay: {linger: 2s}')
    const config = await Config.load({ file: temp.file, env: {} })
    await temp.write('relay: {linger: 3s}')
    const changes = await config.reload(async () => void config.declare(RELAY))
    expect(changes).to.deep.equal([{ section: 'relay', keys: ['linger'] }])
    expect(config.section('relay')).to.have.nested.property('values.linger', 3000)
  })

  it('has what it asked for taken back when it is refused after all, for what was declared while it asked', async () => {
    await using temp = await TempConfig.create('')
    const config = await Config.load({ file: temp.file, env: {} })
    await temp.write('global: {http: {listenaddr: ":9090"}}\nrelay: {linger: x}')
    const listening: string[] = []
    const reload = config.reload(async ({ http }) => {
      listening.push(http.listenaddr)
      config.declare(RELAY)
    })
    expect((await configErrorOf(() => reload)).problems.map(({ key }) => key)).to.deep.equal(['relay.linger'])
    expect(listening).to.deep.equal([':9090', ':8080'])
    expect(config.global.http.listenaddr).to.equal(':8080')
  })

  describe("with a running plugin's newer code", () => {
    const keyed = (key: string) =>
      definePlugin({
        name: 'demo',
        version: '1.0.0',
        config: Type.Object({ [key]: Type.Integer({ default: 1 }) }),
        setup() {},
      })

    it('takes what suits the newer or the running code', async () => {
      await using temp = await TempConfig.create('demo: {old: 5}')
      const config = await Config.load({ file: temp.file, env: {} })
      config.declare(keyed('old'))
      config.propose(keyed('new'))
      for (const [text, key] of [
        ['demo: {new: 6}', 'new'],
        ['demo: {old: 7}', 'old'],
      ] as const) {
        await temp.write(text)
        expect(await config.reload()).to.deep.equal([{ section: 'demo', keys: [key] }])
      }
      await temp.write('demo: {other: 8}')
      const { message } = await configErrorOf(() => config.reload())
      expect(message).to.include('demo.other: unknown key')
    })

    it('takes only what suits the newer once that is declared', async () => {
      await using temp = await TempConfig.create('')
      const config = await Config.load({ file: temp.file, env: {} })
      config.declare(keyed('old'))
      config.propose(keyed('new'))
      config.declare(keyed('new'))
      await temp.write('demo: {old: 7}')
      expect((await configErrorOf(() => config.reload())).problems.map(({ key }) => key)).to.deep.equal(['demo.old'])
    })

    it('is due again when a file was refused that the newer code may suit', async () => {
      await using temp = await TempConfig.create('')
      const config = await Config.load({ file: temp.file, env: {} })
      config.declare(keyed('old'))
      config.declare(BARE)
      await temp.write('demo: {new: 6}')
      await configErrorOf(() => config.reload())
      const dueBy = (act: () => void): number => {
        let due = 0
        const unwatch = config.watch(() => (due += 1))
        act()
        unwatch()
        return due
      }
      expect(dueBy(() => config.propose(BARE))).to.equal(0)
      expect(dueBy(() => config.propose(keyed('new')))).to.equal(1)
      await config.reload()
      expect(dueBy(() => config.declare(keyed('new')))).to.equal(0)
    })
  })

  it('does one after the other', async () => {
    await using temp = await TempConfig.create('relay: {linger: 2s}')
    const config = await Config.load({ file: temp.file, env: {} })
    config.declare(RELAY)
    await temp.write('relay: {linger: 3s}')
    const all = await Promise.all([config.reload(), config.reload(), config.reload()])
    expect(all.map(({ length }) => length)).to.deep.equal([1, 0, 0])
  })

  it('believes that a file is empty only when it stays so', async () => {
    await using temp = await TempConfig.create('relay: {linger: 2s}')
    const config = await Config.load({ file: temp.file, env: {} })
    config.declare(RELAY)
    await temp.write('')
    const reload = config.reload()
    // As who writes a file in steps might take.
    await setTimeout(500)
    expect(config.section('relay')?.values).to.include({ linger: 2000 })
    await temp.write('relay: {linger: 4s}')
    expect(await reload).to.have.length(1)
    expect(config.section('relay')?.values).to.include({ linger: 4000 })
    await temp.write('')
    await config.reload()
    expect(config.section('relay')?.values).to.include({ linger: 3000 })
  })
})

describe('config watch', () => {
  /** Writes in this way twice, each time until the watch tells. */
  async function changesSeen(temp: TempConfig, write: (round: number) => Promise<void>): Promise<void> {
    const config = await Config.load({ file: temp.file, env: {} })
    const seen = new EventEmitter()
    const unwatch = config.watch(() => seen.emit('change'))
    try {
      // It tells when it is up.
      await once(seen, 'change')
      for (const round of [1, 2]) {
        const change = once(seen, 'change')
        await write(round)
        await change
      }
    } finally {
      unwatch()
    }
  }

  it('misses nothing that is written before it is up', async () => {
    await using temp = await TempConfig.create('')
    const config = await Config.load({ file: temp.file, env: {} })
    const seen = new EventEmitter()
    const unwatch = config.watch(() => seen.emit('change'))
    try {
      await Promise.all([once(seen, 'change'), temp.write('# at once')])
    } finally {
      unwatch()
    }
  })

  it('tells when the file is written', async () => {
    await using temp = await TempConfig.create('')
    await changesSeen(temp, (round) => temp.write(`# ${round}\n`))
  })

  it('tells when another file takes its name, again and again', async () => {
    await using temp = await TempConfig.create('')
    await changesSeen(temp, async (round) => {
      await writeFile(`${temp.file}.new`, `# ${round}\n`)
      await rename(`${temp.file}.new`, temp.file)
    })
  })

  it('tells when the file is deleted and made anew', async () => {
    await using temp = await TempConfig.create('')
    await changesSeen(temp, async (round) => {
      await rm(temp.file)
      await temp.write(`# ${round}\n`)
    })
  })

  it('tells when the file is written that a link leads to', async () => {
    await using temp = await TempConfig.create('')
    const target = `${temp.file}.target`
    await rename(temp.file, target)
    await symlink(target, temp.file)
    await changesSeen(temp, (round) => writeFile(target, `# ${round}\n`))
  })
})
