import { expect } from 'chai'
import { edit } from './edit.ts'
import { configErrorOf, configOf, RELAY } from './fixtures/temp-config.ts'
import { MODIFICATION_PLACE, Modifications } from './modifications.ts'
import { readSectionChange } from './section-change.ts'
import type { Section } from './section.ts'
import { YamlSource } from './yaml-source.ts'

const FILE = `
global:
  publish: {key: hush-1}
  admission_webhook: {url: 'http://user:hush-2@host/?token=hush-3'}
relay:
  linger: 60
  passphrase: hush-4
  nicknames: ['http://me:hush-5@one/', two]
  pull:
    live/a: {url: 'rtmp://me:hush-6@host/a', credential: hush-7}
    live/b: {url: b}
`

async function sectionOf(name: string): Promise<Section> {
  const config = await configOf(FILE)
  config.declare(RELAY)
  const section = config.find(name)
  if (section === undefined) throw new Error('no section')
  return section
}

function read(section: Section, values: unknown) {
  const { put, taken, problems } = readSectionChange(YamlSource.of(MODIFICATION_PLACE, values), section)
  return {
    put: Object.fromEntries([...put].map(([path, { written }]) => [path, written])),
    taken: [...taken],
    problems: problems.map(({ key, message }) => `${key}: ${message}`),
  }
}

describe('a change of a section', () => {
  const cases: readonly (readonly [what: string, values: unknown, put: object, taken?: readonly string[]])[] = [
    ['any spelling', { Chunk_Size: 256, TCP: { 'listen-addr': ':1' } }, { chunksize: 256, 'tcp.listenaddr': ':1' }],
    [
      'a duration as text or seconds',
      { linger: '2m', publish: { pausetimeout: 5 } },
      { linger: '2m', 'publish.pausetimeout': '5' },
    ],
    ['a scalar for the first key of a group', { tcp: ':1' }, { 'tcp.listenaddr': ':1' }],
    ['null for a key', { chunksize: null, nicknames: null }, {}, ['chunksize', 'nicknames']],
    ['nothing', {}, {}],
    ['a mask', { passphrase: '******', chunksize: 256 }, { chunksize: 256 }],
    ['what is shown of a value', { linger: '60s', nicknames: ['http://******@one/', 'two'] }, {}],
    [
      'masks in a list that was changed',
      { nicknames: ['zero', 'http://******@one/'] },
      { nicknames: ['zero', 'http://me:hush-5@one/'] },
    ],
    [
      'masks in a map that was changed',
      { pull: { 'live/a': { url: 'rtmp://other/a', Credential: '******' }, 'live/c': { url: 'c' } } },
      {
        pull: {
          'live/a': { url: 'rtmp://other/a', credential: 'hush-7', retryinterval: '5s' },
          'live/c': { url: 'c', credential: '', retryinterval: '5s' },
        },
      },
    ],
  ]
  for (const [what, values, put, taken = []] of cases) {
    it(`may have ${what}`, async () => {
      expect(read(await sectionOf('relay'), values)).to.eql({ put, taken, problems: [] })
    })
  }

  it('may have null for all keys of a group', async () => {
    const { taken } = read(await sectionOf('relay'), { signed_policy: null })
    expect(taken).to.include.members(['signed_policy.enable', 'signed_policy.secret']).and.have.length(7)
  })

  it('leaves secrets in addresses as they are when these are sent back as they are shown', async () => {
    const section = await sectionOf('global')
    const shown = Object.fromEntries(section.entries().map(({ key, value }) => [key, value]))
    expect(shown['admission_webhook.url']).to.equal('http://******@host/?token=******')
    const same = { admission_webhook: { url: shown['admission_webhook.url'] }, publish: { key: shown['publish.key'] } }
    expect(read(section, same)).to.eql({ put: {}, taken: [], problems: [] })
  })

  const wrong: readonly (readonly [values: unknown, problem: string])[] = [
    [{ chunksise: 256 }, "relay.chunksise: unknown key, did you mean 'chunksize'?"],
    [{ chunksize: 1 }, 'relay.chunksize: expected an integer from 128 to 65536, found 1'],
    [{ ChunkSize: 256, chunk_size: 512 }, 'relay.chunk_size: is given twice'],
    [[], 'relay: expected a map, found a list'],
    [
      { pull: { 'live/c': { url: 'c', credential: '******' } } },
      'relay.pull: has ****** in place of a secret: send the secret itself, or leave the key out',
    ],
    [
      { pull: { 'live/a': { url: 'http://******@other/' } } },
      'relay.pull: has ****** in place of a secret: send the secret itself, or leave the key out',
    ],
  ]
  for (const [values, problem] of wrong) {
    it(`may not be ${JSON.stringify(values)}`, async () => {
      expect(read(await sectionOf('relay'), values).problems).to.eql([problem])
    })
  }

  it('has the lines of YAML in what is wrong', async () => {
    const section = await sectionOf('relay')
    for (const [text, place] of [
      ['linger: 1s\nchunksize: x', 2],
      ['linger: 1s\nchunksize: [', 2],
    ] as const) {
      const { problems } = readSectionChange(YamlSource.parse(MODIFICATION_PLACE, text), section)
      expect(problems.map(({ file, line }) => [file, line])).to.eql([[MODIFICATION_PLACE, place]])
    }
  })

  it('may not have aliases that stand for more than fits into memory', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => {
      const inner = index === 0 ? 'x' : `*a${index - 1}`
      return `k${index}: &a${index} [${Array.from({ length: 12 }, () => inner).join(', ')}]`
    })
    const { problems } = readSectionChange(
      YamlSource.parse(MODIFICATION_PLACE, lines.join('\n')),
      await sectionOf('relay'),
    )
    expect(problems.map(({ message }) => message)).to.eql(['the aliases stand for too much'])
  })
})

