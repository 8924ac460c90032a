import { once } from 'node:events'
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { addressesIn } from '../support/hls-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const TARGET = 'live/h2'

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: Buffer }

async function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  const parts: Buffer[] = []
  stream.on('data', (part: Buffer) => parts.push(part))
  const ended = once(stream, 'end')
  const [headers] = (await once(stream, 'response')) as [Readonly<Record<string, unknown>>]
  await ended
  return { status: Number(headers[':status']), headers, body: Buffer.concat(parts) }
}

describe('low-latency HLS over HTTP/2', () => {
  let server: RunningServer
  let client: ClientHttp2Session
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({
      env: { SLUICE_GLOBAL_HTTP_LISTENADDRTLS: '127.0.0.1:0' },
      config: 'hls: { fragment: 1s }',
    })
    publish({ url: server.rtmp(TARGET), durationSeconds: 30 })
    await waitFor(() => server.server.streams.get(TARGET))
    client = connect(`https://127.0.0.1:${server.httpsPort}`, { rejectUnauthorized: false })
    keep({ close: () => client.destroy() })
  })

  const get = (path: string) => answerOf(client.request({ ':path': path, 'accept-encoding': 'identity' }))

  it('is all one connection: playlists, a reload that waits, the part it waits for', async () => {
    const origin = `https://127.0.0.1:${server.httpsPort}`
    const multivariant = await get(`/hls/${TARGET}/index.m3u8`)
    expect(multivariant.status).to.equal(200)
    const base = { url: `${origin}/hls/${TARGET}/index.m3u8`, text: multivariant.body.toString() }
    const mediaUrl = new URL(addressesIn(base)[0] ?? '')
    const text = (await get(mediaUrl.pathname)).body.toString()
    const [, hint = '', msn, part] = /PRELOAD-HINT:TYPE=PART,URI="([^"]*-(\d+)\.(\d+)\.m4s)"/u.exec(text) ?? []
    const [reload, hinted] = await Promise.all([
      get(`${mediaUrl.pathname}?_HLS_msn=${msn}&_HLS_part=${part}`),
      get(new URL(hint, mediaUrl).pathname),
    ])
    expect(reload.status).to.equal(200)
    expect(reload.body.toString()).to.include(hint)
    expect(reload.headers).to.include({ 'content-type': 'application/vnd.apple.mpegurl', 'cache-control': 'no-cache' })
    expect(hinted.status).to.equal(200)
    expect(Number(hinted.headers['content-length'])).to.equal(hinted.body.length)

    // One that gives up while it waits harms nobody.
    const leaving = client.request({ ':path': `${mediaUrl.pathname}?_HLS_msn=${Number(msn) + 1}` })
    leaving.on('error', () => {})
    leaving.close()
    const head = client.request({ ':path': mediaUrl.pathname, ':method': 'HEAD' })
    expect((await answerOf(head)).body.length).to.equal(0)
    expect((await get(`${mediaUrl.pathname}?_HLS_msn=${Number(msn) + 1}`)).status).to.equal(200)
    const viewers = server.server.streams.subscribers(TARGET).filter(({ request }) => request.type === 'server')
    expect(viewers).to.have.length(1)
  })

  after(() => expect(server?.problems).to.eql([]))
})
