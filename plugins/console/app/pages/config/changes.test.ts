import { expect } from 'chai'
import { changesOf, configOf, shownText } from './changes.ts'
import { withTitles } from './titled-schema.ts'
import { filtered, isFound, sectionOf, type KeySchema } from './section-model.ts'

const RULE: KeySchema = {
  type: 'object',
  properties: { url: { type: 'string' }, header: { additionalProperties: { type: 'string', writeOnly: true } } },
}
const SCHEMA: KeySchema = {
  type: 'object',
  properties: {
    enable: { type: 'boolean' },
    chunksize: { type: 'integer', title: 'Chunk size' },
    pull: { type: 'object', patternProperties: { '^.*$': RULE } },
    loglevel: { enum: ['info', 'warn'], 'x-inherited': true },
    tcp: { type: 'object', title: 'TCP', properties: { nodelay: { type: 'boolean' } } },
    publish: {
      type: 'object',
      title: 'Publish',
      'x-inherited': true,
      properties: {
        key: { type: 'string', writeOnly: true, 'x-inherited': true, 'x-apply': 'live' },
        speed: { type: 'number', title: 'Speed', description: 'Of playback', 'x-inherited': true },
      },
    },
  },
}
const CONFIG = {
  enable: true,
  chunksize: 4096,
  pull: { 'live/a': { url: 'rtmp://host/a', header: { Cookie: '******' } } },
  loglevel: 'info',
  tcp: { nodelay: true },
  publish: { key: '******', speed: 1 },
}
const SECTION = sectionOf({
  schema: SCHEMA,
  config: CONFIG,
  sources: { chunksize: 'modify', 'publish.key': 'global' },
  layers: new Map([
    [
      'chunksize',
      [
        { source: 'modify', value: 4096, place: 'config modify' },
        { source: 'file', value: 2048, place: 'a.yaml:3' },
      ],
    ],
  ]),
})

function changed(edits: Readonly<Record<string, unknown>>) {
  return changesOf(SECTION, new Map(Object.entries(edits)))
}

describe('the changes of a section of the config', () => {
  it('are those of keys that have another value', () => {
    const pull = { 'live/a': { url: 'rtmp://host/a', header: { Cookie: '******' } } }
    expect(changed({ pull, 'tcp.nodelay': true, chunksize: 4096, 'publish.key': '******' })).to.eql([])
    const changes = changed({ 'publish.key': 'new', 'tcp.nodelay': false })
    expect(configOf(changes)).to.eql({ tcp: { nodelay: false }, publish: { key: 'new' } })
  })

  it('take back what was set at run time, and nothing else', () => {
    const changes = changed({ chunksize: null, loglevel: null })
    expect(configOf(changes)).to.eql({ chunksize: null })
    expect(changes[0]?.result).to.equal(2048)
  })

  it('can set what the key would have anyway, or nothing', () => {
    expect(configOf(changed({ chunksize: '', pull: {} }))).to.eql({ chunksize: '', pull: {} })
  })

  it('are shown without secrets', () => {
    const pull = SCHEMA.properties?.['pull'] ?? {}
    expect(shownText(pull, { 'live/a': { url: 'x', header: { Cookie: 'hush' } } })).to.equal(
      '{"live/a":{"url":"x","header":{"Cookie":"******"}}}',
    )
    expect(shownText({ anyOf: [RULE] }, { header: { Cookie: 'hush' } })).not.to.include('hush')
    expect(shownText({ type: 'string', writeOnly: true }, 'hush')).to.equal('******')
    expect(shownText({ oneOf: [{ const: 0, title: 'Never' }] }, 0)).to.equal('Never')
  })
})

describe('the groups of a section', () => {
  it('begin with the keys of the section itself, and end with those of global', () => {
    const shown = SECTION.groups.map(({ path, isInherited, leaves }) => [
      path,
      isInherited,
      leaves.map(({ path }) => path),
    ])
    expect(shown).to.eql([
      ['', false, ['chunksize', 'pull']],
      ['tcp', false, ['tcp.nodelay']],
      ['*', true, ['loglevel']],
      ['publish', true, ['publish.key', 'publish.speed']],
    ])
  })

  it('are searched by path, title and description, all words of which are to be found', () => {
    const found = (search: string) =>
      filtered(SECTION.groups, (leaf, group) => isFound(leaf, group, search)).flatMap(({ leaves }) =>
        leaves.map(({ path }) => path),
      )
    expect(found('CHUNK SIZE')).to.eql(['chunksize'])
    expect(found('of playback')).to.eql(['publish.speed'])
    expect(found('publish')).to.eql(['publish.key', 'publish.speed'])
    expect(found('chunk playback')).to.eql([])
  })

  it('have titles of another language where there are some', () => {
    const titles = { 'publish.speed': '速度', 'Chunk size': '块大小', url: '地址' }
    const { properties = {} } = withTitles(SCHEMA, titles)
    expect(properties['publish']?.properties?.['speed']?.title).to.equal('速度')
    expect(properties['chunksize']?.title).to.equal('块大小')
    expect(properties['pull']?.patternProperties?.['^.*$']?.properties?.['url']?.title).to.equal('地址')
    expect(properties['tcp']?.title).to.equal('TCP')
  })
})
