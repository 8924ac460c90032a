import { Agent } from 'node:http'
import { expect } from 'chai'
import { StreamDenied, StreamUnavailable } from 'sluice/sdk'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { addressesIn, ask, askRaw, watch } from '../../../test/support/hls-client.ts'
import { HlsRig } from '../fixtures/hls-rig.ts'

const UNKNOWN = `~${'A'.repeat(36)}`

describe('viewers of HLS', () => {
  let rig: HlsRig
  afterEach(async () => {
    await rig.stop()
    expect(rig.host.log.problems).to.eql([])
  })

  /** What the gates were asked, besides the subscriptions of presentations. */
  const asked = () => rig.host.streams.requests.filter(({ type, action }) => type === 'server' && action === 'play')

  it('pass the gates at each request, with the query and the path that they asked for', async () => {
    rig = await HlsRig.start()
    const { mediaUrl, media } = await rig.watch('/hls/live/a/index.m3u8?secret=abc&x=%2F')
    const [file = ''] = addressesIn(media, /\.m4s/u)
    await ask(file)
    expect(asked().map(({ streamPath, query }) => `${streamPath} ${query}`)).to.eql([
      'live/a secret=abc&x=%2F',
      'live/a secret=abc&x=%2F',
      'live/a secret=abc&x=%2F',
    ])
    expect(asked().map(({ url }) => url)).to.eql([rig.url('/hls/live/a/index.m3u8?secret=abc&x=%2F'), mediaUrl, file])
    // The first alone made a subscriber.
    expect(rig.viewers.map(({ request }) => request)).to.eql([asked()[0]])
  })

  it('that a gate denies get 401 for whatever they ask, and leave nothing behind', async () => {
    rig = await HlsRig.start()
    const { mediaUrl, media } = await rig.watch()
    const [file = ''] = addressesIn(media, /\.m4s/u)
    rig.host.streams.gate = ({ type }) => {
      if (type === 'server') throw new StreamDenied('no')
    }
    const urls = [rig.url('/hls/live/a/index.m3u8'), rig.url('/hls/live/a.m3u8'), mediaUrl, file]
    urls.push(rig.url(`/hls/live/a/${UNKNOWN}/video.m3u8`), file.replace(/-video-/u, '-nothing-'))
    const statuses = await Promise.all(urls.map(async (url) => (await ask(url)).status))
    expect(statuses).to.eql([401, 401, 401, 401, 401, 401])
    expect(rig.viewers).to.have.length(1)
    expect(rig.feeders).to.have.length(1)
  })

  it('with a session that is not known come in again, and go on under a new one', async () => {
    rig = await HlsRig.start()
    await rig.watch()
    const answer = await ask(rig.url(`/hls/live/a/${UNKNOWN}/video.m3u8?a=%20&_HLS_msn=5&_HLS_part=1`))
    expect(answer.status).to.equal(302)
    expect(answer.headers.get('location')).to.match(/^\.\.\/~[\w-]{36}\/video\.m3u8\?a=%20$/u)
    expect(answer.headers.get('cache-control')).to.equal('no-store')
    expect(rig.viewers).to.have.length(2)
    const next = new URL(answer.headers.get('location') ?? '', answer.url).href
    expect((await ask(next)).text).to.include('#EXTINF')
    // Many players ask for the old address again.
    expect((await ask(answer.url)).status).to.equal(200)
    expect(rig.viewers).to.have.length(2)
    rig.viewers[1]?.close('stopped by the operator')
    expect([(await ask(next)).status, (await ask(answer.url)).status]).to.eql([410, 410])
  })

  it('go on under one new session, whatever they ask for at the same time', async () => {
    rig = await HlsRig.start()
    await rig.watch()
    const url = rig.url(`/hls/live/a/${UNKNOWN}/video.m3u8`)
    const before = asked().length
    // The gates take their time, until all have come.
    rig.host.streams.gate = async () => void (await waitFor(() => asked().length === before + 3))
    const answers = await Promise.all([ask(url), ask(url), ask(`${url}?x=1`)])
    const locations = answers.map(({ headers }) => headers.get('location')?.split('/')[1])
    expect(locations[0]).to.match(/^~/u)
    expect(new Set(locations).size).to.equal(1)
    expect(rig.viewers).to.have.length(2)
    expect(asked()).to.have.length(before + 3)
  })

  it('can not use the session of another path', async () => {
    rig = await HlsRig.start()
    const { mediaUrl } = await rig.watch()
    await HlsRig.publish(rig.host, 'live/b')
    const other = mediaUrl.replace('/live/a/', '/live/nobody/')
    expect((await ask(other)).status).to.equal(404)
  })

  it('that an operator stops stay stopped', async () => {
    rig = await HlsRig.start()
    const { mediaUrl } = await rig.watch()
    rig.viewers[0]?.close('stopped by the operator')
    expect((await ask(mediaUrl)).status).to.equal(410)
    expect((await ask(mediaUrl)).status).to.equal(410)
    expect(rig.viewers).to.eql([])
  })

  it('that are stopped hear first what the gates say', async () => {
    rig = await HlsRig.start()
    const { mediaUrl, media } = await rig.watch()
    const [file = ''] = addressesIn(media, /\.m4s/u)
    const statuses = async () => [(await ask(mediaUrl)).status, (await ask(file)).status]
    const say = (answer: Error) => {
      rig.host.streams.gate = () => {
        throw answer
      }
    }
    rig.viewers[0]?.close('the server is stopping')
    say(new StreamUnavailable('the server is stopping'))
    expect(await statuses()).to.eql([503, 503])
    say(new StreamDenied('no'))
    expect(await statuses()).to.eql([401, 401])
    rig.host.streams.gate = () => {}
    expect(await statuses()).to.eql([410, 200])
  })

  it('that are stopped while they pass the gates get no more', async () => {
    rig = await HlsRig.start()
    const { mediaUrl } = await rig.watch()
    rig.host.streams.gate = () => rig.viewers[0]?.close('stopped by the operator')
    expect((await ask(mediaUrl)).status).to.equal(410)
  })

  it('that are refused leave, however often they ask', async () => {
    rig = await HlsRig.start({ fragment: '500ms' }, { gopFrames: 12 })
    const { mediaUrl } = await rig.watch()
    rig.host.streams.gate = ({ type }) => {
      if (type === 'server') throw new StreamDenied('no')
    }
    await waitFor(async () => {
      expect((await ask(mediaUrl)).status).to.equal(401)
      return rig.viewers.length === 0
    })
    rig.host.streams.gate = () => {}
    expect((await ask(mediaUrl)).status).to.equal(302)
  })

  it('whose time passes while they pass the gates go on under a new session', async () => {
    rig = await HlsRig.start({ fragment: '500ms' }, { gopFrames: 12 })
    const { mediaUrl } = await rig.watch()
    let ended = false
    rig.host.streams.gate = async () => {
      if (!ended) ended = await waitFor(() => rig.viewers.length === 0)
    }
    expect((await ask(mediaUrl)).status).to.equal(302)
    expect(rig.viewers).to.have.length(1)
  })

  it('leave when they ask no more, and the segments with them', async () => {
    rig = await HlsRig.start({ fragment: '500ms', idletimeout: '100ms' }, { gopFrames: 12 })
    const { media } = await rig.watch()
    await waitFor(() => rig.viewers.length === 0)
    await waitFor(() => rig.feeders.length === 0)
    expect((await ask(addressesIn(media, /\.m4s/u)[0] ?? '')).status).to.equal(404)
    const reasons = rig.host.log.records.filter(({ msg }) => msg === 'play ended').map(({ reason }) => reason)
    expect(reasons).to.eql(['no request for too long'])
  })

  it('stay while they ask for segments over the connection that their playlist came by', async () => {
    rig = await HlsRig.start({ fragment: '500ms' }, { gopFrames: 12 })
    const { mediaUrl, media } = await rig.watch()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const get = (url: string) => askRaw(rig.host.http.origin, new URL(url).pathname, {}, agent)
    expect((await get(mediaUrl)).status).to.equal(200)
    const startMs = performance.now()
    await waitFor(async () => {
      expect((await get(addressesIn(media, /\.m4s/u)[0] ?? '')).status).to.equal(200)
      return performance.now() - startMs > 3500
    })
    expect(rig.viewers).to.have.length(1)
    agent.destroy()
  })

  it('are accounted what they were sent: playlists, and files over a connection of theirs', async () => {
    rig = await HlsRig.start()
    const { mediaUrl, media } = await rig.watch()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sentBytes = () => rig.viewers[0]?.accounted.bytes ?? 0
    const [file = ''] = addressesIn(media, /\.m4s/u)
    for (const url of [mediaUrl, file]) {
      const before = sentBytes()
      const { body } = await askRaw(rig.host.http.origin, new URL(url).pathname, {}, agent)
      expect(body.length).to.be.above(0)
      expect(sentBytes() - before, url).to.equal(body.length)
    }
    agent.destroy()
  })

  it('that leave while they wait are forgotten', async () => {
    rig = await HlsRig.start()
    const leaving = new AbortController()
    const answer = ask(rig.url('/hls/live/a/index.m3u8'), { signal: leaving.signal }).catch(() => undefined)
    await waitFor(() => rig.feeders.some(({ attached }) => attached))
    expect(rig.viewers).to.have.length(1)
    leaving.abort()
    await answer
    await waitFor(() => rig.viewers.length === 0)
  })

  it('see the end of a stream whose publisher does not come back', async () => {
    rig = await HlsRig.start()
    const { mediaUrl } = await rig.watch()
    rig.publisher.close()
    const text = await waitFor(async () => {
      const answer = await ask(mediaUrl)
      return answer.text.includes('#EXT-X-ENDLIST') && answer
    })
    expect(text.status).to.equal(200)
    expect((await ask(addressesIn(text, /\.m4s/u)[0] ?? '')).status).to.equal(200)
    expect((await ask(rig.url('/hls/live/a/index.m3u8'))).status).to.equal(404)
  })

  it('find the segments made already where every stream has them', async () => {
    rig = await HlsRig.start({ mode: 'always', idletimeout: '0s' })
    await waitFor(() => rig.feeders.some(({ attached }) => attached))
    rig.write(75)
    expect((await watch(rig.url('/hls/live/a/index.m3u8'))).media.text).to.include('#EXTINF')
    expect(rig.feeders).to.have.length(1)
    rig.host.configure({ mode: 'ondemand', idletimeout: '0s' })
    rig.viewers[0]?.close()
    await waitFor(() => rig.feeders.length === 0)
  })

  it('of a plugin that was replaced hold it no longer than they need', async () => {
    rig = await HlsRig.start({ fragment: '500ms' }, { gopFrames: 12 })
    await rig.watch()
    rig.host.drain()
    await waitFor(() => rig.viewers.length + rig.feeders.length === 0)
  })

  it('are told by the config where caches may keep what they get', async () => {
    rig = await HlsRig.start({ enableauth: true })
    const { media } = await rig.watch()
    const file = await fetch(addressesIn(media, /\.m4s/u)[0] ?? '')
    await file.arrayBuffer()
    expect(file.headers.get('cache-control')).to.equal('private, max-age=14, immutable')
  })
})
