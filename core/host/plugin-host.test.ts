import { rename, symlink } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { SetupLater, StoreUnavailable } from 'sluice/sdk'
import { SingleProcess } from '../peers/single-process.ts'
import { ListenError } from '../net/listen-error.ts'
import type { GenerationLimits } from './generation/generation.ts'
import { PluginHost } from './plugin-host.ts'
import type { PluginView } from './plugin-view.ts'
import { FakeParts } from './testing/fake-parts.ts'
import { PluginFolder } from './testing/plugin-folder.ts'
import { until } from './testing/until.ts'

/** A level of the log. */
const WARN = 40
const LIMITS = { setupTimeoutMs: 1500, disposeTimeoutMs: 50, drainPollMs: 5, firstRetryMs: 5 }
/** Plugins tell the test through this what they do. */
const TOLD = 'sluiceHostTest'
const told: string[] = []
Object.assign(globalThis, { [TOLD]: told })

/** A plugin that tells when it is set up and disposed. */
const plugin = (name: string, fields = '', setup = '') => `
  const tell = (text: string) => (globalThis as any).${TOLD}.push(text)
  export default {
    name: '${name}', version: '1.0.0', ${fields}
    async setup(ctx: any) {
      ctx.onDispose(() => tell('-${name}'))
      ${setup}
      tell('+${name}')
    },
  }`

