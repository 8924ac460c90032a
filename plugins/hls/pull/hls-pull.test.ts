import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { CloseReason, Publisher, PullEnd } from 'sluice/sdk'
import { LogRecords, pullRequest } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { AUDIO, FRAMES, listed, makeSegments, PICTURES, VIDEO } from './fixtures/made-segments.ts'
import { TrackLog } from './fixtures/source-rig.ts'
import { HlsPull } from './hls-pull.ts'

const HEAD = ['#EXTM3U', '#EXT-X-TARGETDURATION:1']
const END = '#EXT-X-ENDLIST'

describe('HlsPull', () => {
  let server: Server
  let files: Map<string, Buffer | string>
  let asked: string[]
  let published: TrackLog
  let closeReason: string | undefined
  let close: (text: string) => void
  let completed: number
  let speed: number
  let stop: AbortController

  beforeEach(async () => {
    files = new Map()
    asked = []
    published = new TrackLog()
    closeReason = undefined
    completed = 0
    speed = 1
    stop = new AbortController()
    server = createServer(({ url = '' }, response) => {
      asked.push(url)
      const file = files.get(url.slice(1))
      response.writeHead(file === undefined ? 404 : 200).end(file)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    stop.abort()
    server.closeAllConnections()
    server.close()
  })

  /** A source of so many segments of a second. */
  function add(prefix: string, made: Omit<Parameters<typeof makeSegments>[1], 'count' | 'format'>, count = 1): void {
    for (const [name, bytes] of makeSegments(prefix, { ...made, format: 'fmp4', count })) files.set(name, bytes)
    const lines = [...HEAD, `#EXT-X-MAP:URI="${prefix}init"`, ...listed(prefix, count), END]
    files.set(`${prefix}.m3u8`, lines.join('\n'))
  }

  function pull(name: string, loop = 0): Promise<PullEnd> {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`
    const request = pullRequest({ streamPath: 'live/a', url, loop, signal: stop.signal })
    const streams = { publish: async () => publisher() }
    return new HlsPull({ streams, log: new LogRecords('hls').logger, request }).run()
  }

  function publisher(): Publisher {
    const listeners: ((reason: CloseReason) => void)[] = []
    close = (text) => {
      closeReason ??= text
      for (const listener of listeners.splice(0)) listener({ code: 'stopped', text })
    }
    return Object.assign(published, {
      id: 1,
      streamPath: 'live/a',
      writtenBytes: 0,
      config: { speed } as Publisher['config'],
      setMetadata: () => undefined,
      tracksComplete: () => void completed++,
      whenTaken: () => undefined,
      details: () => undefined,
      discontinuity: () => undefined,
      alive: () => undefined,
      setPaused: () => undefined,
      setSpeed: () => undefined,
      onClose: (listener: (reason: CloseReason) => void) => void listeners.push(listener),
      close: (reason: CloseReason | string = '') => close(typeof reason === 'string' ? reason : reason.text),
    })
  }

  const errorOf = (promise: Promise<PullEnd>) => promise.then(JSON.stringify, String)

  it('publishes a source to its end', async () => {
    add('a', { video: VIDEO, audio: AUDIO })
    expect(await pull('a.m3u8')).to.eql({ by: 'source' })
    expect([published.count('video'), published.count('audio')]).to.eql([PICTURES, FRAMES])
    expect([completed, closeReason]).to.eql([1, 'the pull has ended'])
  })

  it('publishes a recording as fast as it comes where the speed is 0', async () => {
    speed = 0
    add('a', { video: VIDEO }, 60)
    expect(await pull('a.m3u8')).to.eql({ by: 'source' })
    expect(published.count('video')).to.equal(60 * PICTURES)
  })

  it('plays the sound that lies in a playlist of its own beside the pictures', async () => {
    add('v', { video: VIDEO })
    add('s', { audio: AUDIO })
    const media = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",NAME="s",DEFAULT=YES,URI="s.m3u8"'
    const variant = ['#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="g"', 'v.m3u8']
    files.set('all.m3u8', [...HEAD, media, ...variant].join('\n'))
    expect(await pull('all.m3u8')).to.eql({ by: 'source' })
    expect([published.count('video'), published.count('audio')]).to.eql([PICTURES, FRAMES])
    expect(published.events.length, 'turns of pictures and sound').to.be.greaterThan(PICTURES)
  })

  it('takes sound once that lies in the variant itself', async () => {
    add('v', { video: VIDEO, audio: AUDIO })
    const media = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",NAME="s",URI="v.m3u8"'
    files.set('all.m3u8', [...HEAD, media, '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="g"', 'v.m3u8'].join('\n'))
    await pull('all.m3u8')
    expect(asked.filter((url) => url === '/v.m3u8')).to.have.length(1)
    expect(published.count('audio')).to.equal(FRAMES)
  })

  it('repeats a source that has an end', async () => {
    add('a', { video: VIDEO })
    expect(await pull('a.m3u8', 1)).to.eql({ by: 'source' })
    expect(published.count('video')).to.equal(2 * PICTURES)
  })

  it('ends with its publisher, and says who ended that', async () => {
    add('a', { video: VIDEO }, 20)
    const end = pull('a.m3u8')
    await waitFor(() => published.count('video') > 0)
    close('stop by user')
    expect(await end).to.eql({ by: 'server', reason: { code: 'stopped', text: 'stop by user' } })
  })

  for (const seconds of [3, 20]) {
    it(`ends when it is to, and closes its publisher, of ${seconds} s`, async () => {
      add('a', { video: VIDEO }, seconds)
      const end = errorOf(pull('a.m3u8'))
      await waitFor(() => published.count('video') > 0)
      stop.abort()
      expect(await end).to.include('AbortError')
      expect(closeReason).to.equal('the pull has ended')
    })
  }

  it('ends when it is to, whatever its publisher says', async () => {
    add('a', { video: VIDEO }, 20)
    const end = errorOf(pull('a.m3u8'))
    await waitFor(() => published.count('video') > 0)
    stop.signal.addEventListener('abort', () => close('the session was ended'))
    stop.abort()
    expect(await end).to.include('AbortError')
  })

  it('fails by what its publisher throws, and nothing else does', async () => {
    add('a', { video: VIDEO }, 20)
    published.write = () => {
      throw new Error('the unit can not be written')
    }
    expect(await errorOf(pull('a.m3u8'))).to.include('the unit can not be written')
    expect(closeReason).to.equal('the pull has ended')
  })

  it('fails where nothing can be carried', async () => {
    add('a', { video: VIDEO })
    const init = makeSegments('x', { format: 'fmp4', video: VIDEO, count: 1 }).get('xinit')!
    files.set('ainit', Buffer.from(init.toString('latin1').replace('avc1', 'mp4v'), 'latin1'))
    expect(await errorOf(pull('a.m3u8'))).to.include('no track that can be carried (mp4v)')
  })

  it('fails where a variant leads to variants', async () => {
    files.set('all.m3u8', [...HEAD, '#EXT-X-STREAM-INF:BANDWIDTH=1', 'all.m3u8'].join('\n'))
    expect(await errorOf(pull('all.m3u8'))).to.include('a multivariant playlist itself')
  })

  it('fails where the source is not to be had, without publishing', async () => {
    expect(await errorOf(pull('none.m3u8'))).to.include('404')
    expect(completed).to.equal(0)
  })
})
