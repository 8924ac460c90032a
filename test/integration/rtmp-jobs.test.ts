import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { publishScripted, SOURCE_PATH, startRtmpServer } from '../support/rtmp/client-jobs.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { refusal, ScriptedRtmpServer } from '../support/rtmp/scripted-server.ts'
import { TcpRelay } from '../support/tcp-relay.ts'

const VIEWERS = 50
const KILLS = 20
const WARM_UP_KILLS = 2
/** Sockets and timers that come and go anyway; less than one for each time that a server is killed. */
const IN_PASSING = 10
const USER = 'someone:pa55word@'
const QUERY = '?key=s3cret'
const SECRETS = /someone|pa55word|s3cret/u

function post(server: RunningServer, path: string, body: string) {
  return server.api(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

/** How many sockets, timers and the like this process has. */
function resources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

describe('pulls and pushes by RTMP', () => {
  it('come by rules: at start, for the first viewer, once for all, and while a stream is published', async () => {
    const origin = await startRtmpServer()
    await publishScripted(origin)
    const target = await ScriptedRtmpServer.start()
    const host = `${USER}127.0.0.1:${origin.port()}`
    const server = await startServer({
      config: `
rtmp:
  pull:
    live/fixed: rtmp://${host}/${SOURCE_PATH}${QUERY}
  onsub:
    pull:
      ^demand/(.+)$: {url: 'rtmp://${host}/live/$1${QUERY}', maxretry: -1, retryinterval: 20ms}
  onpub:
    push:
      ^demand/(.+)$: {url: '${target.url(USER, `live/$1${QUERY}`)}', maxretry: -1, retryinterval: 20ms}
`,
    })
    const { streams } = server.server
    await waitFor(() => streams.get('live/fixed') !== undefined)
    const players = await Promise.all(
      Array.from({ length: VIEWERS }, () => RtmpClient.play({ url: server.rtmp('demand/source') })),
    )
    await Promise.all(players.map(({ received }) => received.wait(3)))
    expect(origin.streams.subscribers(SOURCE_PATH)).to.have.length(2)
    await waitFor(() => target.names.includes('publish'))
    const pushed = target.commands.find(({ name }) => name === 'publish')
    expect(pushed?.args[0]).to.equal(`source${QUERY}`)
    expect(JSON.stringify(server.records)).not.to.match(SECRETS)
    const progress = await server.api('/api/stream/progress/demand/source')
    expect(JSON.stringify(progress.body)).to.include('handshake').and.not.to.match(SECRETS)
  })

  it('are asked for: the body of a push is its address, or has it', async () => {
    const target = await ScriptedRtmpServer.start()
    const refusing = await ScriptedRtmpServer.start({
      script(command, { connection }) {
        connection.send(refusal(command, 's3cret'))
        return 'done'
      },
    })
    const server = await startServer()
    const source = await NumberedPublisher.start({ port: server.rtmpPort, name: 'a', fps: 25, sizeBytes: 100 })
    const url = target.url(USER, `live/1${QUERY}`)
    const cases: readonly (readonly [path: string, body: unknown, status: number, message: string | RegExp])[] = [
      ['live/a', url, 200, 'success'],
      ['live/a', url, 409, 'push remote url exist'],
      ['live/a', { remoteURL: target.url(USER, 'live/2') }, 200, 'success'],
      ['live/a', { remote_url: target.url(USER, 'live/3') }, 200, 'success'],
      ['live/none', target.url(), 404, 'not found'],
      ['live/a', refusing.url(USER), 502, 'the server refused: NetConnection.Connect.Rejected'],
      ['live/a', `rtmp://${USER}127.0.0.1/live`, 502, /^not an address of RTMP/u],
      ['live/a', 'nonsense', 400, 'the address of the target is none'],
      ['live/a', { other: 1 }, 400, 'remoteURL is missing'],
      ['live/a', [], 400, /./u],
      ['live/a', undefined, 400, /./u],
    ]
    for (const [path, body, status, message] of cases) {
      const answer = await post(server, `/rtmp/api/push/${path}`, body === undefined ? '' : JSON.stringify(body))
      const said = answer.body.message
      expect([answer.status, typeof message === 'string' ? said : message.test(said) || said]).to.eql([
        status,
        typeof message === 'string' ? message : true,
      ])
      expect(JSON.stringify(answer.body)).not.to.match(SECRETS)
    }
    expect(target.commands.filter(({ name }) => name === 'publish').map(({ args }) => args[0])).to.eql([
      `1${QUERY}`,
      '2',
      '3',
    ])
    expect(JSON.stringify(server.records)).not.to.match(SECRETS)
    source.close()
  })

  it('come back each time that the other server is killed, and nothing is left over', async () => {
    const origin = await startRtmpServer()
    await publishScripted(origin)
    const target = await startRtmpServer()
    const [toOrigin, toTarget] = [await TcpRelay.start(origin.port()), await TcpRelay.start(target.port())]
    const server = await startServer({
      config: `
rtmp:
  pull:
    live/in: {url: 'rtmp://127.0.0.1:${toOrigin.port}/${SOURCE_PATH}', maxretry: -1, retryinterval: 20ms}
  onpub:
    push:
      ^live/out$: {url: 'rtmp://127.0.0.1:${toTarget.port}/live/target', maxretry: -1, retryinterval: 20ms}
`,
    })
    const { streams } = server.server
    await NumberedPublisher.start({ port: server.rtmpPort, name: 'out', fps: 25, sizeBytes: 1000 })
    const isUp = () =>
      streams.get('live/in')?.tracks.length === 2 &&
      target.streams.get('live/target')?.tracks.length === 1 &&
      [origin.streams.subscribers(SOURCE_PATH), streams.subscribers('live/out')].every(({ length }) => length === 1)
    await waitFor(isUp, { what: 'both to be up' })
    const killBoth = async () => {
      const before = [toOrigin.connections, toTarget.connections]
      toOrigin.kill()
      toTarget.kill()
      const isBack = () =>
        [toOrigin, toTarget].every(({ connections }, index) => connections > before[index]!) && isUp()
      await waitFor(isBack, { what: 'both to be back' })
    }
    for (let kill = 0; kill < WARM_UP_KILLS; kill++) await killBoth()
    const before = resources()
    for (let kill = 0; kill < KILLS; kill++) await killBoth()
    await waitFor(() => toOrigin.size === 1 && toTarget.size === 1)
    for (const [kind, count] of resources()) {
      expect(count, kind).to.be.at.most((before.get(kind) ?? 0) + IN_PASSING)
    }
    expect(streams.list().map(({ path }) => path)).to.have.members(['live/in', 'live/out'])
    expect(streams.subscribers()).to.have.length(1)
  })
})
