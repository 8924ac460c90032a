import { expect } from 'chai'
import { MemoryBus } from '../peers/testing/memory-bus.ts'
import { PluginHost } from './plugin-host.ts'
import { FakeParts } from './testing/fake-parts.ts'
import { PluginFolder } from './testing/plugin-folder.ts'
import { until } from './testing/until.ts'

const LIMITS = { setupTimeoutMs: 1500, disposeTimeoutMs: 50, drainPollMs: 5, firstRetryMs: 5 }
const ONCE = `export default {
  name: 'once', version: '1.0.0', processes: 'one', provides: ['clock'],
  setup(ctx: any) { ctx.onDrain(() => ctx.log.info('gives up')) },
}`
const EACH = `export default { name: 'each', version: '1.0.0', setup() {} }`
const NEEDS = `export default { name: 'needs', version: '1.0.0', requires: ['clock'], setup() {} }`
const ELSEWHERE = 'is left to another process of the server'

describe('a plugin that only one process runs', () => {
  let folder: PluginFolder
  let bus: MemoryBus
  let fakes: FakeParts[]
  let hosts: PluginHost[]

  beforeEach(async () => {
    folder = await PluginFolder.create()
    await folder.write('plugins/once.ts', ONCE)
    await folder.write('plugins/each.ts', EACH)
    bus = new MemoryBus()
    fakes = [new FakeParts(), new FakeParts()]
    hosts = fakes.map(({ log, parts }, process) => {
      const folders = () => [folder.file('plugins')]
      const peers = bus.join(process)
      return new PluginHost({
        folders,
        workingFolder: folder.path,
        log,
        parts,
        peers,
        drainTimeoutMs: () => 0,
        limits: LIMITS,
      })
    })
  })
  afterEach(async () => {
    await Promise.all(hosts.map((host) => host.stop('test is over')))
    await folder.remove()
  })

  const startAll = async () => {
    for (const host of hosts) await host.start()
  }
  const viewOf = (process: number, name = 'once') => hosts[process]?.list().find((plugin) => plugin.name === name)
  const states = (name = 'once') => [0, 1].map((process) => viewOf(process, name)?.state)
  const becomes = (name: string, wanted: readonly string[]) =>
    until(`${name} is ${wanted.join(' and ')}`, () => states(name).join() === wanted.join())

  it('runs in the one that asked first; the other says so, and runs the rest', async () => {
    await startAll()
    expect(states()).to.eql(['running', 'off'])
    expect(viewOf(1)?.disableReason).to.equal(ELSEWHERE)
    expect(states('each')).to.eql(['running', 'running'])
    expect(hosts.map(({ ready, disabled }) => [ready, disabled])).to.eql([
      [true, []],
      [true, []],
    ])
  })

  it('moves when its process stops', async () => {
    await startAll()
    await hosts[0]?.stop('over')
    await until('once runs in the other', () => states()[1] === 'running')
  })

  it('ends where the claim is lost, begins where it went, and comes back with it', async () => {
    await startAll()
    bus.move('once', 1)
    await becomes('once', ['off', 'running'])
    expect(fakes[0]?.logged.lines.map(({ msg }) => msg)).to.include('gives up')
    bus.move('once', 0)
    await becomes('once', ['running', 'off'])
    expect(viewOf(0)?.generation).to.equal(2)
  })

  it('is required by others where it runs alone', async () => {
    await folder.write('plugins/needs.ts', NEEDS)
    await startAll()
    expect(states('needs')).to.eql(['running', 'off'])
    bus.move('once', 1)
    await becomes('needs', ['running', 'running'])
  })

  it('is left to others by a process whose config switches it off, and claimed again when that is undone', async () => {
    await startAll()
    fakes[0]?.sections.set('once', { enabled: false })
    await hosts[0]?.applyConfig([{ section: 'once', keys: ['enable'] }])
    await becomes('once', ['off', 'running'])
    expect(viewOf(0)?.disableReason).to.equal('switched off in the config')
    fakes[0]?.sections.set('once', {})
    await hosts[0]?.applyConfig([{ section: 'once', keys: ['enable'] }])
    expect([states(), viewOf(0)?.disableReason]).to.eql([['off', 'running'], ELSEWHERE])
    await hosts[1]?.stop('over')
    await until('once is back', () => states()[0] === 'running')
  })

  it('keeps its claim over a reload, which may end it', async () => {
    await startAll()
    await folder.write('plugins/once.ts', ONCE.replace('1.0.0', '1.1.0'))
    await until('it is reloaded', () => viewOf(0)?.version === '1.1.0')
    expect(states()).to.eql(['running', 'off'])
    await folder.write('plugins/once.ts', ONCE.replace("processes: 'one',", ''))
    await becomes('once', ['running', 'running'])
  })
})