describe('an edit of what is set at run time', () => {
  const TERMS = { by: 'ann', atMs: 5, isStored: true }
  const NONE = { stored: new Modifications(), held: new Modifications() }

  const kept: readonly (readonly [what: string, values: object, paths: readonly string[]])[] = [
    ['what the file says', { passphrase: 'hush-4', linger: '1m' }, []],
    ['a default, where nothing else is set', { chunksize: 1024, publish: { maxcount: 0 } }, []],
    ['a default of the plugin', { loglevel: 'debug', publish: { publishtimeout: 7 } }, []],
    ['what is inherited', { publish: { key: 'hush-1' } }, []],
    ['a default, where the file says otherwise', { passphrase: '', nicknames: [] }, ['passphrase', 'nicknames']],
    ['another value', { chunksize: 256 }, ['chunksize']],
  ]
  for (const [what, values, paths] of kept) {
    it(`keeps ${paths.length === 0 ? 'nothing' : 'the value'} for ${what}`, async () => {
      const section = await sectionOf('relay')
      const change = readSectionChange(YamlSource.of(MODIFICATION_PLACE, values), section)
      const { stored, isStoreChanged } = edit(section, NONE, change, TERMS)
      expect(stored.of('relay').map(({ path }) => path)).to.eql(paths)
      expect(isStoreChanged).to.equal(paths.length > 0)
    })
  }

  it('takes nothing without which the database could not be opened, unless it is what holds', async () => {
    const section = await sectionOf('global')
    const change = (values: object) => readSectionChange(YamlSource.of(MODIFICATION_PLACE, values), section)
    const all = { db: { dsn: '', dbtype: '' }, datadir: 'data' }
    expect(edit(section, NONE, change(all), TERMS).stored.all).to.eql([])
    for (const values of [{ db: 'x.db' }, { db: { dbtype: 'sqlite' } }, { datadir: 'x' }]) {
      const { message } = await configErrorOf(() => edit(section, NONE, change(values), TERMS))
      expect(message).to.match(/^config modify: global\.(?:db|datadir)\S*: is needed to open the database/u)
    }
  })

  it('remembers who set a value first, as long as it is the same', async () => {
    const section = await sectionOf('relay')
    const change = (values: object) => readSectionChange(YamlSource.of(MODIFICATION_PLACE, values), section)
    const { stored } = edit(section, NONE, change({ chunksize: 256 }), TERMS)
    const again = edit(section, { stored, held: stored }, change({ chunksize: 256, linger: '1s' }), {
      ...TERMS,
      by: 'bob',
    })
    expect(again.modified.all.map(({ path, by }) => [path, by])).to.eql([
      ['chunksize', 'ann'],
      ['linger', 'bob'],
    ])
    expect(again.stored.revisionOf('Relay')).to.equal(2)
  })
})
