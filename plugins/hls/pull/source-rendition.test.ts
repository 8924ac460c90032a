import { expect } from 'chai'
import { h264Config } from 'sluice/sdk/media'
import {
  AUDIO,
  ERROR_PAGE,
  FRAMES,
  listed,
  makeSegments,
  OTHER_VIDEO,
  PICTURES,
  VIDEO,
} from './fixtures/made-segments.ts'
import { SourceRig } from './fixtures/source-rig.ts'
import { SourceError } from './source-error.ts'

const END = '#EXT-X-ENDLIST'
const INIT = '#EXT-X-MAP:URI="ainit"'
const FMP4 = { format: 'fmp4', video: VIDEO, count: 10 } as const
const TS = { format: 'ts', video: VIDEO, count: 10 } as const
/** A box within a segment that is none; the demuxer is of no use after it. */
const BROKEN_BOX = Buffer.from([0, 0, 0, 8, ...Buffer.from('free'), 0x7f, 0, 0, 0, ...Buffer.from('mdat')])

describe('a rendition of a source', () => {
  const leftOut = ({ log }: SourceRig) => log.records.filter(({ msg }) => msg.includes('left out'))

  it('is played to its end, and again as often as it is to be repeated', async () => {
    const rig = new SourceRig([INIT, ...listed('a', 3), END]).add(makeSegments('a', { ...FMP4, count: 3 }))
    expect(await rig.play(rig.rendition({ loop: 1 }))).to.equal(undefined)
    expect(rig.sink.count('video')).to.equal(6 * PICTURES)
    expect(rig.sink.events[0]).to.equal('add video 90000')
    expect(rig.sink.events.filter((event) => /^(?:add|remove)/u.test(event))).to.have.length(1)
    expect(rig.clock.now()).to.be.within(5900, 6100)
  })

  const broken: readonly (readonly [what: string, bytes: Buffer])[] = [
    ['an error page with status 200', ERROR_PAGE],
    ['nothing', Buffer.alloc(0)],
    ['what begins as a segment', BROKEN_BOX],
  ]
  for (const [what, bytes] of broken) {
    it(`goes on with its tracks after a segment that is ${what}`, async () => {
      const rig = new SourceRig([INIT, ...listed('a', 10), END]).add(makeSegments('a', FMP4))
      rig.files.set('a2', bytes)
      expect(await rig.play(rig.rendition())).to.equal(undefined)
      expect(rig.sink.events).to.eql(['add video 90000', `${9 * PICTURES} video 90000`])
      expect(leftOut(rig)).to.have.length(1)
    })
  }

  it('goes on after an error page among segments of MPEG-TS', async () => {
    const rig = new SourceRig([...listed('a', 10), END]).add(makeSegments('a', { ...TS, audio: AUDIO }))
    rig.files.set('a2', ERROR_PAGE)
    expect(await rig.play(rig.rendition())).to.equal(undefined)
    expect(rig.sink.count('video')).to.equal(9 * PICTURES)
    expect(rig.sink.events.filter((event) => event.startsWith('add'))).to.have.length(2)
    expect(leftOut(rig)).to.have.length(1)
  })

  it('asks again for what was an error page, an init segment too', async () => {
    const rig = new SourceRig([INIT, ...listed('a', 3), END]).add(makeSegments('a', { ...FMP4, count: 3 }))
    for (const name of ['ainit', 'a1']) rig.files.set(name, [ERROR_PAGE, rig.files.get(name) as Buffer])
    expect(await rig.play(rig.rendition())).to.equal(undefined)
    expect(rig.sink.count('video')).to.equal(3 * PICTURES)
    expect(rig.asked.filter((name) => name === 'ainit')).to.have.length(2)
    expect(leftOut(rig)).to.eql([])
  })

  it('begins with the first segment that can be read', async () => {
    const rig = new SourceRig([INIT, ...listed('a', 4), END]).add(makeSegments('a', { ...FMP4, count: 4 }))
    rig.files.delete('a0')
    rig.files.set('a1', BROKEN_BOX)
    const rendition = rig.rendition()
    const begun = rendition.open().then(() => rendition.begin(rig.sink))
    await rig.until(() => rig.sink.events.length > 0)
    await begun
    expect(rendition.trackCount).to.equal(1)
    await Promise.all([rendition.run(), rig.until(() => rig.sink.count('video') === 2 * PICTURES)])
  })

  it('says why it has no first segment', async () => {
    const rig = new SourceRig([...listed('a', 2), END])
    expect(String(await rig.play(rig.rendition()))).to.include('there is no a1')
    const empty = new SourceRig([END])
    expect(String(await empty.play(empty.rendition()))).to.include('no segments')
  })

  const failures: readonly (readonly [what: string, spoil: (rig: SourceRig, name: string) => void])[] = [
    ['can not be had', (rig, name) => void rig.files.delete(name)],
    ['can not be read', (rig, name) => void rig.files.set(name, BROKEN_BOX)],
  ]
  for (const [what, spoil] of failures) {
    it(`fails at six segments in a row that ${what}, and not at five`, async () => {
      const create = (lost: readonly number[]) => {
        const rig = new SourceRig([INIT, ...listed('a', 20), END]).add(makeSegments('a', { ...FMP4, count: 20 }))
        for (const index of lost) spoil(rig, `a${index}`)
        return rig
      }
      const five = create([2, 3, 4, 5, 6, 8, 9, 10, 11, 12])
      expect(await five.play(five.rendition())).to.equal(undefined)
      expect(five.sink.count('video')).to.equal(10 * PICTURES)
      const six = create([2, 3, 4, 5, 6, 7])
      expect(await six.play(six.rendition())).to.be.instanceOf(Error)
      expect(six.sink.count('video')).to.be.at.most(2 * PICTURES)
    })
  }

  describe('with an advertisement', () => {
    const BREAK = '#EXT-X-DISCONTINUITY'

    it('announces its track when it begins, in place of the one before', async () => {
      const lines = [INIT, ...listed('a', 6), BREAK, '#EXT-X-MAP:URI="binit"', ...listed('b', 6), END]
      const rig = new SourceRig(lines)
      rig.add(makeSegments('a', FMP4), makeSegments('b', { ...FMP4, video: OTHER_VIDEO }))
      expect(await rig.play(rig.rendition())).to.equal(undefined)
      expect(rig.sink.events).to.eql([
        'add video 90000',
        `${6 * PICTURES} video 90000`,
        'remove video 90000',
        'add video 12800',
        `${6 * PICTURES} video 12800`,
      ])
    })

    it('goes on with the track where that is the same, whatever the container', async () => {
      const rig = new SourceRig([INIT, ...listed('a', 3), BREAK, '#EXT-X-MAP:URI=""', ...listed('b', 3), END])
      rig.add(makeSegments('a', FMP4), makeSegments('b', { ...TS, fromSeconds: 500 }))
      expect(await rig.play(rig.rendition())).to.equal(undefined)
      expect(rig.sink.events).to.eql(['add video 90000', `${6 * PICTURES} video 90000`])
    })

    it('in another container is taken up when it begins', async () => {
      const lines = [...listed('a', 3), BREAK, '#EXT-X-MAP:URI="binit"', ...listed('b', 3), BREAK]
      const rig = new SourceRig([...lines, '#EXT-X-MAP:URI=""', ...listed('c', 3), END])
      rig.add(makeSegments('a', TS), makeSegments('b', { ...FMP4, video: OTHER_VIDEO }), makeSegments('c', TS))
      expect(await rig.play(rig.rendition())).to.equal(undefined)
      expect(rig.sink.events).to.eql([
        'add video 90000',
        `${3 * PICTURES} video 90000`,
        'remove video 90000',
        'add video 12800',
        `${3 * PICTURES} video 12800`,
        'remove video 12800',
        'add video 90000',
        `${3 * PICTURES} video 90000`,
      ])
    })

    it('is fetched while what is before it is played', async () => {
      const rig = new SourceRig([INIT, ...listed('a', 3), BREAK, '#EXT-X-MAP:URI="binit"', ...listed('b', 6), END])
      rig.add(makeSegments('a', FMP4), makeSegments('b', { ...FMP4, video: OTHER_VIDEO }))
      void rig.start(rig.rendition())
      await rig.until(() => rig.sink.count('video') > 2 * PICTURES)
      expect(rig.asked).to.include.members(['binit', 'b0', 'b1', 'b2'])
      expect(rig.asked).not.to.include('b4')
    })
  })

  it('configures each track before its own next unit', async () => {
    const config = { ...AUDIO.config, record: Buffer.from('1208', 'hex'), codecString: 'mp4a.40.2' }
    const other = { ...AUDIO, config } as typeof AUDIO
    // Of another level.
    const record = Buffer.from(VIDEO.config.record)
    record[3] = 31
    const video = { ...VIDEO, config: h264Config(record) } as typeof VIDEO
    const rig = new SourceRig([INIT, ...listed('a', 1), '#EXT-X-MAP:URI="binit"', ...listed('b', 1), END])
    rig.add(makeSegments('a', { ...FMP4, audio: AUDIO, count: 1 }))
    rig.add(makeSegments('b', { ...FMP4, video, audio: other, count: 1, fromSeconds: 1 }))
    expect(await rig.play(rig.rendition())).to.equal(undefined)
    const { events } = rig.sink
    const changes = events.flatMap((event, index) => (event.startsWith('configure') ? [index] : []))
    expect(changes.map((index) => `${events[index]?.split(' ')[1]} ${events[index + 1]}`)).to.eql([
      'video 1 video 90000',
      'audio 1 audio 44100',
    ])
  })

  it('ends tracks that a segment does not have any more, at its start or within it', async () => {
    const both = makeSegments('a', { ...TS, audio: AUDIO, count: 3 })
    const silent = makeSegments('b', { ...TS, count: 1, fromSeconds: 3 })
    for (const [index, files] of [
      [3, new Map([...both, ...silent])],
      [2, new Map([...both, ['a2', Buffer.concat([both.get('a2')!, silent.get('b0')!])]])],
    ] as const) {
      const rig = new SourceRig([...listed('a', 3), ...(index === 3 ? listed('b', 1) : []), END]).add(files)
      expect(await rig.play(rig.rendition())).to.equal(undefined)
      const { events } = rig.sink
      expect(events.at(-2), `segment ${index}`).to.equal('remove audio 90000')
      expect([rig.sink.count('video'), rig.sink.count('audio')]).to.eql([4 * PICTURES, 3 * FRAMES])
    }
  })

  it('holds a target duration ready where that is longer', async () => {
    const rig = new SourceRig(['#EXT-X-TARGETDURATION:9', INIT, ...listed('a', 30), END])
    rig.add(makeSegments('a', { ...FMP4, count: 30 }))
    void rig.start(rig.rendition())
    await rig.until(() => rig.sink.count('video') > PICTURES)
    expect(rig.asked.filter((name) => name !== 'ainit')).to.have.length.within(10, 11)
  })

  it('holds four seconds ready, and no more', async () => {
    const rig = new SourceRig([INIT, ...listed('a', 30), END]).add(makeSegments('a', { ...FMP4, count: 30 }))
    void rig.start(rig.rendition())
    await rig.until(() => rig.sink.count('video') > PICTURES)
    expect(rig.asked.filter((name) => name !== 'ainit')).to.have.length.within(5, 6)
  })

  it('that is live and lags is played faster, by the one that leads', async () => {
    const live = (count: number) => [INIT, '#EXT-X-MEDIA-SEQUENCE:0', ...listed('a', count)]
    const lastsMs = async (name: string, second: readonly string[]) => {
      const rig = new SourceRig(live(3), second).add(makeSegments('a', { ...FMP4, count: 20 }))
      void rig.start(rig.rendition({ name }))
      return rig.until(() => rig.sink.count('video') === 20 * PICTURES)
    }
    expect(await lastsMs('main', live(20))).to.be.within(18_000, 19_000)
    expect(await lastsMs('main', [...live(20), END])).to.be.within(19_500, 20_500)
    expect(await lastsMs('audio', live(20))).to.be.within(19_500, 20_500)
  })

  it('ends with an error that no other segment can mend', async () => {
    const rig = new SourceRig([...listed('a', 1), '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="k"', ...listed('b', 9), END])
    rig.add(makeSegments('a', TS), makeSegments('b', TS))
    const error = await rig.play(rig.rendition())
    expect(error).to.be.instanceOf(SourceError)
    expect(rig.asked).to.eql(['a0'])
  })
})
