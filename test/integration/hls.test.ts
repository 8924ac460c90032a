import path from 'node:path'
import { expect } from 'chai'
import { framemd5, makeTestFile, publish, publishFile } from '../peers/ffmpeg.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { addressesIn, ask, watch, withQuery, type HlsViewer } from '../support/hls-client.ts'
import type { MediaPlaylistKind } from '../support/hls/low-latency-rules.ts'
import { validateMediaPlaylist } from '../support/hls/media-rules.ts'
import { validateMultivariant } from '../support/hls/multivariant-rules.ts'
import { PlaylistHistory } from '../support/hls/playlist-history.ts'
import type { Violation } from '../support/hls/playlist-lines.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'

const SECONDS = 6
const CONFIG = 'hls: { fragment: 1s, idletimeout: 500ms }\n'

type Variant = { readonly path: string; readonly kind: MediaPlaylistKind }

const FORMATS: readonly Variant[] = [
  { path: '/index.m3u8', kind: { format: 'fmp4', lowLatency: true } },
  { path: '/index.m3u8?format=fmp4', kind: { format: 'fmp4' } },
  { path: '/index.m3u8?format=ts', kind: { format: 'ts' } },
]
const VARIANTS: readonly Variant[] = [...FORMATS, { path: '.m3u8?a=b', kind: { format: 'fmp4', lowLatency: true } }]

/** Plays to the end with ffmpeg, which is to complain of nothing; gives the hashes of what was decoded. */
async function play(url: string): Promise<string[]> {
  // By itself, one that is held up would begin at the third segment from the end.
  const input = ['-live_start_index', '0', '-i', url]
  const output = ['-fps_mode', 'passthrough', '-f', 'framemd5', '-']
  const player = new PeerProcess('ffmpeg', ['-v', 'error', '-nostdin', '-xerror', ...input, ...output])
  const frames = await player.succeed()
  expect(player.stderr, url).to.equal('')
  const lines = frames.toString().split('\n')
  return lines.flatMap((line) => (/^\d/u.test(line) ? [`${line[0]} ${line.split(',').at(-1)?.trim()}`] : [])).toSorted()
}

/** Loads a playlist as a player does until it ends; gives all that it breaks of the rules. */
async function follow({ media, mediaUrl }: HlsViewer, kind: MediaPlaylistKind): Promise<Violation[]> {
  const history = new PlaylistHistory()
  const violations: Violation[] = []
  let { text } = media
  for (;;) {
    violations.push(...validateMediaPlaylist(text, kind).filter(isFault), ...history.add(text))
    if (text.includes('#EXT-X-ENDLIST')) return violations
    const hint = /PRELOAD-HINT:[^\n]*-(\d+)\.(\d+)\.m4s/u.exec(text)
    const query = hint === null ? '' : `_HLS_msn=${hint[1]}&_HLS_part=${hint[2]}&_HLS_skip=YES`
    // A player of the plain kind loads it twice a segment or so.
    if (hint === null) await new Promise((resolve) => setTimeout(resolve, 400))
    const answer = await ask(query === '' ? mediaUrl : withQuery(mediaUrl, query))
    expect(answer.status).to.equal(200)
    text = answer.text
  }
}

/** While no publisher is there, nobody knows what comes next. */
function isFault({ rule, detail }: Violation): boolean {
  return rule !== 'hint' || detail !== 'missing'
}

