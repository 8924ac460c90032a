import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { Outsider } from '../support/outsider.ts'

type Node = {
  readonly title?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly 'x-inherited'?: boolean
  readonly 'x-apply'?: string
}

describe('the schema of a plugin that a form is made of', () => {
  const start = () => Outsider.start('signboard', {})
  const schemaOf = async ({ server }: Outsider, section: string): Promise<Node> =>
    (await server.api(`/config/schema/${section}`)).body.data as Node

  it('has titles and values', async () => {
    const { properties } = await schemaOf(await start(), 'signboard')
    expect(properties).to.have.nested.property('text.title', 'What the board says')
    expect(properties?.['letters']).to.deep.include({
      title: 'Letters',
      type: 'string',
      oneOf: [
        { const: 'as-is', title: 'As they are written' },
        { const: 'upper', title: 'upper' },
      ],
    })
    expect(properties).to.have.nested.property('frame.properties.linewidth.title', 'Linewidth')
    for (const { path, node } of leavesOf({ properties: properties ?? {} })) {
      expect(node.title, path).to.be.a('string').and.not.equal('')
    }
  })

  it('tells what is inherited', async () => {
    const outsider = await start()
    const { properties = {} } = await schemaOf(outsider, 'signboard')
    const inherited = Object.keys(properties).filter((name) => properties[name]?.['x-inherited'] === true)
    expect(inherited).to.include.members(['publish', 'subscribe', 'http', 'loglevel', 'hook'])
    expect(inherited).not.to.include.members(['text']).and.not.include.members(['frame', 'enable'])
    expect(JSON.stringify(await schemaOf(outsider, 'global'))).not.to.include('x-inherited')
  })

  it('tells before a change how it takes effect', async () => {
    const outsider = await start()
    const { server } = outsider
    const before = leavesOf(await schemaOf(outsider, 'signboard'))
    const applyOf = (wanted: string) => before.find(({ path }) => path === wanted)?.node['x-apply']
    for (const [path, change] of [
      ['text', { text: 'bye' }],
      ['letters', { letters: 'upper' }],
      ['frame.linewidth', { frame: { linewidth: 2 } }],
      ['subscribe.maxcount', { subscribe: { maxcount: 7 } }],
      ['subscribe.waittimeout', { subscribe: { waittimeout: '3s' } }],
      ['hook.publish_start', { hook: { publish_start: { url: 'http://127.0.0.1:1/' } } }],
    ] as const) {
      const { generation } = outsider.view
      const headers = { 'content-type': 'application/json' }
      const { status, body } = await server.api('/config/signboard', {
        method: 'PUT',
        headers,
        body: JSON.stringify(change),
      })
      expect([status, (body.data as { changed: unknown }).changed], path).to.eql([200, [path]])
      if (applyOf(path) === 'live') expect(outsider.view.generation, path).to.equal(generation)
      else await waitFor(() => outsider.view.generation > generation, { what: `a reload by ${path}` })
    }
    expect(await (await fetch(server.http('/signboard/'))).text()).to.equal('BYE')
  })

  it('tells which keys of the server hold from its next start', async () => {
    const leaves = leavesOf(await schemaOf(await start(), 'global'))
    const having = (apply: string) => leaves.filter(({ node }) => node['x-apply'] === apply).map(({ path }) => path)
    const atStart = having('restart')
    expect(atStart.filter((path) => !path.startsWith('storage.'))).to.have.members([
      'plugins_dir',
      'datadir',
      'db.dsn',
      'db.dbtype',
      'pullproxy',
      'pushproxy',
    ])
    expect(atStart).to.include.members(['storage.local.path', 'storage.local.overwritepercent', 'storage.s3.bucket'])
    expect(having('reload')).to.include.members(['publish.kickexist', 'loglevel'])
    expect(having('live')).to.include.members(['draintimeout', 'hook.publish_start', 'armed'])
    expect(leaves.every(({ node }) => node['x-apply'] !== undefined)).to.equal(true)
  })
})

/** The keys that have values of their own. */
function leavesOf({ properties = {} }: Node, prefix = ''): { readonly path: string; readonly node: Node }[] {
  return Object.entries(properties).flatMap(([name, node]) =>
    node['x-apply'] === undefined && node.properties !== undefined
      ? leavesOf(node, `${prefix}${name}.`)
      : [{ path: prefix + name, node }],
  )
}
