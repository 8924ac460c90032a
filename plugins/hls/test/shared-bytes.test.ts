import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { addressesIn, ask, withQuery } from '../../../test/support/hls-client.ts'
import { HlsRig } from '../fixtures/hls-rig.ts'
import { LiveRendition } from '../presentation/live-rendition.ts'

const VIEWERS = 100
/** What playlists are asked for with: two queries to carry on, each in full and as a delta update. */
const QUERIES = ['key=a', 'key=b', 'key=a&_HLS_skip=YES', 'key=b&_HLS_skip=YES']

type Build = LiveRendition['playlist']

/** Counts the playlists that renditions put together, until it is stopped. */
class BuildCount {
  full = 0
  delta = 0
  readonly #build: Build = Reflect.get(LiveRendition.prototype, 'playlist')

  constructor() {
    const build = this.#build
    const count = ({ skip }: Parameters<Build>[0]) => void (skip ? this.delta++ : this.full++)
    LiveRendition.prototype.playlist = function (options) {
      count(options)
      return build.call(this, options)
    }
  }

  stop(): void {
    LiveRendition.prototype.playlist = this.#build
  }
}

describe('many viewers of one low-latency playlist', () => {
  let rig: HlsRig
  let built: BuildCount
  let mediaUrls: string[]
  beforeEach(async () => {
    // Long segments: viewers that a busy machine is slow to serve stay for two of them.
    rig = await HlsRig.start({ fragment: '5s', window: 20 }, { gopFrames: 25 })
    await rig.watch(undefined, 150)
    rig.write(1500)
    mediaUrls = await Promise.all(
      Array.from({ length: VIEWERS }, async () => {
        const [mediaUrl = ''] = addressesIn(await ask(rig.url('/hls/live/a/index.m3u8')))
        return mediaUrl
      }),
    )
    built = new BuildCount()
  })
  afterEach(async () => {
    built.stop()
    await rig.stop()
    expect(rig.host.log.problems).to.eql([])
  })

  const queryOf = (viewer: number) => QUERIES[viewer % QUERIES.length] ?? ''
  const askAll = (directives: string) =>
    Promise.all(mediaUrls.map((url, viewer) => ask(withQuery(url, queryOf(viewer) + directives))))

  /** The different answers that viewers with the same query got. */
  const answersByQuery = (texts: readonly string[]) =>
    QUERIES.map((query) => new Set(texts.filter((_, viewer) => queryOf(viewer) === query)).size)

  it('have sessions of their own, and the same playlist', async () => {
    expect(new Set(mediaUrls).size).to.equal(VIEWERS)
    const texts = (await askAll('')).map(({ text }) => text)
    expect(answersByQuery(texts)).to.eql([1, 1, 1, 1])
    expect(new Set(texts).size).to.equal(QUERIES.length)
  })

  it('that poll cost one playlist each of the kinds there are, however often they ask', async () => {
    for (let round = 0; round < 3; round++) await askAll('')
    expect(built).to.include({ full: 1, delta: 1 })
  })

  it('that wait for a part cost no more when it is there', async () => {
    const [, msn, part] =
      /PRELOAD-HINT:TYPE=PART,URI="\.\.\/[^"]*-(\d+)\.(\d+)\.m4s/u.exec((await askAll(''))[0]!.text) ?? []
    const waiting = () => rig.host.streams.requests.filter(({ query }) => query.includes('_HLS_msn'))
    const answers = askAll(`&_HLS_msn=${msn}&_HLS_part=${part}`)
    await waitFor(() => waiting().length === VIEWERS)
    // The gates have answered a turn later.
    await new Promise((resolve) => setImmediate(resolve))
    Object.assign(built, { full: 0, delta: 0 })
    rig.write(6)
    const texts = (await answers).map(({ text }) => text)
    expect(texts[0]).to.include(`-video-${msn}.${part}.m4s`)
    expect(answersByQuery(texts)).to.eql([1, 1, 1, 1])
    expect(built).to.include({ full: 1, delta: 1 })
  })
})