describe('HLS of a running server', () => {
  let server: RunningServer
  let file: string
  let source: string[]

  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
    file = path.join(server.folder, 'source.flv')
    await makeTestFile({ url: file, durationSeconds: SECONDS, video: { bFrames: 2 } })
    source = (await framemd5(file)).map(({ stream, md5 }) => `${stream} ${md5}`).toSorted()
  })

  const viewers = (target: string) =>
    server.server.streams.subscribers(target).filter(({ request }) => request.type === 'server')
  const listed = async (target: string) => {
    const { data } = (await server.api('/api/subscribers')).body as {
      data: readonly { readonly type: string; readonly streamPath: string }[]
    }
    return data.filter(({ type, streamPath }) => type === 'server' && streamPath === target)
  }

  /** Publishes the file, and then ends viewers that wait for another publisher, as the server does after its time limit. */
  async function publishOnce(target: string): Promise<void> {
    const { streams } = server.server
    await publishFile(file, server.rtmp(target)).succeed()
    await waitFor(() => streams.get(target)?.publisher === undefined, { what: 'the publisher to be gone' })
    streams.get(target)?.flush()
    for (const subscriber of streams.subscribers(target)) subscriber.close({ code: 'timeout', text: 'timeout' })
  }

  const itBeside = sideBySide()

  itBeside('is in all its forms exactly the source, for viewers that were there before it', async () => {
    const target = 'live/all'
    const url = (variant: string) => server.http(`/hls/${target}${variant}`)
    const players = VARIANTS.map((variant) => play(url(variant.path)))
    const followers = VARIANTS.map(async ({ path: variant, kind }) => {
      const viewer = await watch(url(variant))
      return [...validateMultivariant(viewer.multivariant.text), ...(await follow(viewer, kind))]
    })
    await waitFor(() => viewers(target).length === 2 * VARIANTS.length)
    expect(await listed(target)).to.have.length(2 * VARIANTS.length)
    await publishOnce(target)
    for (const [index, frames] of (await Promise.all(players)).entries()) {
      const name = VARIANTS[index]?.path
      // The priming of its first frame apart, of which the containers tell more or less.
      const missing = source.filter((frame) => !frames.includes(frame))
      expect(
        frames.filter((frame) => frame.startsWith('0')),
        name,
      ).to.eql(source.filter((frame) => frame.startsWith('0')))
      expect(frames.length, name).to.equal(source.length)
      expect(missing.length, name).to.be.at.most(1)
    }
    expect(await Promise.all(followers)).to.eql(VARIANTS.map(() => []))
  })

  itBeside('is what its viewer asks for: no sound, no picture, keyframes', async () => {
    const target = 'live/selected'
    const selections = [
      { query: 'subaudio=false', pictures: 25 * SECONDS, sounds: 0 },
      { query: 'subvideo=false', pictures: 0, sounds: source.filter((frame) => frame.startsWith('1')).length },
      { query: 'iframeonly=true', pictures: SECONDS, sounds: source.filter((frame) => frame.startsWith('1')).length },
    ]
    const cases = selections.flatMap((selection) => FORMATS.map((variant) => ({ ...selection, ...variant })))
    const url = ({ query, path: variant }: (typeof cases)[number]) =>
      server.http(`/hls/${target}${variant}${variant.includes('?') ? '&' : '?'}${query}`)
    const followers = cases.map(async (wanted) => {
      const viewer = await watch(url(wanted))
      // Keyframes alone come too far apart for parts.
      const kind = wanted.pictures === SECONDS ? { format: wanted.kind.format } : wanted.kind
      return [...validateMultivariant(viewer.multivariant.text), ...(await follow(viewer, kind))]
    })
    const players = cases.map((wanted) => play(url(wanted)))
    await waitFor(() => viewers(target).length === 2 * cases.length)
    await publishOnce(target)
    const hashes = source.map((frame) => frame.slice(2))
    for (const [index, frames] of (await Promise.all(players)).entries()) {
      const { query, path: variant, pictures, sounds } = cases[index]!
      const known = frames.filter((frame) => hashes.includes(frame.slice(2)))
      // The priming of the first frame of sound apart.
      expect(frames.length - known.length, `${variant} ${query}`).to.be.at.most(sounds === 0 ? 0 : 1)
      expect(frames.length, `${variant} ${query}`).to.equal(pictures + sounds)
    }
    expect(await Promise.all(followers)).to.eql(cases.map(() => []))
  })

  itBeside('goes on for a viewer when the publisher comes back', async () => {
    const target = 'live/again'
    const before = publishFile(file, server.rtmp(target))
    const { media, mediaUrl } = await watch(server.http(`/hls/${target}/index.m3u8`))
    const until = (condition: (text: string) => boolean) =>
      waitFor(async () => {
        const { status, text } = await ask(mediaUrl)
        return (status !== 200 || condition(text)) && { status, text }
      })
    expect((await until(() => before.exited !== undefined)).status).to.equal(200)
    const startMs = performance.now()
    expect((await until(() => performance.now() - startMs > 3000)).status).to.equal(200)
    const after = publishFile(file, server.rtmp(target))
    const { status, text } = await until((playlist) => playlist.includes('#EXT-X-DISCONTINUITY\n'))
    expect(status).to.equal(200)
    expect(await listed(target)).to.have.length(1)
    const segments = (playlist: string) =>
      [...playlist.matchAll(/^\.\.\/.*-(\d+)\.m4s$/gmu)].map(([, msn]) => Number(msn))
    const [first = 0, ...others] = segments(text)
    expect(others).to.eql(others.map((_msn, index) => first + index + 1))
    expect(segments(media.text)[0]).to.be.at.most(first)
    await after.close()
  })

  itBeside('ends for a viewer whom an operator stops', async () => {
    const target = 'live/stopped'
    const publisher = publishFile(file, server.rtmp(target))
    const { mediaUrl } = await watch(server.http(`/hls/${target}/index.m3u8`))
    const [{ id } = {}] = viewers(target)
    expect((await server.api(`/api/subscribe/stop/${id}`, { method: 'POST' })).status).to.equal(200)
    expect((await ask(mediaUrl)).status).to.equal(410)
    await publisher.close()
  })

  itBeside('says to pages of other origins that they may play it', async () => {
    const target = 'live/cors'
    const publisher = publishFile(file, server.rtmp(target))
    const { mediaUrl, media } = await watch(server.http(`/hls/${target}/index.m3u8`))
    const [segment = ''] = addressesIn(media, /\.m4s/u)
    for (const url of [mediaUrl, segment]) {
      const headers = { origin: 'https://page.example' }
      const response = await fetch(url, { headers })
      await response.arrayBuffer()
      expect(response.headers.get('access-control-allow-origin')).to.equal('https://page.example')
      expect(response.headers.get('vary')).to.include('Origin')
    }
    await publisher.close()
  })

  it('leaves nothing behind', async () => {
    await waitFor(() => server.server.streams.subscribers().length === 0)
    expect(server.server.streams.pathCount).to.equal(0)
    const ended = server.records.filter(
      ({ plugin, msg, stream }) => plugin === 'hls' && msg === 'play ended' && stream === 'live/all',
    )
    expect(ended).to.have.length(2 * VARIANTS.length)
    for (const record of ended) expect(record['reason']).to.match(/no request for too long|the stream is over|timeout/u)
  })

  it('goes on for its viewers when the plugin is replaced, and for new ones by numbers that go on', async () => {
    const target = 'live/renewed'
    const publisher = publish({ url: server.rtmp(target), durationSeconds: 30 })
    const url = server.http(`/hls/${target}/index.m3u8?a=b`)
    const before = await watch(url)
    await server.writeConfig(CONFIG.replace('fragment: 1s', 'fragment: 1s, window: 9'))
    await waitFor(() => server.records.some(({ plugin, generation }) => plugin === 'hls' && generation === 2))
    await server.writeConfig(CONFIG.replace('fragment: 1s', 'fragment: 1s, window: 10'))
    // Nobody watched it. The viewers of the first go on behind the third.
    await waitFor(() => server.records.some(({ msg }) => msg.startsWith('generation 2 has ended')))
    const listed = addressesIn(before.media, /\.(?:m4s|mp4)/u)
    for (const file of listed) expect((await ask(file)).status, file).to.equal(200)
    const number = (tag: string, text: string) => Number(new RegExp(`#EXT-X-${tag}:(\\d+)`, 'u').exec(text)?.[1])
    const first = number('MEDIA-SEQUENCE', before.media.text)
    await waitFor(async () => {
      const { status, text } = await ask(before.mediaUrl)
      expect(status).to.equal(200)
      return number('MEDIA-SEQUENCE', text) > first
    })
    const { media, mediaUrl } = await watch(url)
    expect(number('MEDIA-SEQUENCE', media.text)).to.be.greaterThan(first)
    const discontinuity = number('DISCONTINUITY-SEQUENCE', before.media.text)
    expect(number('DISCONTINUITY-SEQUENCE', media.text)).to.equal(discontinuity + 1)
    const own = () => server.server.streams.subscribers(target).map(({ request }) => request.type)
    expect(own().toSorted()).to.eql(['server', 'server', 'transform', 'transform'])
    await waitFor(async () => {
      await ask(mediaUrl)
      return own().length === 2
    })
    await publisher.close()
  })

  after(() => expect(server?.problems).to.eql([]))
})
