import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { addressesIn, ask, askRaw, withQuery, type HlsAnswer } from '../../../test/support/hls-client.ts'
import { readMediaPlaylist } from '../../../test/support/hls/listed-media.ts'
import { HlsRig } from '../fixtures/hls-rig.ts'

describe('reloads of a low-latency playlist', () => {
  let rig: HlsRig
  let mediaUrl: string
  let media: HlsAnswer
  beforeEach(async () => {
    rig = await HlsRig.start({ fragment: '500ms', window: 20 }, { gopFrames: 25 })
    ;({ mediaUrl, media } = await rig.watch())
  })
  afterEach(async () => {
    await rig.stop()
    expect(rig.host.log.problems).to.eql([])
  })

  const numberOf = ({ text }: HlsAnswer, tag: string) => Number(new RegExp(`#${tag}:(\\d+)`, 'u').exec(text)?.[1])
  /** The segment that comes next, and its part. */
  function next({ text }: HlsAnswer): { readonly msn: number; readonly part: number } {
    const [, msn, part] = /PRELOAD-HINT:TYPE=PART,URI="\.\.\/[^"]*-(\d+)\.(\d+)\.m4s/u.exec(text) ?? []
    return { msn: Number(msn), part: Number(part) }
  }
  /** Asks, and tells later whether there was an answer. */
  function asking(query: string, headers: Record<string, string> = {}) {
    const state = { answered: false }
    const answer = ask(withQuery(mediaUrl, query), { headers }).finally(() => (state.answered = true))
    return { state, answer }
  }
  const waitingCount = async (count: number) => {
    const requests = () => rig.host.streams.requests.filter(({ query }) => query.includes('_HLS_msn'))
    await waitFor(() => requests().length >= count)
    // The gates have answered a turn later.
    await new Promise((resolve) => setImmediate(resolve))
  }

  it('wait for a part, and get the playlist that has it', async () => {
    const { msn, part } = next(media)
    const { state, answer } = asking(`_HLS_msn=${msn}&_HLS_part=${part}`)
    await waitingCount(1)
    rig.write(1)
    expect(state.answered).to.equal(false)
    rig.write(10)
    const { status, text } = await answer
    expect(status).to.equal(200)
    expect(text).to.include(`-video-${msn}.${part}.m4s`)
    expect(next({ ...media, text })).not.to.eql({ msn, part })
  })

  it('wait for a whole segment', async () => {
    const { msn } = next(media)
    const { state, answer } = asking(`_HLS_msn=${msn}`)
    await waitingCount(1)
    rig.write(10)
    await new Promise((resolve) => setImmediate(resolve))
    expect(state.answered).to.equal(false)
    rig.write(25)
    expect((await answer).text).to.include(`-video-${msn}.m4s`)
  })

  it('do not wait for what is there, or was', async () => {
    const { msn } = next(media)
    for (const query of [
      `_HLS_msn=${msn - 1}`,
      `_HLS_msn=${msn - 1}&_HLS_part=0`,
      '_HLS_msn=1',
      '_HLS_msn=1&_HLS_part=3',
    ]) {
      expect((await ask(withQuery(mediaUrl, query))).status, query).to.equal(200)
    }
  })

  it('take a part past the last of its segment for the first of the next', async () => {
    const { msn, part } = next(media)
    const { answer } = asking(`_HLS_msn=${msn - 1}&_HLS_part=99`)
    await waitingCount(1)
    rig.write(10)
    expect((await answer).text).to.include(`-video-${msn}.${part}.m4s`)
  })

  it('are refused when they ask for what is far ahead', async () => {
    const { msn } = next(media)
    expect((await ask(withQuery(mediaUrl, `_HLS_msn=${msn + 2}`))).status).to.equal(400)
    expect((await ask(withQuery(mediaUrl, '_HLS_msn=999999999999999'))).status).to.equal(400)
    expect((await ask(withQuery(mediaUrl, '_HLS_msn=a'))).status).to.equal(400)
  })

  it('are given up when nothing comes for three target durations', async () => {
    const { msn, part } = next(media)
    const { status, headers } = await ask(withQuery(mediaUrl, `_HLS_msn=${msn}&_HLS_part=${part}`))
    expect(status).to.equal(503)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(rig.viewers).to.have.length(1)
  })

  it('are all answered at once, with the same text', async () => {
    const { msn, part } = next(media)
    const query = `_HLS_msn=${msn}&_HLS_part=${part}`
    const viewers = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { text, url } = await ask(rig.url('/hls/live/a/index.m3u8'))
        return addressesIn({ text, url })[0] ?? ''
      }),
    )
    const answers = viewers.map((url) => ask(withQuery(url, query)))
    await waitingCount(30)
    rig.write(6)
    const texts = (await Promise.all(answers)).map(({ text }) => text)
    expect([...new Set(texts)]).to.have.length(1)
    expect(texts[0]).to.include(`-video-${msn}.${part}.m4s`)
  })

  it('of one session are bounded', async () => {
    const { msn } = next(media)
    const answers = Array.from({ length: 12 }, () => ask(withQuery(mediaUrl, `_HLS_msn=${msn}`)))
    await waitingCount(12)
    rig.write(50)
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).to.have.length(2)
    expect(statuses.filter((status) => status === 200)).to.have.length(10)
    expect((await ask(withQuery(mediaUrl, `_HLS_msn=${msn}`))).status).to.equal(200)
  })

  it('can be for the differences alone', async () => {
    const full = await ask(mediaUrl)
    expect((await ask(withQuery(mediaUrl, '_HLS_skip=YES'))).text).to.equal(full.text)
    rig.write(500)
    const delta = await waitFor(async () => {
      const answer = await ask(withQuery(mediaUrl, '_HLS_skip=YES'))
      return answer.text.includes('#EXT-X-SKIP') && answer
    })
    const whole = await ask(mediaUrl)
    const [all, some] = [readMediaPlaylist(whole.text), readMediaPlaylist(delta.text)]
    expect(numberOf(delta, 'EXT-X-MEDIA-SEQUENCE')).to.equal(numberOf(whole, 'EXT-X-MEDIA-SEQUENCE'))
    const skipped = Number(/SKIPPED-SEGMENTS=(\d+)/u.exec(delta.text)?.[1])
    expect(skipped).to.be.greaterThan(0)
    expect(all.segments.slice(skipped).map(({ uri }) => uri)).to.eql(some.segments.map(({ uri }) => uri))
    expect((await ask(withQuery(mediaUrl, '_HLS_skip=NO'))).status).to.equal(400)
  })

  it('go on over a hinted part, which waits until it is made', async () => {
    const { origin } = rig.host.http
    const hint = new URL(/PRELOAD-HINT:TYPE=PART,URI="([^"]+)"/u.exec(media.text)?.[1] ?? '', mediaUrl)
    const answer = askRaw(origin, hint.pathname)
    await waitFor(() => rig.host.streams.requests.some(({ url }) => url === hint.href))
    rig.write(10)
    const part = await answer
    expect(part.status).to.equal(200)
    expect(part.body.toString('latin1', 4, 8)).to.equal('moof')
    expect((await askRaw(origin, hint.pathname)).body).to.eql(part.body)
    const beyond = hint.pathname.replace(/\.\d+\.m4s$/u, '.98.m4s')
    expect((await askRaw(origin, beyond)).status).to.equal(404)
  })

  it('end with the stream', async () => {
    const { msn } = next(media)
    const { answer } = asking(`_HLS_msn=${msn + 1}`)
    await waitingCount(1)
    rig.publisher.close()
    const { status, text } = await answer
    expect(status).to.equal(200)
    expect(text).to.match(/#EXT-X-ENDLIST\n$/u)
  })

  it('end with the plugin, but do not say that the stream has ended', async () => {
    const { msn } = next(media)
    const { answer } = asking(`_HLS_msn=${msn + 1}`)
    await waitingCount(1)
    await rig.stop()
    expect((await answer).status).to.equal(503)
  })
})
