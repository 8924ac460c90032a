import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { NumberedPublisher } from '../../../test/robustness/support/numbered-publisher.ts'
import { CopiedPlugins } from '../../../test/support/copied-plugins.ts'
import { NumberedViewer } from '../../../test/support/numbered-viewer.ts'
import { startServer, type RunningServer } from '../../../test/support/server.ts'

const RELOADS = 20
const VIEWERS = 20
const FPS = 25
const CONFIG = `
global:
  streamalias: { '^tv/(.+)$': live/$1 }
  subscribe: { queuetime: 5m, queuesize: 1GB, stalltimeout: 0s }
`

async function publish({ rtmpPort }: RunningServer, name: string): Promise<NumberedPublisher> {
  return NumberedPublisher.start({ port: rtmpPort, name, fps: FPS, sizeBytes: 100 })
}

async function setAlias(server: RunningServer, alias: string, streamPath: string): Promise<void> {
  const body = JSON.stringify({ alias, streamPath })
  const headers = { 'content-type': 'application/json' }
  expect((await server.api('/api/stream/alias', { method: 'POST', headers, body })).status).to.equal(200)
}

const sourcesOf = (server: RunningServer, name: string) => [
  ...new Set(
    server.server.streams.subscribers().flatMap((viewer) => (viewer.streamPath === name ? viewer.sourcePath : [])),
  ),
]

describe('alias while streams run', () => {
  let plugins: CopiedPlugins
  let server: RunningServer

  beforeEach(async () => {
    plugins = await CopiedPlugins.of('alias', 'flv', 'rtmp')
    server = await startServer({ config: CONFIG, pluginFolders: [plugins.folder] })
  })
  afterEach(() => expect(server.problems).to.eql([]))

  const watch = (name: string) => new NumberedViewer(server.http(`/flv/${name}.flv`))
  const listed = async () =>
    ((await server.api('/api/stream/alias/list')).body.data as readonly { alias: string }[]).map(({ alias }) => alias)

  it(`reloaded ${RELOADS} times keeps all viewers where they are, and leads those who come`, async () => {
    await publish(server, 'first')
    await setAlias(server, 'show/main', 'live/first')
    const viewers = Array.from({ length: VIEWERS }, (_, index) => watch(index % 2 === 0 ? 'show/main' : 'tv/first'))
    await Promise.all(viewers.map((viewer) => viewer.goOn()))
    for (let count = 0; count < RELOADS; count++) {
      await plugins.reload(server, 'alias')
      expect(await listed()).to.have.members(['show/main', 'tv/first'])
      viewers.push(watch('show/main'))
    }
    await Promise.all(viewers.map((viewer) => viewer.goOn()))
    expect(viewers.flatMap(({ check }) => check.gaps)).to.eql([])
    expect(sourcesOf(server, 'show/main')).to.eql(['live/first'])

    await publish(server, 'second')
    await setAlias(server, 'show/main', 'live/second')
    await waitFor(() => sourcesOf(server, 'show/main').join() === 'live/second', { what: 'the other stream' })
    expect(viewers.filter(({ isGone }) => isGone)).to.eql([])
    await waitFor(() => server.records.filter(({ msg }) => /^generation \d+ has ended/u.test(msg)).length === RELOADS)
  })

  it('removed and put back keeps them, too, and leads them again', async () => {
    const first = await publish(server, 'first')
    await setAlias(server, 'show/main', 'live/first')
    const viewers = Array.from({ length: VIEWERS }, () => watch('show/main'))
    await Promise.all(viewers.map((viewer) => viewer.goOn()))
    await plugins.remove(server, 'alias')
    expect((await server.api('/api/stream/alias/list')).status).to.equal(404)
    const waiting = watch('show/main')
    await Promise.all(viewers.map((viewer) => viewer.goOn()))
    await plugins.putBack(server, 'alias')
    await waiting.goOn()
    await Promise.all(viewers.map((viewer) => viewer.goOn()))
    expect(viewers.flatMap(({ check }) => check.gaps)).to.eql([])

    await publish(server, 'second')
    await setAlias(server, 'show/main', 'live/second')
    await waitFor(() => sourcesOf(server, 'show/main').join() === 'live/second', { what: 'the other stream' })
    first.close()
    expect([...viewers, waiting].filter(({ isGone }) => isGone)).to.eql([])
  })
})
