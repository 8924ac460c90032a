import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { NumberedPublisher } from '../../../test/robustness/support/numbered-publisher.ts'
import { CopiedPlugins } from '../../../test/support/copied-plugins.ts'
import { NumberedViewer } from '../../../test/support/numbered-viewer.ts'
import { startServer, type RunningServer } from '../../../test/support/server.ts'

const RELOADS = 20
const SUBSCRIBE = { queuetime: '5m', queuesize: '1GB', stalltimeout: '0s' }
const SOURCE = 'live/source'

/** Two servers: one has a stream, the other pulls it by a rule, for viewers and for an operator, and pushes it back. */
describe('relay while pulls and pushes go on', () => {
  let plugins: CopiedPlugins
  let origin: RunningServer
  let edge: RunningServer
  let viewers: readonly NumberedViewer[]

  beforeEach(async () => {
    const others = await CopiedPlugins.of('rtmp', 'flv')
    origin = await startServer({
      config: JSON.stringify({ global: { subscribe: SUBSCRIBE } }),
      pluginFolders: [others.folder],
    })
    await NumberedPublisher.start({ port: origin.rtmpPort, name: 'source', fps: 25, sizeBytes: 100 })
    plugins = await CopiedPlugins.of('relay', 'rtmp', 'flv')
    edge = await startServer({ config: configOf({}), pluginFolders: [plugins.folder] })
    expect((await ask('asked')).status).to.equal(200)
    viewers = [
      edge.http('/flv/fixed.flv'),
      edge.http('/flv/demand/a.flv'),
      edge.http('/flv/asked.flv'),
      origin.http('/flv/back/fixed.flv'),
    ].map((url) => new NumberedViewer(url))
    await Promise.all(viewers.map((viewer) => viewer.goOn()))
  })
  afterEach(() => expect([...origin.problems, ...edge.problems].filter(({ msg }) => !/failed/u.test(msg))).to.eql([]))

  /** The rules of the server that pulls, with further ones. JSON is YAML. */
  function configOf(more: Readonly<Record<string, string>>): string {
    const source = origin.rtmp(SOURCE)
    const rtmp = {
      pull: { fixed: source, ...more },
      onsub: { pull: { '^demand/': source } },
      onpub: { push: { '^fixed$': origin.rtmp('back/$0') } },
    }
    return JSON.stringify({ global: { subscribe: SUBSCRIBE }, rtmp })
  }

  function ask(streamPath: string) {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ remoteURL: origin.rtmp(SOURCE), streamPath })
    return edge.api('/api/stream/pull', { method: 'POST', headers, body })
  }

  /** The sessions of the other server: its viewers of the source, and the publisher of what is pushed back. */
  const sessions = () => [
    ...origin.server.streams.subscribers(SOURCE).map(({ id }) => id),
    origin.server.streams.get('back/fixed')?.publisher?.id,
  ]
  const isLive = (path: string) => edge.server.streams.get(path) !== undefined

  it(`reloaded ${RELOADS} times leaves them alone, and has rules that change and operators' requests heard`, async () => {
    const before = sessions()
    expect(before).to.have.length(4)
    for (let count = 0; count < RELOADS; count++) {
      const answers = [ask(`at/${count}`), plugins.reload(edge, 'relay'), ask('asked')] as const
      expect((await answers[0]).status).to.equal(200)
      expect((await answers[2]).status).to.equal(409)
      await answers[1]
      await edge.api(`/api/stream/stop/at/${count}`, { method: 'POST' })
    }
    await edge.writeConfig(configOf({ other: origin.rtmp(SOURCE) }))
    await waitFor(() => isLive('other'), { what: 'the pull of a new rule' })
    await edge.writeConfig(configOf({}))
    await waitFor(() => !isLive('other'), { what: 'its end' })
    await Promise.all(viewers.map((viewer) => viewer.goOn()))
    expect(viewers.map(({ check, isGone }) => [check.gaps, isGone])).to.eql(viewers.map(() => [[], false]))
    await waitFor(() => sessions().length === 4, { what: 'the end of the others' })
    expect(sessions()).to.eql(before)
  })

  it('removed ends them, and put back begins those of rules', async () => {
    await plugins.remove(edge, 'relay')
    await waitFor(() => sessions().join('') === '', { what: 'their end' })
    expect(['fixed', 'demand/a', 'asked'].filter(isLive)).to.eql([])
    expect((await ask('asked')).status).to.equal(404)
    await plugins.putBack(edge, 'relay')
    await waitFor(() => origin.server.streams.get('back/fixed') !== undefined, { what: 'what is pushed back' })
    const viewer = new NumberedViewer(edge.http('/flv/demand/a.flv'))
    await viewer.goOn()
    expect([isLive('fixed'), isLive('demand/a'), isLive('asked')]).to.eql([true, true, false])
  })
})
