import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { discoverPlugins } from './discovery.ts'
import { PluginFolder } from '../testing/plugin-folder.ts'

describe('discoverPlugins', () => {
  let folder: PluginFolder

  beforeEach(async () => {
    folder = await PluginFolder.create()
  })
  afterEach(() => folder.remove())

  const found = async (folders = ['plugins'], workingFolder = 'work') => {
    const places = { folders: folders.map((name) => folder.file(name)), workingFolder: folder.file(workingFolder) }
    const candidates = await discoverPlugins(places)
    return candidates.map(({ kind, entry }) => `${kind} ${path.relative(folder.path, entry)}`)
  }

  it('finds single files and folders with an index, by name', async () => {
    for (const name of ['c.mjs', 'b/index.ts', 'a.ts', 'd.js', 'e/index.js', 'f/index.mjs']) {
      await folder.write(`plugins/${name}`, '')
    }
    expect(await found()).to.deep.equal([
      'file plugins/a.ts',
      'folder plugins/b/index.ts',
      'file plugins/c.mjs',
      'file plugins/d.js',
      'folder plugins/e/index.js',
      'folder plugins/f/index.mjs',
    ])
  })

  it('takes the source where a folder has the build beside it', async () => {
    await folder.write('plugins/a/index.js', '')
    await folder.write('plugins/a/index.ts', '')
    expect(await found()).to.deep.equal(['folder plugins/a/index.ts'])
  })

  it('passes over tests, type declarations, dotfiles, other files, and folders without an index', async () => {
    const others = ['a.test.ts', 'a.d.ts', '.a.ts', 'a.json', 'a.ts~', 'README.md', 'a/other.ts', '.b/index.ts']
    for (const name of [...others, 'a/test/index.ts', 'node_modules/index.js'])
      await folder.write(`plugins/${name}`, '')
    expect(await found()).to.deep.equal([])
  })

  it('follows links', async () => {
    await folder.write('elsewhere/a.ts', '')
    await folder.write('elsewhere/b/index.ts', '')
    await folder.write('plugins/c.ts', '')
    await symlink(folder.file('elsewhere/a.ts'), folder.file('plugins/a.ts'))
    await symlink(folder.file('elsewhere/b'), folder.file('plugins/b'))
    expect(await found()).to.deep.equal(['file plugins/a.ts', 'folder plugins/b/index.ts', 'file plugins/c.ts'])
  })

  it('finds nothing where there is no folder', async () => {
    expect(await found(['missing'])).to.deep.equal([])
  })

  const PACKAGES: readonly [name: string, manifest: unknown, entry: string | undefined][] = [
    ['sluice-plugin-main', { main: 'lib/main.js' }, 'lib/main.js'],
    ['sluice-plugin-default', {}, 'index.js'],
    ['sluice-plugin-string', { exports: './a.js', main: './b.js' }, 'a.js'],
    ['sluice-plugin-conditions', { exports: { types: './a.d.ts', require: './a.cjs', import: './a.js' } }, 'a.js'],
    ['sluice-plugin-paths', { exports: { './b': './b.js', '.': { node: { default: './a.js' } } } }, 'a.js'],
    ['@scope/sluice-plugin-scoped', { exports: { '.': './a.js' } }, 'a.js'],
    ['other-plugin', { main: 'a.js' }, undefined],
    ['sluice-plugin-', { main: 'a.js' }, undefined],
  ]
  for (const [name, manifest, entry] of PACKAGES) {
    it(`${entry === undefined ? 'passes over' : 'finds'} the package ${name} ${JSON.stringify(manifest)}`, async () => {
      const place = `work/node_modules/${name}`
      await folder.write(`${place}/package.json`, JSON.stringify(manifest))
      expect(await found()).to.deep.equal(entry === undefined ? [] : [`package ${place}/${entry}`])
    })
  }

  it('finds packages beside the plugins of a folder, too, and passes over those without a manifest', async () => {
    await folder.write('plugins/node_modules/sluice-plugin-a/package.json', '{}')
    await folder.write('plugins/node_modules/sluice-plugin-b/index.js', '')
    await folder.write('plugins/node_modules/sluice-plugin-c/package.json', '{')
    expect(await found()).to.deep.equal(['package plugins/node_modules/sluice-plugin-a/index.js'])
  })
})
