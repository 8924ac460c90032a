import { expect } from 'chai'
import { AccessUnit } from 'sluice/sdk'
import { g711Config } from 'sluice/sdk/media'
import { SCRIPTED_AUDIO, sessionInit } from 'sluice/sdk/testing'
import { ask, withQuery } from '../../../test/support/hls-client.ts'
import { SwitchRig, type SwitchViewer } from '../fixtures/switch-rig.ts'

const SWITCHES = 24

describe('an HLS viewer that is switched to another stream', () => {
  let rig: SwitchRig
  beforeEach(async () => {
    expected = []
    rig = await SwitchRig.start()
    await rig.publish('live/a')
    await rig.publish('live/b', { gopFrames: 20 })
  })
  /** What is in the log that should not be, but for what a test has looked at. */
  let expected: string[]
  afterEach(async () => {
    const problems = rig.server.problems.map(({ msg }) => msg)
    await rig.server.stop()
    expect(problems.filter((msg) => !expected.includes(msg))).to.eql([])
    expect(problems).to.include.members(expected)
  })

  /** Loads the playlist, while all streams go on, until its newest segment is of another presentation. */
  async function comesTo(viewer: SwitchViewer, isIt: (presentation: string) => boolean): Promise<string> {
    await rig.until(async () => (await viewer.load()) && isIt(viewer.presentation))
    return viewer.presentation
  }
  const breaks = ({ segments }: SwitchViewer) => segments.filter(({ discontinuity }) => discontinuity).length
  const numberOf = (text: string, tag: string) => Number(new RegExp(`#${tag}:(\\d+)`, 'u').exec(text)?.[1])

  for (const format of ['llhls', 'fmp4', 'ts'] as const) {
    it(`goes on with the segments of that one, and back, in ${format}, while others stay`, async () => {
      const viewer = await rig.watch('live/a', format, '&key=%2F')
      const other = await rig.watch('live/a', format)
      const first = viewer.presentation
      expect(await rig.change(viewer.id, 'live/b')).to.eql({ status: 200, message: 'success' })
      const second = await comesTo(viewer, (presentation) => presentation !== first)
      expect(viewer.last.uri).to.match(/\?format=\w+&key=%2F$/u)
      await rig.until(
        async () => (await viewer.load()) && viewer.segments.every(({ uri = '' }) => !uri.includes(first)),
      )
      await other.load()
      expect([other.presentation, breaks(other)]).to.eql([first, 0])
      const own = await rig.watch('live/b', format)
      expect(own.presentation, 'shared with who watches that stream').to.equal(second)

      await rig.change(viewer.id, 'live/a')
      await comesTo(viewer, (presentation) => presentation === first)
      expect(breaks(viewer)).to.equal(1)
      expect(rig.fed()).to.eql(['live/a', 'live/b'])
    })

    it(`goes to and fro ${SWITCHES} times in ${format}, and stays near the live edge`, async () => {
      const viewer = await rig.watch('live/a', format)
      const own = { 'live/a': await rig.watch('live/a', format), 'live/b': await rig.watch('live/b', format) }
      const text = await viewer.load()
      const begin = {
        sequence: viewer.last.sequence,
        seconds: rig.seconds,
        breaks: numberOf(text, 'EXT-X-DISCONTINUITY-SEQUENCE'),
      }
      const listed = new Map<number, number>()
      for (let count = 1; count <= SWITCHES; count++) {
        const there = count % 2 === 0 ? 'live/a' : 'live/b'
        const { presentation } = own[there]
        await rig.change(viewer.id, there)
        await rig.until(async () => {
          await viewer.reload()
          for (const { sequence, durationSeconds } of viewer.segments) listed.set(sequence, durationSeconds)
          return viewer.presentation === presentation
        })
        if (count % 10 < 2) await viewer.load()
      }
      const since = [...listed].filter(([sequence]) => sequence > begin.sequence)
      const listedSeconds = since.reduce((sum, [, durationSeconds]) => sum + durationSeconds, 0)
      expect(listedSeconds).to.be.closeTo(rig.seconds - begin.seconds, 3)
      const breaksBefore = numberOf(await viewer.load(), 'EXT-X-DISCONTINUITY-SEQUENCE') - begin.breaks
      expect(breaksBefore + breaks(viewer), 'one discontinuity for each').to.equal(SWITCHES)
    })
  }

  it('can be switched many times before anything comes of it', async () => {
    const viewer = await rig.watch('live/a')
    await rig.publish('live/c')
    for (let count = 0; count < SWITCHES; count++) {
      await rig.change(viewer.id, `live/${'bca'[count % 3]}`)
      rig.write(1)
    }
    await viewer.load()
    await rig.change(viewer.id, 'live/c')
    const own = await rig.watch('live/c')
    await comesTo(viewer, (presentation) => presentation === own.presentation)
    expect(rig.fed()).to.include.members(['live/a', 'live/c'])
  })

  it('goes on with what it has when it is led from one that is about to come to one that is not ready', async () => {
    const viewer = await rig.watch('live/a')
    await rig.watch('live/b')
    const isAt = (path: string) =>
      rig.server.streams.subscribers().some(({ id, sourcePath }) => id === viewer.id && sourcePath === path)
    await rig.change(viewer.id, 'live/b')
    await rig.until(() => isAt('live/b'))
    await rig.publish('live/slow')
    await rig.change(viewer.id, 'live/slow')
    rig.write(1)
    expect(isAt('live/slow')).to.equal(true)
    rig.freeze('live/slow')
    await viewer.load()
    const { sequence } = viewer.last
    await rig.until(async () => (await viewer.load()) && viewer.last.sequence > sequence + 3)
  })

  it('has its open requests answered', async () => {
    const viewer = await rig.watch('live/a')
    const first = viewer.presentation
    const text = await viewer.load()
    const [, msn = '', part = ''] = /PRELOAD-HINT:TYPE=PART,URI="\.\.\/[^"]*-(\d+)\.(\d+)\.m4s/u.exec(text) ?? []
    const reload = (query: string) => ask(withQuery(viewer.mediaUrl, query))
    const answers = [`_HLS_msn=${msn}&_HLS_part=${part}`, `_HLS_msn=${msn}`, `_HLS_msn=${Number(msn) + 1}`].map(reload)
    await rig.change(viewer.id, 'live/b')
    let open = answers.length
    for (const answer of answers) void answer.finally(() => open--)
    await rig.until(() => open === 0)
    for (const { status } of await Promise.all(answers)) expect(status).to.equal(200)
    // A player goes on from answer to answer, each of which has what it asked for.
    let { lastMsn, parts } = await lastOf(viewer)
    for (let reloads = 0; reloads < 60; reloads++) {
      const coming = viewer.reload(`_HLS_msn=${lastMsn}&_HLS_part=${parts}&_HLS_skip=YES`)
      let came = false
      void coming.finally(() => (came = true))
      await rig.until(() => came)
      await coming
      const next = await lastOf(viewer)
      expect(next.lastMsn * 1000 + next.parts).to.be.greaterThan(lastMsn * 1000 + parts)
      ;({ lastMsn, parts } = next)
    }
    expect(viewer.presentation).not.to.equal(first)
  })

  it('stays at the other stream when its own ends, and is led back by the next switch', async () => {
    const viewer = await rig.watch('live/a', 'fmp4')
    const first = viewer.presentation
    await rig.change(viewer.id, 'live/b')
    const second = await comesTo(viewer, (presentation) => presentation !== first)
    rig.close('live/a')
    await rig.until(async () => (await viewer.load()) && !rig.fed().includes('live/a'))
    await rig.publish('live/a')
    await rig.change(viewer.id, 'live/a')
    await comesTo(viewer, (presentation) => presentation !== second)
    expect(viewer.presentation).not.to.equal(first)
  })

  it('goes there when its own stream stands still in the midst of a segment', async () => {
    const viewer = await rig.watch('live/a')
    const first = viewer.presentation
    await rig.until(async () => (await viewer.load()) && (viewer.open?.parts.length ?? 0) > 1)
    rig.freeze('live/a')
    await rig.watch('live/b')
    await rig.change(viewer.id, 'live/b')
    await rig.until(async () => (await viewer.load()) && viewer.presentation !== first)
    expect(viewer.segments.filter(({ gap }) => gap)).to.have.length(1)
  })

  it('goes there at once when its own stream ends before', async () => {
    const viewer = await rig.watch('live/a')
    const first = viewer.presentation
    await rig.change(viewer.id, 'live/b')
    rig.close('live/a')
    const text = await viewer.load()
    expect(text).not.to.include('ENDLIST')
    await comesTo(viewer, (presentation) => presentation !== first)
  })

  it('waits for the other stream to come back when that ends, and ends with it', async () => {
    const viewer = await rig.watch('live/a', 'fmp4')
    const first = viewer.presentation
    await rig.change(viewer.id, 'live/b')
    const second = await comesTo(viewer, (presentation) => presentation !== first)
    rig.close('live/b')
    const known = viewer.last.sequence
    await rig.publish('live/b')
    await rig.until(async () => (await viewer.load()) && viewer.last.sequence > known + 2)
    expect(viewer.presentation).to.equal(second)
    rig.close('live/b')
    await rig.until(async () => (await viewer.load()).includes('#EXT-X-ENDLIST'))
    expect(viewer.presentation).to.equal(second)
  })

  it('stays with what it has when its format can carry nothing of the other stream', async () => {
    const viewer = await rig.watch('live/a', 'ts')
    const first = viewer.presentation
    const phone = await rig.server.streams.publish(sessionInit('live/phone'))
    const track = phone.addTrack({ kind: 'audio', codec: 'pcma', timescale: 8000, config: g711Config('pcma', 8000, 1) })
    let ticks = 0
    const speak = () => phone.write(AccessUnit.fromData(track, (ticks += 160), ticks, true, Buffer.alloc(160)))
    speak()
    await rig.change(viewer.id, 'live/phone')
    await rig.until(() => {
      speak()
      return rig.server.problems.length >= 2
    })
    const { sequence } = viewer.last
    await rig.until(async () => (await viewer.load()) && viewer.last.sequence > sequence + 3)
    expect(viewer.presentation).to.equal(first)
    expected = ['tracks are left out', 'the stream cannot be played by HLS']
  })

  it('goes on when the plugin is replaced, and is switched in its former generation', async () => {
    const viewer = await rig.watch('live/a')
    const first = viewer.presentation
    await rig.server.replace()
    await rig.change(viewer.id, 'live/b')
    const second = await comesTo(viewer, (presentation) => presentation !== first)
    expect((await rig.watch('live/b')).presentation).not.to.equal(second)
    await rig.change(viewer.id, 'live/a')
    // The first one, unless that has ended, as nobody asked for it for a while.
    const third = await comesTo(viewer, (presentation) => presentation !== second)
    expect((await rig.watch('live/a')).presentation).not.to.equal(third)
  })

  it('is moved together with all others of its path at no cost, by their own presentation', async () => {
    const viewers = [await rig.watch('live/a'), await rig.watch('live/a')]
    const [first] = viewers.map(({ presentation }) => presentation)
    const moved = rig.server.streams.subscribers('live/a')
    expect(moved.map(({ type }) => type).toSorted()).to.eql(['server', 'server', 'transform'])
    for (let count = 1; count <= SWITCHES; count++) {
      const there = count % 2 === 0 ? 'live/a' : 'live/b'
      rig.server.streams.move(
        moved.map(({ id }) => id),
        there,
      )
      await rig.until(() => rig.fed().join() === there)
      if (count % 10 === 0) for (const viewer of viewers) await viewer.load()
    }
    const texts = await Promise.all(viewers.map(async (viewer) => await viewer.load()))
    expect(texts[1]).to.equal(texts[0])
    expect(viewers.map(({ presentation }) => presentation)).to.eql([first, first])
    expect(breaks(viewers[0]!)).to.be.greaterThan(0)
    expect(rig.fed()).to.eql(['live/a'])
  })

  it('is with the others again once they are moved to where it is', async () => {
    const [viewer, other] = [await rig.watch('live/a'), await rig.watch('live/a')]
    const shared = other.presentation
    await rig.change(viewer.id, 'live/b')
    await comesTo(viewer, (presentation) => presentation !== shared)
    const all = rig.server.streams.subscribers().filter(({ streamPath }) => streamPath === 'live/a')
    rig.server.streams.move(
      all.map(({ id }) => id),
      'live/b',
    )
    await comesTo(viewer, (presentation) => presentation === shared)
    await other.load()
    expect(nameOf(viewer.last.uri)).to.equal(nameOf(other.last.uri))
  })

  it('gets the stream of a path itself, though the viewers of that path get another', async () => {
    const [viewer, other] = [await rig.watch('live/a'), await rig.watch('live/b')]
    const first = viewer.presentation
    await rig.publish('live/c')
    const all = rig.server.streams.subscribers('live/b')
    rig.server.streams.move(
      all.map(({ id }) => id),
      'live/c',
    )
    await rig.until(() => rig.fed().includes('live/c'))
    await rig.change(viewer.id, 'live/b')
    await comesTo(viewer, (presentation) => presentation !== first)
    await other.load()
    expect(viewer.presentation).not.to.equal(other.presentation)
    expect(rig.fed()).to.eql(['live/a', 'live/b', 'live/c'])
  })

  it('lets go of what it does not watch any more', async () => {
    const viewer = await rig.watch('live/a')
    const first = viewer.presentation
    await rig.server.configure({ fragment: '500ms', subscribe: { waittimeout: '300ms' }, idletimeout: '0s' })
    await rig.change(viewer.id, 'live/b')
    await comesTo(viewer, (presentation) => presentation !== first)
    await rig.until(async () => (await viewer.load()) && rig.fed().join() === 'live/b')
  })

  it('keeps its renditions, whatever tracks the other stream has', async () => {
    const viewer = await rig.watch('live/a', 'fmp4')
    const first = viewer.presentation
    const publisher = await rig.publish('live/two')
    publisher.addTrack({ ...SCRIPTED_AUDIO, language: 'fr' })
    const own = await rig.watch('live/two', 'fmp4')
    await rig.change(viewer.id, 'live/two')
    const second = await comesTo(viewer, (presentation) => presentation !== first)
    expect(second).not.to.equal(own.presentation)
    expected = ['tracks are left out']
  })

  it('has a discontinuity at the same place in all of its renditions', async () => {
    for (const [streamPath, gopFrames] of [
      ['live/one', 25],
      ['live/two', 15],
    ] as const) {
      await rig.publish(streamPath, { gopFrames })
      rig.addSound(streamPath)
    }
    const video = await rig.watch('live/one')
    const all = [video, ...['audio', 'audio2'].map((name) => video.rendition(name))]
    const loadAll = async () => void (await Promise.all(all.map((each) => each.load())))
    await loadAll()
    const first = video.presentation
    for (const there of ['live/two', 'live/one']) {
      const before = video.presentation
      await rig.change(video.id, there)
      await comesTo(video, (presentation) => presentation !== before)
      await loadAll()
    }
    expect(video.presentation).to.equal(first)
    await rig.until(async () => {
      await loadAll()
      const places = all.map(({ segments }) => segments.flatMap((each) => (each.discontinuity ? [each.sequence] : [])))
      return places[0]!.length === 2 && places.every((place) => place.join() === places[0]!.join())
    })
  })

  it('can only be switched to what is published, and only viewers can', async () => {
    const viewer = await rig.watch('live/a')
    const feeder = rig.server.streams.subscribers('live/a').find(({ type }) => type === 'transform')
    expect((await rig.change(viewer.id, 'live/none')).status).to.equal(404)
    expect((await rig.change(4_000_000, 'live/b')).status).to.equal(404)
    expect(await rig.change(feeder?.id ?? -1, 'live/b')).to.eql({
      status: 400,
      message: 'only viewers can be switched',
    })
  })
})

const nameOf = (uri = '') => /[^/?]+(?=\?|$)/u.exec(uri)?.[0]

/** The number of the newest segment, and of its parts, as a player counts them. */
async function lastOf(viewer: SwitchViewer) {
  const open = viewer.open
  return open === undefined
    ? { lastMsn: viewer.last.sequence + 1, parts: 0 }
    : { lastMsn: open.sequence, parts: open.parts.length }
}
