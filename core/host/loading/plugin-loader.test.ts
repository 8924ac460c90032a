import path from 'node:path'
import { expect } from 'chai'
import { AccessUnit, definePlugin, StreamDenied } from 'sluice/sdk'
import type { PluginCandidate } from './discovery.ts'
import { startLoad } from './module-hooks.ts'
import { ownerOfError } from '../error-owner.ts'
import { PluginError } from '../plugin-error.ts'
import { loadPlugin } from './plugin-loader.ts'
import { PluginFolder } from '../testing/plugin-folder.ts'

const plugin = (fields: string) => `export default { name: 'demo', version: '1', setup() {}, ${fields} }`

describe('loadPlugin', () => {
  let folder: PluginFolder

  beforeEach(async () => {
    folder = await PluginFolder.create()
  })
  afterEach(() => folder.remove())

  const candidate = (name: string): PluginCandidate => {
    const place = folder.file(name)
    return name.includes('/')
      ? { kind: 'folder', path: path.dirname(place), entry: place }
      : { kind: 'file', path: place, entry: place }
  }
  const load = (name: string, timeoutMs = 5000) => loadPlugin(startLoad(candidate(name)), timeoutMs)
  const description = async (name: string) => (await load(name)).description

  it('loads TypeScript that lies outside of the project', async () => {
    await folder.write('demo.ts', `const text: string = 'hello'\n${plugin('description: text')}`)
    expect(await load('demo.ts')).to.include({ name: 'demo', description: 'hello' })
  })

  it('renews all files of a plugin together, however they import each other', async () => {
    await folder.write('demo/package.json', '{ "type": "module" }')
    await folder.write(
      'demo/index.ts',
      `import { createRequire } from 'node:module'
       import { b } from './lib/b.ts'
       import d from './lib/d.cjs'
       const { e } = await import(new URL('./lib/e.ts', import.meta.url).href)
       const f = createRequire(import.meta.url)('./lib/f.cjs')
       ${plugin('description: [b, d, e, f].join()')}`,
    )
    await folder.write('demo/lib/b.ts', `import { c } from './c.js'\nexport const b = 'b' + c`)
    for (const version of ['1', '2']) {
      await folder.write('demo/lib/c.js', `export const c = '${version}'`)
      await folder.write('demo/lib/d.cjs', `module.exports = 'd' + require('./g.cjs')`)
      await folder.write('demo/lib/e.ts', `export const e = 'e${version}'`)
      await folder.write('demo/lib/f.cjs', `module.exports = 'f${version}'`)
      await folder.write('demo/lib/g.cjs', `module.exports = '${version}'`)
      expect(await description('demo/index.ts')).to.equal(`b${version},d${version},e${version},f${version}`)
    }
  })

  it('renews what a single file imports from below its folder', async () => {
    await folder.write('demo.ts', `import { text } from './lib/text.ts'\n${plugin('description: text')}`)
    for (const version of ['one', 'two']) {
      await folder.write('lib/text.ts', `export const text = '${version}'`)
      expect(await description('demo.ts')).to.equal(version)
    }
  })

  it('keeps the packages of a plugin loaded', async () => {
    await folder.write('demo/node_modules/dep/package.json', '{ "main": "index.js", "type": "module" }')
    await folder.write(
      'demo/node_modules/dep/index.js',
      `export const text = String(globalThis.process.hrtime.bigint())`,
    )
    await folder.write('demo/index.ts', `import { text } from 'dep'\n${plugin('description: text')}`)
    expect(await description('demo/index.ts')).to.equal(await description('demo/index.ts'))
  })

  it('gives a plugin the one sdk of the host, also to its packages, and its entry points', async () => {
    await folder.write('demo/node_modules/sluice/package.json', '{ "exports": { "./sdk": "./sdk.js" } }')
    await folder.write('demo/node_modules/sluice/sdk.js', `throw new Error('another copy of the sdk')`)
    await folder.write('demo/node_modules/dep/package.json', '{ "exports": "./index.js", "type": "module" }')
    await folder.write('demo/node_modules/dep/index.js', `export { AccessUnit } from 'sluice/sdk'`)
    await folder.write(
      'demo/index.ts',
      `import { definePlugin, StreamDenied } from 'sluice/sdk'
       import { AccessUnit } from 'dep'
       import * as media from 'sluice/sdk/media'
       export default Object.assign(definePlugin({ name: 'demo', version: '1', setup() { throw new StreamDenied('no') } }),
         { definePlugin, AccessUnit, media })`,
    )
    const definition = await load('demo/index.ts')
    expect(definition).to.include({ definePlugin, AccessUnit })
    expect(definition).to.have.nested.property('media.MalformedError')
    expect(() => definition.setup({} as never)).to.throw(StreamDenied)
  })

  it('lends a plugin the packages of the host, unless it has its own', async () => {
    await folder.write('demo.ts', `import { Type } from 'typebox'\n${plugin('config: Type.Object({})')}`)
    expect(await load('demo.ts')).to.have.nested.property('config.type', 'object')
    await folder.write('other/node_modules/typebox/package.json', '{ "main": "index.js", "type": "module" }')
    await folder.write('other/node_modules/typebox/index.js', `export const Type = 'own'`)
    await folder.write('other/index.ts', `import { Type } from 'typebox'\n${plugin('description: Type')}`)
    expect(await description('other/index.ts')).to.equal('own')
  })

  it('tells which plugin an error came from', async () => {
    await folder.write('demo/fail.ts', `export function fail() { throw new Error('broken') }`)
    await folder.write(
      'demo/index.ts',
      `import { fail } from './fail.ts'\nexport default { name: 'demo', version: '1', setup: () => fail() }`,
    )
    const definition = await load('demo/index.ts')
    let thrown: unknown
    try {
      await definition.setup({} as never)
    } catch (error) {
      thrown = error
    }
    expect(ownerOfError(thrown)).to.eql({ plugin: 'demo' })
    expect(ownerOfError(new Error('outer', { cause: thrown }))).to.eql({ plugin: 'demo' })
    expect(ownerOfError(new Error('own'))).to.equal('server')
    expect(ownerOfError('text')).to.equal(undefined)
  })

  it('knows the files of a plugin, also those that are missing', async () => {
    await folder.write('demo.ts', `import './lib/a.ts'\n${plugin('')}`)
    await folder.write('lib/a.ts', `import './missing.ts'`)
    const files = startLoad(candidate('demo.ts'))
    expect(await failure(loadPlugin(files, 5000))).to.include('missing.ts')
    await folder.write('other.ts', '')
    const names = ['demo.ts', 'lib/a.ts', 'lib/missing.ts', 'other.ts']
    expect(names.filter((name) => files.uses(folder.file(name)))).to.eql(names.slice(0, 3))
  })

  describe('of code that was loaded before', () => {
    /** Counts how often its module has run. */
    const COUNTED = `globalThis.runs = (globalThis.runs ?? 0) + 1\n${plugin('')}`
    const runs = (): unknown => Reflect.get(globalThis, 'runs')
    afterEach(() => void Reflect.deleteProperty(globalThis, 'runs'))

    it('takes it from there while no file of it has another content, and when it has its content again', async () => {
      await folder.write('demo.ts', `import './lib/a.ts'\n${COUNTED}`)
      await folder.write('lib/a.ts', 'export const a = 1')
      await load('demo.ts')
      await folder.write('lib/a.ts', 'export const a = 1')
      await load('demo.ts')
      expect(runs()).to.equal(1)

      await folder.write('lib/a.ts', 'export const a = 2')
      await load('demo.ts')
      expect(runs()).to.equal(2)

      await folder.write('lib/a.ts', 'export const a = 1')
      await load('demo.ts')
      expect(runs()).to.equal(2)
    })

    it('tries it anew where it could not be loaded', async () => {
      await folder.write('demo.ts', `import './lib/a.ts'\n${COUNTED}`)
      expect(await failure(loadPlugin(startLoad(candidate('demo.ts')), 5000))).to.include('a.ts')
      await folder.write('lib/a.ts', '')
      expect((await load('demo.ts')).name).to.equal('demo')
    })

    it('notices a file that is imported later', async () => {
      await folder.write('demo.ts', `${COUNTED}\nexport const later = () => import('./lib/a.ts')`)
      await folder.write('lib/a.ts', 'export const a = 1')
      const first = startLoad(candidate('demo.ts'))
      await loadPlugin(first, 5000)
      const { later } = (await import(first.url)) as { later: () => Promise<unknown> }
      await later()
      await folder.write('lib/a.ts', 'export const a = 2')
      await load('demo.ts')
      expect(runs()).to.equal(2)
    })
  })

  const NO_DEFAULT = 'has no default export; write `export default definePlugin({ … })`'
  const ownKeys = (keys: string, fields = '') =>
    plugin(`config: { type: 'object', properties: { ${keys} } }, ${fields}`)
  const taken = (key: string) =>
    `has a config key '${key}', which the host has already: call it otherwise, or set it by \`defaults\``
  const BAD: readonly [what: string, text: string, message: string | RegExp][] = [
    ['no default export', 'export const a = 1', NO_DEFAULT],
    ['an empty file', '', NO_DEFAULT],
    ['a line feed', '\n', NO_DEFAULT],
    ['a comment', '// to be done', NO_DEFAULT],
    ['a function', 'export default () => {}', 'exports a function by default, not a plugin definition'],
    ['null', 'export default null', 'exports null by default, not a plugin definition'],
    [
      'the name of the section of all',
      "export default { name: 'global', version: '1', setup() {} }",
      "may not be called 'global', as the config section of all plugins",
    ],
    ['no name', 'export default {}', 'has a bad name, undefined: it must be lower-case letters, digits and dashes'],
    [
      'a bad name',
      plugin(`name: 'De mo'`),
      'has a bad name, "De mo": it must be lower-case letters, digits and dashes',
    ],
    ['no version', plugin('version: undefined'), 'has no version; write it as a string'],
    ['no setup', plugin('setup: undefined'), 'has no setup function'],
    ['another sdk', plugin(`sdk: '^2'`), 'is written for sdk ^2, and this host offers 1'],
    ['a bad sdk', plugin(`sdk: 'new'`), `has a bad sdk version, "new"; write '^1'`],
    [
      'a bad config',
      plugin('config: { port: 1 }'),
      'has a config that is no object schema; write `Type.Object({ … })`',
    ],
    ['a switch of its own', ownKeys('enable: { default: false }'), taken('enable')],
    ['a boolean that has the name of an inherited group', ownKeys('publish: { type: "boolean" }'), taken('publish')],
    ['an inherited key under another spelling', ownKeys('logLevel: { default: 1 }'), taken('logLevel')],
    [
      'a key of an inherited group',
      ownKeys('publish: { type: "object", properties: { more: {}, key: { default: 7 } } }'),
      taken('publish.key'),
    ],
    ['a key of the pull rules that it has', ownKeys('pull: {}', `provides: ['pull:demo']`), taken('pull')],
    [
      'a notice of the server',
      plugin(`notices: ['published']`),
      "has a notice 'published', which is a hook of the server",
    ],
    ['bad requires', plugin(`requires: 'rtmp'`), 'has a bad requires, "rtmp": it must be a list of strings'],
    ['bad endpoints', plugin('endpoints: {}'), 'has a bad endpoints: it must be of type function'],
    [
      'tables that could be those of the server',
      plugin(`name: 'sluice-pull', tables: { '001-a': { up() {} } }`),
      "may not be called 'sluice-pull' and have tables: the names of the server's own begin with 'sluice_'",
    ],
    ...[
      "'/'",
      "[{ url: '/' }]",
      "[{ url: 'x', title: 'X' }]",
      "[{ url: '/', title: '' }]",
      '[null]',
      "[{ title: 'X' }]",
      "[{ url: '/', title: 'X', titles: { zh: 3 } }]",
      "[{ url: '/', title: 'X', group: '' }]",
      "[{ url: '/', title: 'X', module: new URL('x.tsx', import.meta.url) }]",
      "[{ title: 'X', form: { schema: {}, write: 'api/x' } }]",
      "[{ title: 'X', form: { schema: { type: 'object' } } }]",
    ].map((pages): [string, string, string] => [
      `bad pages, ${pages}`,
      plugin(`pages: ${pages}`),
      "has bad pages: write them as `{ url: '/', title: 'Page' }`, with a slash before each address",
    ]),
    ...["'x.tsx'", "new URL('https://a/x.js')", "new URL('x.css', import.meta.url)"].map(
      (module): [string, string, string] => [
        `a bad module of a page, ${module}`,
        plugin(`pages: [{ title: 'X', module: ${module} }]`),
        'has a bad module of a page: write the `URL` of a file .js, .ts or .tsx whose name is lower-case letters, digits and dashes',
      ],
    ),
    [
      'modules of pages with one name',
      plugin(`pages: ['a/x.js', 'b/x.tsx'].map((name) => ({ title: 'X', module: new URL(name, import.meta.url) }))`),
      "has two pages whose modules are called 'x'",
    ],
    [
      'a module of a page below no mount',
      plugin(`mounts: ['', 'demo'], pages: [{ title: 'X', module: new URL('x.js', import.meta.url) }]`),
      'has a page with a module, and the page at `/` as its first mount: name another one before',
    ],
    ['bad processes', plugin(`processes: 2`), "has a bad processes, 2: write 'each' or 'one'"],
    ['a throw', `throw new Error('broken')`, "can't be loaded: broken"],
    ['bad syntax', `const a = 1\nconst = 2`, /^can't be loaded: .*demo\.ts:2/s],
    ['a missing package', `import 'no-such-package'`, /^can't be loaded: .*no-such-package/],
    [
      'a deep import of the sdk',
      `import 'sluice/sdk/plugin/context.ts'`,
      /^can't be loaded: .*not defined by "exports"/,
    ],
  ]
  for (const [what, text, message] of BAD) {
    it(`refuses ${what}`, async () => {
      await folder.write('demo.ts', text)
      const found = await failure(load('demo.ts'))
      if (typeof message === 'string') expect(found).to.equal(message)
      else expect(found).to.match(message)
    })
  }

  it('takes keys of its own beside those of the host, also in its groups', async () => {
    const keys = 'pull: { default: 1 }, size: {}, http: { type: "object", properties: { cache: { default: "" } } }'
    await folder.write('demo.ts', ownKeys(keys))
    expect(await load('demo.ts')).to.have.nested.property('config.properties.pull')
  })

  it('loads CommonJS plugins that lie beside each other at the same time', async () => {
    const names = ['one', 'two', 'three']
    for (const name of names) {
      await folder.write(`${name}.js`, `module.exports = { name: '${name}', version: '1', setup() {} }`)
    }
    const loaded = await Promise.all(names.map((name) => load(`${name}.js`)))
    expect(loaded.map(({ name }) => name)).to.deep.equal(names)
  })

  it('takes a plugin by any other name that has tables', async () => {
    await folder.write('demo.ts', plugin(`name: 'sluicegate', tables: { '001-a': { up() {} } }`))
    expect(await load('demo.ts')).to.include({ name: 'sluicegate' })
  })

  it('takes the versions of the sdk that the host offers', async () => {
    for (const sdk of ['1', '^1', '~1.2', '1.0.0']) {
      await folder.write('demo.ts', plugin(`sdk: '${sdk}'`))
      expect(await load('demo.ts')).to.include({ sdk })
    }
  })

  it('refuses one that does not finish loading', async () => {
    await folder.write('demo.ts', 'await new Promise(() => {})')
    expect(await failure(load('demo.ts', 30))).to.include('30 ms')
  })
})

async function failure(loading: Promise<unknown>): Promise<string> {
  try {
    await loading
  } catch (error) {
    if (error instanceof PluginError) return error.message
    throw error
  }
  throw new Error('was loaded')
}