describe('PluginHost', () => {
  let folder: PluginFolder
  let fake: FakeParts
  let host: PluginHost
  let drainTimeoutMs: number
  let onChange: () => void

  beforeEach(async () => {
    told.length = 0
    drainTimeoutMs = 0
    onChange = () => {}
    folder = await PluginFolder.create()
    await folder.write('plugins/README.md', '')
    fake = new FakeParts()
    host = createHost(LIMITS)
  })
  afterEach(async () => {
    await host.stop('test is over')
    await folder.remove()
  })

  const createHost = (limits: Partial<GenerationLimits>) =>
    new PluginHost({
      folders: () => [folder.file('plugins')],
      workingFolder: folder.path,
      log: fake.log,
      parts: fake.parts,
      peers: new SingleProcess(),
      drainTimeoutMs: () => drainTimeoutMs,
      limits,
      onChange: () => onChange(),
    })
  const write = (name: string, text: string) => folder.write(`plugins/${name}`, text)
  const view = (name: string): PluginView | undefined => host.list().find((plugin) => plugin.name === name)
  const state = (name: string) => view(name)?.state
  const reasons = () => Object.fromEntries(host.list().map(({ name, disableReason }) => [name, disableReason]))
  const generationIs = (name: string, generation: number) =>
    until(`${name} is generation ${generation}`, () => view(name)?.generation === generation)
  const lastErrorIs = (name: string, text: string) =>
    until(`${name} shows "${text}"`, () => view(name)?.lastError?.includes(text) ?? false)

  describe('start', () => {
    it('starts plugins after those they require, by name or service, and shows them', async () => {
      await write('a.ts', plugin('a', `requires: ['b', 'pull:c'], description: 'first',`))
      await write('b.ts', plugin('b', `requires: ['pull:c'],`))
      await write(
        'c.ts',
        plugin('c', `provides: ['pull:c'],`, 'await new Promise((resolve) => setTimeout(resolve, 10))'),
      )
      expect(host.ready).to.equal(false)
      await host.start()
      expect(host.ready).to.equal(true)
      expect(told).to.deep.equal(['+c', '+b', '+a'])
      const shown = { name: 'a', version: '1.0.0', description: 'first', generation: 1, state: 'running' }
      expect(view('a')).to.include({ ...shown, disableReason: undefined, lastError: undefined })
      expect(view('a')?.config).to.have.property('enabled', true)
      expect(fake.logged.lines.find(({ msg }) => msg.startsWith('plugins:'))?.msg).to.match(
        /c 1\.0\.0: load \d+ ms, setup \d+ ms\n {2}b 1\.0\.0: .*\n {4}a 1\.0\.0: /,
      )
    })

    it('starts those first that end last, and those last that say so, unless others require or are required', async () => {
      const later = 'await new Promise((resolve) => setTimeout(resolve, 10))'
      await write('a.ts', plugin('a', 'startsLast: true,'))
      await write('b.ts', plugin('b', `requires: ['a'],`))
      await write('c.ts', plugin('c', `requires: ['d'],`, later))
      await write('d.ts', plugin('d', '', later))
      await write('e.ts', plugin('e', 'endsLast: true,', `throw new Error('no luck')`))
      await write('f.ts', plugin('f', 'endsLast: true,', later))
      await write('g.ts', plugin('g', `endsLast: true, requires: ['d'],`))
      await host.start()
      expect(told.filter((text) => text.startsWith('+'))).to.deep.equal(['+f', '+d', '+g', '+c', '+a', '+b'])
      await host.stop('enough')
      expect(told.at(-1)).to.equal('-f')
    })

    it('lists who can not run with the reason, and starts the others', async () => {
      await write('throws.ts', plugin('throws', '', `throw new Error('no luck')`))
      await write('hangs.ts', plugin('hangs', '', 'await new Promise(() => {})'))
      await write('broken.ts', 'export default {')
      await write('needs.ts', plugin('needs', `requires: ['throws'],`))
      await write('lacks.ts', plugin('lacks', `requires: ['db'],`))
      await write('x.ts', plugin('x', `requires: ['y'],`))
      await write('y.ts', plugin('y', `requires: ['x'],`))
      await write('off.ts', plugin('off'))
      await write('wants-off.ts', plugin('wants-off', `requires: ['off'],`))
      await write('well.ts', plugin('well'))
      fake.sections.set('off', { enabled: false })
      await host.start()
      const { broken, ...others } = reasons()
      expect(others).to.deep.equal({
        throws: 'setup failed: no luck',
        hangs: 'setup did not finish within 1500 ms',
        needs: "requires plugin 'throws', which does not run",
        lacks: "requires 'db', which no plugin offers",
        x: 'requires itself: x → y → x',
        y: 'requires itself: y → x → y',
        off: 'switched off in the config',
        'wants-off': "requires plugin 'off', which is switched off",
        well: undefined,
      })
      expect(broken).to.match(/^can't be loaded: /)
      expect(
        host
          .list()
          .filter(({ state }) => state === 'running')
          .map(({ name }) => name),
      ).to.deep.equal(['well'])
      expect(told.filter((text) => text.startsWith('+'))).to.deep.equal(['+well'])
      expect(host.ready).to.equal(true)
      expect(host.disabled).to.have.members(['throws', 'hangs', 'needs', 'lacks', 'x', 'y', 'broken'])
    })

    it('takes the first of two plugins with one name, however long it loads, and the second when that goes', async () => {
      await write('a.ts', `await new Promise((resolve) => setTimeout(resolve, 30))\n${plugin('same')}`)
      await write('b.ts', plugin('same', '', `tell('second')`))
      await host.start()
      expect(told).to.deep.equal(['+same'])
      expect(host.list().map(({ disableReason }) => disableReason)).to.deep.equal([
        undefined,
        `has the same name as ${folder.file('plugins/a.ts')}`,
      ])
      await folder.remove('plugins/a.ts')
      await until('the second runs', () => told.includes('second') && state('same') === 'running')
      expect([...fake.declared]).to.deep.equal(['same'])
    })

    it('tells of wrong configs before anything starts, and starts such a plugin when its config is right', async () => {
      await write('a.ts', plugin('a'))
      fake.sections.set('a', { error: new Error('config.yaml:3: port: expected an integer') })
      await host.load()
      expect(host.configErrors().map(({ message }) => message)).to.deep.equal([
        'config.yaml:3: port: expected an integer',
      ])
      await host.start()
      expect(reasons()).to.deep.equal({ a: 'has a wrong config: config.yaml:3: port: expected an integer' })
      fake.sections.delete('a')
      await host.applyConfig([])
      expect(state('a')).to.equal('running')
      expect(host.configErrors()).to.deep.equal([])
    })

    it('does not let a plugin that hangs while it is loaded hold up the others', async () => {
      host = createHost({ setupTimeoutMs: 5000 })
      await write('a.ts', `await new Promise(() => {})\n${plugin('a')}`)
      await write('b.ts', plugin('b'))
      await host.load(50)
      const starting = host.start()
      await until('b runs', () => state('b') === 'running')
      expect(view('a')).to.include({ state: 'starting', disableReason: undefined })
      expect(host.ready).to.equal(false)
      await write('a.ts', plugin('a'))
      await starting
      expect(host.ready).to.equal(true)
      expect(state('a')).to.equal('running')
    })

    it('goes on when a listener to its changes fails', async () => {
      onChange = () => {
        throw new Error('deaf')
      }
      await write('a.ts', plugin('a'))
      await host.start()
      expect(state('a')).to.equal('running')
      expect(fake.logged.text()).to.include('deaf')
    })

    it('refuses a plugin that wants to take a key live that it does not have', async () => {
      await write('a.ts', plugin('a', `live: ['publish', 'LogLevel', 'publish.pub_timeout'],`))
      await host.start()
      expect(reasons()).to.deep.equal({
        a: "has a bad live: its config has no key 'publish.pub_timeout'",
      })
    })

    it('finds packages', async () => {
      const place = 'node_modules/sluice-plugin-a'
      await folder.write(`${place}/package.json`, '{ "type": "module", "exports": "./main.js" }')
      await folder.write(`${place}/main.js`, `export default { name: 'a', version: '2', setup() {} }`)
      await host.start()
      expect(view('a')).to.include({ state: 'running', version: '2' })
    })
  })

  describe('watching', () => {
    it('starts a plugin that is dropped in, also those that waited for it', async () => {
      await write('a.ts', plugin('a', `requires: ['b'],`))
      await host.start()
      expect(state('a')).to.equal('disabled')
      await write('b/index.ts', plugin('b'))
      await until('both run', () => state('a') === 'running' && state('b') === 'running')
      expect(told).to.deep.equal(['+b', '+a'])
    })

    it('replaces a changed plugin as a whole, and those that require it go on', async () => {
      await write('a.ts', plugin('a', `requires: ['b'],`))
      await write('b/index.ts', `import { text } from './lib/text.ts'\n${plugin('b', '', 'tell(text)')}`)
      await write('b/lib/text.ts', `export const text: string = 'one'`)
      await host.start()
      await write('b/lib/text.ts', `export const text: string = 'two'`)
      await generationIs('b', 2)
      await until('the old one is disposed', () => told.includes('-b'))
      expect(told).to.deep.equal(['one', '+b', '+a', 'two', '+b', '-b'])
      expect(view('a')).to.include({ generation: 1, state: 'running' })
    })

    it('replaces a single file when what it imports has changed', async () => {
      await write('a.ts', `import { text } from './lib/text.ts'\n${plugin('a', '', 'tell(text)')}`)
      await write('lib/text.ts', `export const text = 'one'`)
      await host.start()
      await write('lib/text.ts', `export const text = 'two'`)
      await generationIs('a', 2)
      expect(told).to.include('two')
    })

    for (const [how, text, error] of [
      ['does not load', 'export default {', "can't be loaded"],
      ['is no plugin', 'export default 1', 'exports a number'],
      ['fails to set up', plugin('a', '', `throw new Error('no luck')`), 'no luck'],
      ['hangs', plugin('a', '', 'await new Promise(() => {})'), 'did not finish'],
      ['requires what is not there', plugin('a', `requires: ['db'],`), "requires 'db'"],
      ['takes the name of another', plugin('b'), 'has the same name'],
    ] as const) {
      it(`keeps the old version when the new one ${how}, and takes the next that is well`, async () => {
        await write('a.ts', plugin('a'))
        await write('b.ts', plugin('b'))
        await host.start()
        told.length = 0
        await write('a.ts', text)
        await lastErrorIs('a', error)
        expect(view('a')).to.include({ state: 'running', generation: 1 })
        expect(told).not.to.include('+a')
        expect(fake.streams.get('a 1')).to.include({ disposed: false })
        expect(fake.logged.text()).to.include('generation 1 goes on')
        await write('a.ts', plugin('a', `description: 'well',`))
        await generationIs('a', 2)
        expect(view('a')).to.include({ lastError: undefined, description: 'well' })
        expect(view('b')).to.include({ state: 'running', generation: 1 })
      })
    }

    it('takes code that was refused for want of another plugin, once that runs', async () => {
      await write('a.ts', plugin('a'))
      await write('b.ts', plugin('b'))
      fake.sections.set('b', { enabled: false })
      await host.start()
      await write('a.ts', plugin('a', `requires: ['b'],`))
      await lastErrorIs('a', "requires plugin 'b', which is switched off")
      fake.sections.delete('b')
      await host.applyConfig([{ section: 'b', keys: ['enable'] }])
      expect(view('b')).to.include({ state: 'running' })
      expect(view('a')).to.include({ state: 'running', generation: 2, lastError: undefined })
    })

    it('gives up a setup that hangs when the file changes', async () => {
      host = createHost({ setupTimeoutMs: 5000 })
      await write('a.ts', plugin('a', '', `tell('hanging'); await new Promise(() => {})`))
      const starting = host.start()
      await until('it hangs', () => told.includes('hanging'))
      await write('a.ts', `await new Promise(() => {})\n${plugin('a')}`)
      await until('it is given up', () => told.includes('-a'))
      await write('a.ts', plugin('a'))
      await starting
      expect(view('a')).to.include({ state: 'running', generation: 1 })
      expect(fake.logged.lines.filter(({ level }) => level > WARN)).to.deep.equal([])
    })

    it('starts a plugin that failed, when its file has changed', async () => {
      await write('a.ts', plugin('a', '', `throw new Error('no luck')`))
      await host.start()
      await write('a.ts', plugin('a'))
      await generationIs('a', 1)
      expect(state('a')).to.equal('running')
    })

    it('refuses a plugin that failed and comes back with the name of another', async () => {
      await write('a.ts', plugin('a', '', `throw new Error('no luck')`))
      await write('b.ts', plugin('b'))
      await host.start()
      await write('a.ts', plugin('b', `version: '2',`))
      await until('it is refused', () => host.list()[0]?.disableReason?.includes('same name') ?? false)
      expect(told).to.have.members(['-a', '+b'])
    })

    it('lets the sessions of a replaced plugin go on, and ends them when the time to drain is over', async () => {
      drainTimeoutMs = 300
      await write('a.ts', plugin('a'))
      await host.start()
      const old = fake.streams.get('a 1')
      if (old) old.sessionCount = 1
      await write('a.ts', plugin('a'))
      await generationIs('a', 2)
      expect(old?.closed).to.deep.equal([])
      await until('the old sessions are ended', () => old?.closed.length === 1)
      expect(old?.closed).to.deep.equal(['plugin replaced'])
    })

    it('drains a plugin that was removed, and forgets it', async () => {
      await write('a.ts', plugin('a'))
      await host.start()
      const streams = fake.streams.get('a 1')
      if (streams) streams.sessionCount = 1
      await folder.remove('plugins/a.ts')
      await until('it is gone', () => view('a') === undefined)
      expect([...fake.declared]).to.deep.equal([])
      expect(told).to.deep.equal(['+a'])
      if (streams) streams.sessionCount = 0
      await until('it is disposed', () => told.includes('-a'))
      expect(streams?.closed).to.deep.equal(['plugin removed'])
    })

    it('takes in later changes when one could not be', async () => {
      await write('a.ts', plugin('a'))
      await host.start()
      fake.onForget = () => {
        throw new Error('broken')
      }
      await folder.remove('plugins/a.ts')
      await until('the failure is logged', () => fake.logged.text().includes('was not taken in'))
      fake.onForget = () => {}
      await write('b.ts', plugin('b'))
      await until('b runs', () => state('b') === 'running')
    })

    it('starts what is dropped into a folder that was not there', async () => {
      await folder.remove('plugins')
      await host.start()
      expect(host.list()).to.deep.equal([])
      await write('a.ts', plugin('a'))
      await until('a runs', () => state('a') === 'running')
    })

    it('replaces a plugin in a folder that is a link', async () => {
      await folder.write('elsewhere/a.ts', `import { text } from './lib/text.ts'\n${plugin('a', '', 'tell(text)')}`)
      await folder.write('elsewhere/lib/text.ts', `export const text = 'one'`)
      await folder.remove('plugins')
      await symlink(folder.file('elsewhere'), folder.file('plugins'))
      await host.start()
      await folder.write('elsewhere/lib/text.ts', `export const text = 'two'`)
      await generationIs('a', 2)
      expect(told).to.include('two')
    })

    it('follows a plugin file that is a link, wherever that leads', async () => {
      const point = async (target: string) => {
        await symlink(folder.file(target), folder.file('next'))
        await rename(folder.file('next'), folder.file('plugins/a.ts'))
      }
      const versionIs = (version: string) => until(`version ${version} runs`, () => view('a')?.version === version)
      const versioned = (version: string) => plugin('a').replace('1.0.0', version)
      await folder.write('elsewhere/one.ts', versioned('1'))
      await folder.write('elsewhere/two.ts', versioned('2'))
      await point('elsewhere/one.ts')
      await host.start()
      await versionIs('1')
      await point('elsewhere/two.ts')
      await versionIs('2')
      await folder.write('elsewhere/two.ts', versioned('3'))
      await versionIs('3')
      await folder.remove('elsewhere/two.ts')
      await lastErrorIs('a', 'Cannot find module')
      for (const version of ['4', '5']) {
        await folder.write('elsewhere/two.ts', versioned(version))
        await versionIs(version)
      }
    })

    it('passes over tests and what is no code', async () => {
      await write('a/index.ts', plugin('a'))
      await host.start()
      for (const name of ['a/index.test.ts', 'a/test/peer.ts', 'a/README.md', 'a/.cache.ts', 'a/node_modules/b.js']) {
        await write(name, '')
      }
      await write('b.ts', plugin('b'))
      await until('b runs', () => state('b') === 'running')
      await setTimeout(0)
      expect(view('a')?.generation).to.equal(1)
    })

    it('replaces a plugin that changed its name', async () => {
      await write('a.ts', plugin('old'))
      await host.start()
      await write('a.ts', plugin('new'))
      await generationIs('new', 2)
      await until('the old one is disposed', () => told.includes('-old'))
      expect(host.list().map(({ name }) => name)).to.deep.equal(['new'])
      expect([...fake.declared]).to.deep.equal(['new'])
    })
  })

  describe('config', () => {
    const CONFIG = `config: { type: 'object', properties: { size: { type: 'integer' } } },`
    const SETUP = `ctx.onConfig(({ size }: any) => tell('size ' + size)); tell('setup ' + ctx.config.size)`
    const change = (keys: string[], values: Record<string, unknown>) => {
      fake.sections.set('a', { values })
      return host.applyConfig([{ section: 'a', keys }])
    }

    beforeEach(async () => {
      fake.sections.set('a', { values: { size: 1 } })
      await write('a.ts', plugin('a', `${CONFIG} live: ['size', 'publish'],`, SETUP))
      await host.start()
      told.length = 0
    })

    it('tells the plugin of keys that it takes live', async () => {
      await change(['size', 'publish.key'], { size: 2 })
      expect(told).to.deep.equal(['size 2'])
      expect(view('a')).to.include({ generation: 1 })
      expect(view('a')?.config).to.have.nested.property('values.size', 2)
    })

    it('tells the plugin of live keys also after the change of another key has replaced it', async () => {
      await change(['port'], { size: 1 })
      await change(['size'], { size: 2 })
      expect(view('a')).to.include({ generation: 2 })
      expect(told.at(-1)).to.equal('size 2')
    })

    it('tells the plugin of live keys also after newer code took over with the config that the old code refused', async () => {
      const small = `if (ctx.config.size > 5) throw new Error('big');${SETUP}`
      await write('a.ts', plugin('a', `${CONFIG} live: ['size'],`, small))
      await generationIs('a', 2)
      await change(['port'], { size: 6 })
      await lastErrorIs('a', 'big')
      await write('a.ts', plugin('a', `${CONFIG} live: ['size'],`, SETUP))
      await generationIs('a', 3)
      await change(['size'], { size: 2 })
      expect(view('a')).to.include({ generation: 3 })
      expect(told.at(-1)).to.equal('size 2')
    })

    it('replaces the generation, not the code, for any other key', async () => {
      await change(['size', 'sizes'], { size: 2 })
      await until('the old one is disposed', () => told.includes('-a'))
      expect(told).to.deep.equal(['setup 2', '+a', '-a'])
      expect(view('a')).to.include({ generation: 2, loadMs: view('a')?.loadMs })
    })

    it('goes on with the old config when setup fails with the new one, and tries again at the next change', async () => {
      await folder.write(
        'plugins/a.ts',
        plugin('a', `${CONFIG} live: ['size'],`, `if (ctx.config.size > 5) throw new Error('big');${SETUP}`),
      )
      await generationIs('a', 2)
      told.length = 0
      await change(['port'], { size: 6 })
      expect(view('a')).to.include({ generation: 2, state: 'running' })
      expect(view('a')?.lastError).to.match(/^setup failed: big; the new config is not applied, but the gates are/u)
      expect(view('a')?.config).to.have.nested.property('values.size', 1)
      await change(['size'], { size: 3 })
      expect(view('a')).to.include({ generation: 3, lastError: undefined })
    })

    it('switches a plugin off and on', async () => {
      fake.sections.set('a', { enabled: false })
      await host.applyConfig([{ section: 'a', keys: ['enable'] }])
      expect(view('a')).to.include({ state: 'off', disableReason: 'switched off in the config' })
      await until('it is disposed', () => told.includes('-a'))
      fake.sections.set('a', { values: { size: 4 } })
      await host.applyConfig([{ section: 'a', keys: ['enable'] }])
      expect(view('a')).to.include({ state: 'running', generation: 2 })
      expect(told).to.deep.equal(['-a', 'setup 4', '+a'])
    })

    it('does not start what ran before when newer code is broken', async () => {
      await write('a.ts', 'export default {')
      await lastErrorIs('a', "can't be loaded")
      for (const enabled of [false, true]) {
        fake.sections.set('a', { enabled })
        await host.applyConfig([{ section: 'a', keys: ['enable'] }])
      }
      expect(view('a')).to.include({ state: 'disabled' })
      expect(view('a')?.disableReason).to.include("can't be loaded")
      await change(['size'], { size: 2 })
      expect(view('a')).to.include({ state: 'disabled' })
      await write('a.ts', plugin('a'))
      await generationIs('a', 2)
    })

    it('retires a plugin that changes its name to one that is switched off', async () => {
      fake.sections.set('off', { enabled: false })
      await write('a.ts', plugin('off'))
      await until('it is renamed', () => view('off') !== undefined)
      expect(reasons()).to.deep.equal({ off: 'switched off in the config' })
      await until('the old one is disposed', () => told.includes('-a'))
      fake.sections.delete('off')
      await host.applyConfig([{ section: 'off', keys: ['enable'] }])
      expect(state('off')).to.equal('running')
    })

    it('tries code again that failed to set up, and goes on with the old code where it still fails', async () => {
      const setup = `if (ctx.config.size < 3) throw new Error('small'); ${SETUP}`
      await write('a.ts', plugin('a', `${CONFIG} live: ['size'],`, setup))
      await lastErrorIs('a', 'small')
      told.length = 0
      await change(['size'], { size: 2 })
      expect(told).to.include('size 2')
      expect(view('a')).to.include({ generation: 1, lastError: 'setup failed: small' })
      await change(['size'], { size: 3 })
      expect(told).to.include('setup 3')
      expect(view('a')).to.include({ generation: 2, lastError: undefined })
    })

    it('starts a plugin once that is switched on twice at a time', async () => {
      fake.sections.set('a', { enabled: false })
      await host.applyConfig([{ section: 'a', keys: ['enable'] }])
      await Promise.all([change(['enable'], { size: 4 }), change(['enable', 'port'], { size: 4 })])
      expect(view('a')).to.include({ state: 'running', generation: 2 })
      expect(told.filter((text) => text === '+a')).to.have.length(1)
    })

    it('leaves other plugins alone', async () => {
      await host.applyConfig([
        { section: 'global', keys: ['draintimeout'] },
        { section: 'b', keys: ['size'] },
      ])
      expect(told).to.deep.equal([])
    })
  })

  describe('an address in use', () => {
    const SETUP = `await ctx.net.tcp({ listenaddr: ':' + (ctx.config.port ?? 1935), listenaddrtls: '' }, () => {})`
    const inUse = (port = 1935) =>
      new ListenError({ code: 'EADDRINUSE', owner: 'a', address: `:${port}`, key: 'a.tcp.listenaddr', why: 'in use' })
    const failures = () => fake.logged.lines.filter(({ level, msg }) => level > WARN && msg.includes("can't listen"))
    let tries: number
    const refuse = (ports: readonly number[]) => {
      tries = 0
      fake.onAcquire = ({ listenaddr }) => {
        const port = Number(listenaddr.slice(1))
        if (!ports.includes(port)) return
        tries += 1
        throw inUse(port)
      }
    }
    const tried = (count: number) => until(`it is tried ${count} times`, () => tries >= count)

    it('is told in one line without a stack, and tried again until it is free', async () => {
      await write('a.ts', plugin('a', '', SETUP))
      await write('b.ts', plugin('b', `requires: ['a'],`))
      refuse([1935])
      await host.start()
      expect(host.disabled).to.eql(['a', 'b'])
      expect(view('a')?.disableReason).to.include('change a.tcp.listenaddr')
      await tried(3)
      expect(failures()).to.have.length(1)
      expect(failures()[0]).to.not.have.property('err')
      expect(failures()[0]?.msg).to.include('tried again')
      refuse([])
      await until('both run', () => state('a') === 'running' && state('b') === 'running')
      expect(host.disabled).to.eql([])
      const refusals = fake.logged.lines.filter(({ level, msg }) => level > WARN && msg.includes("requires plugin 'a'"))
      expect(refusals).to.have.length(1)
    })

    for (const [what, obstacle, told] of [
      ['a database that is away', new StoreUnavailable('no db'), 'no db'],
      ['one that asks for it', new SetupLater('the lamp is dark'), 'the lamp is dark'],
      ['a server that refuses', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'refused'],
      ['one that does not answer', undefined, 'setup did not finish within 100 ms'],
    ] as const) {
      it(`is like ${what}: it is tried again`, async () => {
        host = createHost({ setupTimeoutMs: 100 })
        tries = 0
        fake.onAcquire = async () => {
          tries += 1
          if (tries > 2) return
          if (obstacle === undefined) await new Promise(() => {})
          else throw obstacle
        }
        await write('a.ts', plugin('a', '', SETUP))
        await host.start()
        await until('it runs', () => state('a') === 'running')
        const lines = fake.logged.lines.filter(({ level, msg }) => level > WARN && msg.includes(told))
        expect(lines).to.have.length(1)
        expect(lines[0]?.msg).to.include('tried again')
      })
    }

    it('is tried again when the plugin says', async () => {
      const tries = new Map<string, number>()
      fake.onAcquire = ({ listenaddr }) => {
        tries.set(listenaddr, (tries.get(listenaddr) ?? 0) + 1)
        throw listenaddr === ':1935' ? new SetupLater('in a minute', { afterMs: 60_000 }) : new SetupLater('soon')
      }
      await write('a.ts', plugin('a', '', SETUP))
      await write('b.ts', plugin('b', '', SETUP))
      fake.sections.set('b', { values: { port: 1936 } })
      await host.start()
      await until('the other is tried four times', () => (tries.get(':1936') ?? 0) >= 4)
      expect(tries.get(':1935')).to.equal(1)
    })

    it('is tried again at once when the config changes', async () => {
      await write('a.ts', plugin('a', '', SETUP))
      refuse([1935])
      await host.start()
      fake.sections.set('a', { values: { port: 1936 } })
      await host.applyConfig([{ section: 'a', keys: ['port'] }])
      expect(state('a')).to.equal('running')
    })

    it('lets the generation before go on, and is taken over when it is free', async () => {
      await write('a.ts', plugin('a', '', SETUP))
      refuse([1936])
      await host.start()
      fake.sections.set('a', { values: { port: 1936 } })
      await host.applyConfig([{ section: 'a', keys: ['port'] }])
      await tried(3)
      expect(view('a')).to.include({ state: 'running', generation: 1 })
      expect(view('a')?.lastError).to.include("can't listen on :1936")
      expect(host.disabled).to.eql([])
      expect(failures()).to.have.length(1)
      refuse([])
      await until('generation 2 runs', () => view('a')?.generation === 2)
      expect(view('a')).to.include({ lastError: undefined })
      expect(view('a')?.config).to.have.nested.property('values.port', 1936)
    })

    it('is tried again for newer code', async () => {
      await write('a.ts', plugin('a'))
      await host.start()
      refuse([1935])
      await write('a.ts', plugin('a', '', SETUP))
      await tried(2)
      expect(view('a')).to.include({ state: 'running', generation: 1 })
      refuse([])
      await until('generation 2 runs', () => view('a')?.generation === 2)
    })
  })

  describe('stop', () => {
    it('disposes all, dependents first, also those that are drained, and acts on no change any more', async () => {
      await write('a.ts', plugin('a'))
      await write('b.ts', plugin('b', `requires: ['a'],`))
      await write('c.ts', plugin('c', `requires: ['b'],`))
      await host.start()
      const old = fake.streams.get('a 1')
      if (old) old.sessionCount = 1
      await write('a.ts', plugin('a'))
      await generationIs('a', 2)
      told.length = 0
      await host.stop('server stops')
      expect(host.ready).to.equal(false)
      expect(told.filter((text) => text === '-a')).to.have.length(2)
      expect(told.filter((text) => text !== '-a')).to.deep.equal(['-c', '-b'])
      expect(told.at(-1)).to.equal('-a')
      expect(old?.closed).to.deep.equal(['server stops'])
    })

    it('does not wait for a setup that hangs', async () => {
      await write('a.ts', plugin('a', '', `tell('hanging'); await new Promise(() => {})`))
      const starting = host.start()
      await until('it hangs', () => told.includes('hanging'))
      await host.stop('server stops')
      expect(told).to.deep.equal(['hanging', '-a'])
      await starting
      expect(host.ready).to.equal(false)
    })
  })
})
