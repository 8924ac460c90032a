import { expect } from 'chai'
import fc from 'fast-check'
import type { AccessUnit } from 'sluice/sdk'
import { parseRemb, parseTransportWideFeedback, type VideoCodec } from 'sluice/sdk/media'
import { rounds } from '../../../../test/support/soak.ts'
import { IngestRig, audioMedia, videoMedia } from '../../fixtures/ingest-rig.ts'
import type { LinkTraits } from '../../fixtures/lossy-link.ts'
import { samplePicture } from '../../fixtures/sample-video.ts'
import { RecordingSink } from '../../fixtures/recording-sink.ts'
import { ScriptedSource } from '../../fixtures/scripted-source.ts'
import { Ingest } from './ingest.ts'

const FRAME_MS = 40
const FRAME_TICKS = FRAME_MS * 90
const NTP_MS = 1_700_000_000_000

const CODECS: readonly [encodingName: string, codec: VideoCodec][] = [
  ['H264', 'h264'],
  ['H265', 'h265'],
  ['VP8', 'vp8'],
  ['VP9', 'vp9'],
  ['AV1', 'av1'],
]

const hexOf = ({ data }: AccessUnit): string => data.toString('hex')

/** Pictures of a second are some 75 packets; a keyframe comes where it is asked for. */
function pictures(rig: IngestRig, source: ScriptedSource, count: number, codec: VideoCodec = 'vp8'): string[] {
  const sent: string[] = []
  rig.repeat(count, FRAME_MS, (index) => {
    // Nothing shows that the last packets of all were lost.
    if (index === count - 1) rig.link.traits = { ...rig.link.traits, loss: 0 }
    const isKeyframe = source.isKeyframeWanted
    const unit = samplePicture(codec, index, isKeyframe, isKeyframe ? 12_000 : 2500)
    sent.push(hexOf(unit))
    source.write(unit, index * FRAME_TICKS)
  })
  return sent
}

/** What came, and how many of what was sent did not; whatever came was sent, in this order. */
function missingOf(sent: readonly string[], units: readonly AccessUnit[]): number {
  let at = 0
  for (const unit of units) {
    const index = sent.indexOf(hexOf(unit), at)
    expect(index, 'a unit that was not sent, or not in this order').to.be.at.least(at)
    at = index + 1
  }
  return sent.length - units.length
}

describe('Ingest of WebRTC', () => {
  for (const [encodingName, codec] of CODECS) {
    it(`takes ${encodingName}, every picture of it, over wraps`, () => {
      const media = videoMedia(encodingName)
      const rig = new IngestRig({ medias: [media] })
      const wraps = { sequenceNumber: 65_500, timestamp: 2 ** 32 - 50_000 }
      const source = rig.source({ media, ssrc: 5, ...wraps })
      const sent = pictures(rig, source, 100, codec)
      // The last picture of a codec whose pictures end by time waits for the next one.
      expect(missingOf(sent, rig.sink.units)).to.equal(0)
      expect(rig.sink.tracks.map((track) => [track.codec, track.layer])).to.eql([[codec, undefined]])
      const times = rig.sink.units.map(({ pts }) => pts - rig.sink.units[0]!.pts)
      expect(times).to.eql(times.map((_, index) => index * FRAME_TICKS))
      expect(rig.ingest.counts).to.include({ lostPackets: 0, brokenPackets: 0, unknownPackets: 0, requestedPackets: 0 })
      expect(rig.ingest.isComplete).to.equal(true)
    })
  }

  const WAYS: readonly [name: string, link: LinkTraits, backLink: LinkTraits, maxMissing: number][] = [
    ['2 % loss', { loss: 0.02, delayMs: 25 }, { loss: 0.02, delayMs: 25 }, 0],
    ['10 % loss', { loss: 0.1, delayMs: 25 }, { loss: 0.1, delayMs: 25 }, 0],
    ['30 % loss', { loss: 0.3, delayMs: 15 }, { loss: 0.3, delayMs: 15 }, 40],
    ['bursts of 20 packets', { loss: 0.05, burst: 20, delayMs: 25 }, { delayMs: 25 }, 0],
    ['disorder', { delayMs: 10, jitterMs: 40 }, { delayMs: 25 }, 10],
    ['repeated packets', { duplicates: 0.3, delayMs: 10, jitterMs: 20 }, { delayMs: 25 }, 10],
    ['10 % loss on a long way', { loss: 0.1, delayMs: 100, jitterMs: 10 }, { delayMs: 100 }, 60],
  ]

  for (const [name, link, backLink, maxMissing] of WAYS) {
    for (const rtxSsrc of [6, undefined]) {
      it(`mends ${name}${rtxSsrc === undefined ? ' without a stream for what is sent again' : ''}`, () => {
        const media = videoMedia('VP8')
        const rig = new IngestRig({ medias: [media], link, backLink })
        const source = rig.source({ media, ssrc: 5, ...(rtxSsrc !== undefined && { rtxSsrc }) })
        const sent = pictures(rig, source, 500)
        const missing = missingOf(sent, rig.sink.units)
        expect(missing).to.be.at.most(maxMissing)
        if (missing > 0) expect(source.keyframeRequests).to.be.above(0)
        if (link.loss !== undefined) expect(rig.ingest.counts.recoveredPackets).to.be.above(20)
        expect(rig.sink.units.at(-1) && hexOf(rig.sink.units.at(-1)!)).to.equal(sent.at(-1))
      })
    }
  }

  for (const [delayMs, packetsPerKeyframe, packetsPerPicture] of [
    [20, 250, 28],
    [75, 60, 60],
  ] as const) {
    it(`takes no packet that is sent again for another source: ${packetsPerKeyframe} a keyframe, ${delayMs} ms each way`, () => {
      for (const rtxSsrc of [undefined, 6]) {
        const media = videoMedia('VP8')
        const rig = new IngestRig({ medias: [media], link: { delayMs }, backLink: { delayMs } })
        const source = rig.source({ media, ssrc: 5, ...(rtxSsrc !== undefined && { rtxSsrc }) })
        rig.repeat(90, 33, (index) => {
          const isKeyframe = index % 45 === 0
          const packets = isKeyframe ? packetsPerKeyframe : packetsPerPicture
          const unit = samplePicture('vp8', index, isKeyframe, packets * 950)
          for (const [place, { parts, marker }] of source.packetsOf(unit).entries()) {
            rig.link.traits = { delayMs, loss: index === 45 && (place === 20 || place === 21) ? 1 : 0 }
            source.sendPayload(Buffer.concat(parts), index * 33 * 90, marker)
          }
          rig.link.traits = { delayMs }
        })
        expect(rig.sink.units).to.have.length(90)
        expect(rig.sink.lostUnits).to.equal(0)
        expect(source.nackedPackets).to.be.within(2, 8)
        expect(rig.ingest.counts).to.include({ requestedKeyframes: 0, recoveredPackets: 2 })
      }
    })
  }

  it('asks for a lost packet at once, and not again within the round trip', () => {
    const media = videoMedia('VP8')
    const rig = new IngestRig({ medias: [media] })
    const source = rig.source({ media, ssrc: 5, rtxSsrc: 6 })
    pictures(rig, source, 2)
    rig.link.traits = { loss: 1 }
    source.sendPayload(Buffer.from([0x10, 1, 1, 1]), 2 * FRAME_TICKS, true)
    rig.link.traits = {}
    source.sendPayload(Buffer.from([0x10, 1, 1, 2]), 3 * FRAME_TICKS, true)
    expect(rig.saidOf('genericNack')).to.have.length(1)
    expect(rig.sink.units).to.have.length(4)
    rig.clock.advance(1000)
    expect(rig.saidOf('genericNack')).to.have.length(1)
    expect(rig.ingest.counts).to.include({ recoveredPackets: 1, requestedPackets: 1, lostPackets: 1 })
  })

  it('asks for a keyframe where packets stay away, again until one comes, and goes on with it', () => {
    const media = videoMedia('VP8')
    const rig = new IngestRig({ medias: [media], backLink: { loss: 1 } })
    const source = rig.source({ media, ssrc: 5, rtxSsrc: 6 })
    pictures(rig, source, 2)
    rig.link.traits = { loss: 1 }
    source.write(samplePicture('vp8', 2, false, 10), 2 * FRAME_TICKS)
    rig.link.traits = {}
    const write = (index: number, isKeyframe: boolean) =>
      source.write(samplePicture('vp8', index, isKeyframe, 10), index * FRAME_TICKS)
    rig.repeat(100, FRAME_MS, (index) => write(3 + index, false))
    expect(rig.sink.units).to.have.length(2)
    expect(rig.ingest.counts.requestedKeyframes).to.be.within(5, 13)
    write(103, true)
    expect(rig.sink.units).to.have.length(3)
    const { requestedKeyframes } = rig.ingest.counts
    rig.clock.advance(5000)
    expect(rig.ingest.counts.requestedKeyframes).to.equal(requestedKeyframes)
  })

  it('asks for no packets where that was not agreed, and by FIR where that alone was', () => {
    const [agreed] = videoMedia('VP8').formats
    const media = videoMedia('VP8', { formats: [{ ...agreed!, feedback: new Set(['ccm fir']) }] })
    const rig = new IngestRig({ medias: [media], link: { loss: 0.05 } })
    const source = rig.source({ media, ssrc: 5 })
    pictures(rig, source, 200)
    expect(rig.saidOf('genericNack')).to.eql([])
    expect(rig.saidOf('pictureLossIndication')).to.eql([])
    const requests = rig.saidOf('fullIntraRequest').flatMap((request) => request.requests)
    expect(requests.length).to.be.above(1)
    expect(new Set(requests.map(({ sequenceNumber }) => sequenceNumber)).size).to.equal(requests.length)
    expect(source.keyframeRequests).to.equal(requests.length)
  })

  it('has a keyframe sent where the last one is old, or somebody needs one, as often as the source may be asked', () => {
    const media = videoMedia('VP8')
    const rig = new IngestRig({ medias: [media], pliIntervalMs: 2000 })
    const source = rig.source({ media, ssrc: 5 })
    pictures(rig, source, 250)
    expect(source.keyframeRequests).to.be.within(4, 6)
    const before = source.keyframeRequests
    for (let count = 0; count < 50; count += 1) {
      rig.ingest.requestKeyframe(rig.sink.tracks[0]!.id)
      rig.clock.advance(20)
    }
    expect(source.keyframeRequests - before).to.be.within(1, 3)
    rig.ingest.requestKeyframe(99)
  })

  it('asks for the keyframe that it has missed', () => {
    const media = videoMedia('H264')
    const rig = new IngestRig({ medias: [media] })
    const source = rig.source({ media, ssrc: 5 })
    source.isKeyframeWanted = false
    pictures(rig, source, 50, 'h264')
    expect(source.keyframeRequests).to.equal(1)
    expect(rig.sink.units[0]!.keyframe).to.equal(true)
  })

  it('takes packets without payload for what they are, and another size of pictures in between', () => {
    const media = videoMedia('VP8')
    const rig = new IngestRig({ medias: [media] })
    const source = rig.source({ media, ssrc: 5 })
    for (let index = 0; index < 10; index += 1) {
      source.write(samplePicture('vp8', index, index % 5 === 0, 10, index < 5 ? 64 : 32), index * FRAME_TICKS)
      source.sendPayload(Buffer.alloc(0), index * FRAME_TICKS)
    }
    expect(rig.sink.units).to.have.length(10)
    expect(rig.sink.events).to.eql(['+ video main', '~ video main'])
    expect(rig.sink.units.map(({ track }) => track.kind === 'video' && track.config.width)).to.eql([
      64, 64, 64, 64, 64, 32, 32, 32, 32, 32,
    ])
    expect(rig.ingest.counts).to.include({ receivedPackets: 20, lostPackets: 0, brokenPackets: 0 })
  })

  it('tells the source how its packets arrive, the lost ones as well', () => {
    const media = videoMedia('VP8')
    const rig = new IngestRig({ medias: [media], link: { loss: 0.1, delayMs: 20 } })
    const source = rig.source({ media, ssrc: 5, rtxSsrc: 6 })
    pictures(rig, source, 250)
    const feedback = rig.saidOf('transportFeedback').map((packet) => parseTransportWideFeedback(packet)!)
    expect(feedback.length).to.be.within(100, 250)
    const arrivals = feedback.flatMap((one) => one.arrivals)
    const lost = arrivals.filter((arrival) => arrival === undefined).length / arrivals.length
    expect(lost).to.be.within(0.05, 0.15)
    // Each goes on where the one before ended.
    for (const [index, { baseSequenceNumber, feedbackCount }] of feedback.slice(1).entries()) {
      const before = feedback[index]!
      expect(baseSequenceNumber).to.equal((before.baseSequenceNumber + before.arrivals.length) & 0xffff)
      expect(feedbackCount).to.equal((before.feedbackCount + 1) & 0xff)
    }
  })

  it('says an estimate to a source that makes none itself', () => {
    const [agreed] = videoMedia('VP8').formats
    const media = videoMedia('VP8', { formats: [{ ...agreed!, feedback: new Set(['nack', 'goog-remb']) }] })
    const estimates = (loss: number) => {
      const rig = new IngestRig({ medias: [media], link: { loss }, backLink: { delayMs: 20 } })
      pictures(rig, rig.source({ media, ssrc: 5, rtxSsrc: 6 }), 250)
      return rig.saidOf('payloadFeedback').map((packet) => parseRemb(packet)!)
    }
    const clean = estimates(0)
    expect(clean.at(-1)!.bitrateBps).to.be.at.least(clean[0]!.bitrateBps)
    expect(clean.at(-1)!.ssrcs).to.eql([5])
    expect(estimates(0.3).at(-1)!.bitrateBps).to.be.below(clean[0]!.bitrateBps / 2)
  })

  it('reports what has come, by the last report of the source', () => {
    const media = videoMedia('VP8')
    const rig = new IngestRig({ medias: [media], link: { loss: 0.1 } })
    const source = rig.source({ media, ssrc: 5, rtxSsrc: 6 })
    rig.hear(source.report(NTP_MS, 0))
    source.write(samplePicture('vp8', 0, true, 10), 0)
    rig.hear(source.report(NTP_MS, 0))
    pictures(rig, source, 100)
    const reports = rig.saidOf('receiverReport')
    expect(reports.length).to.be.within(4, 7)
    const [block] = reports.at(-1)!.reports
    // What was sent again does not make good for the way.
    expect(block!.cumulativeLost).to.be.above(10)
    expect([block!.ssrc, block!.lastSenderReport > 0]).to.eql([5, true])
    expect(rig.saidOf('sourceDescription')).to.have.length(reports.length)
  })

  it('keeps sound in step with pictures of a source that says nothing of its clocks', () => {
    const medias = [videoMedia('VP8'), audioMedia('OPUS')] as const
    const rig = new IngestRig({ medias, link: { delayMs: 20, jitterMs: 60 } })
    const video = rig.source({ media: medias[0], ssrc: 5, timestamp: 123_456 })
    const audio = rig.source({ media: medias[1], ssrc: 6, timestamp: 4_000_000_000 })
    rig.repeat(3000, 20, (index) => {
      // The first picture is large, and those behind it come later for that.
      const jitterMs = index < 20 ? 0 : 60
      rig.link.traits = { delayMs: 20 + Math.max(0, 400 - index * 20), jitterMs }
      if (index % 2 === 0) video.write(samplePicture('vp8', index, index === 0, 10), index * 20 * 90)
      rig.link.traits = { delayMs: 20, jitterMs }
      audio.sendPayload(Buffer.from([0xfc, index >> 8, index & 0xff]), index * 960)
    })
    const timesMs = (kind: 'audio' | 'video') =>
      rig.sink.units.filter(({ track }) => track.kind === kind).map(({ pts, track }) => (pts / track.timescale) * 1000)
    const offsetMs = (kind: 'audio' | 'video', sentMs: number) => timesMs(kind).at(-1)! - sentMs
    expect(Math.abs(offsetMs('video', 2998 * 20) - offsetMs('audio', 2999 * 20))).to.be.below(50)
  })

  it('keeps sound in step by the reports of the source', () => {
    const medias = [videoMedia('VP8'), audioMedia('PCMA')] as const
    const rig = new IngestRig({ medias })
    const video = rig.source({ media: medias[0], ssrc: 5, timestamp: 77 })
    const audio = rig.source({ media: medias[1], ssrc: 6, timestamp: 2 ** 32 - 10 })
    video.write(samplePicture('vp8', 0, true, 10), 0)
    audio.sendPayload(Buffer.alloc(160, 1), 4000)
    rig.hear(video.report(NTP_MS, 0))
    rig.hear(audio.report(NTP_MS, 0))
    audio.sendPayload(Buffer.alloc(160, 1), 8000)
    expect(rig.sink.units.map(({ pts, ntpMs }) => [pts, ntpMs])).to.eql([
      [0, undefined],
      [0, undefined],
      [8000, NTP_MS + 1000],
    ])
  })

  it('finds the media of a packet by what the description says, by its name, or by its payload type', () => {
    const cases: readonly [fields: Parameters<typeof videoMedia>[1], isNamed: boolean][] = [
      [{ sources: [{ ssrc: 5, rtxSsrc: 6 }] }, false],
      [{}, true],
      [{}, false],
    ]
    for (const [fields, isNamed] of cases) {
      const medias = [videoMedia('VP8', fields), audioMedia('OPUS')] as const
      const rig = new IngestRig({ medias, link: { loss: 0.05 }, backLink: { delayMs: 10 } })
      const video = rig.source({ media: medias[0], ssrc: 5, rtxSsrc: 6, isNamed })
      const audio = rig.source({ media: medias[1], ssrc: 7, isNamed })
      audio.sendPayload(Buffer.from([0xfc, 1]), 0)
      expect(
        missingOf(
          pictures(rig, video, 100),
          rig.sink.units.filter(({ track }) => track.kind === 'video'),
        ),
      ).to.equal(0)
      expect(rig.ingest.counts.unknownPackets).to.equal(0)
      expect(rig.sink.tracks.map(({ codec }) => codec)).to.have.members(['vp8', 'opus'])
    }
  })

  it('leaves out packets of which nobody can tell what they are', () => {
    const second = videoMedia('VP8', { mid: '2', index: 2 })
    const medias = [videoMedia('VP8'), second] as const
    const rig = new IngestRig({ medias })
    rig.source({ media: medias[0], ssrc: 5, isNamed: false }).sendPayload(Buffer.from([0x10, 1, 1, 1]), 0)
    rig.source({ media: { ...medias[0], mid: '9' }, ssrc: 6 }).sendPayload(Buffer.from([0x10, 1, 1, 1]), 0)
    rig.source({ media: audioMedia('OPUS', { mid: '1' }), ssrc: 7 }).sendPayload(Buffer.from([1]), 0)
    rig.ingest.rtp(Buffer.alloc(5), 0)
    rig.ingest.rtp(Buffer.alloc(3000, 0x80), 0)
    rig.ingest.rtcp(Buffer.from('80c80001', 'hex'), 0)
    expect(rig.ingest.counts).to.include({ unknownPackets: 3, brokenPackets: 3, receivedPackets: 0 })
    rig.source({ media: second, ssrc: 8 }).write(samplePicture('vp8', 0, true, 10), 0)
    expect(rig.sink.events).to.eql(['+ video layer 2'])
  })

  it('remembers the last name of a stream alone', () => {
    const medias = [videoMedia('VP8'), videoMedia('VP8', { mid: '2' })] as const
    const rig = new IngestRig({ medias })
    const say = (ssrc: number, isNamed: boolean): number => {
      rig.source({ media: medias[0], ssrc, isNamed }).sendPayload(Buffer.from([0x10, 1, 1, 1]), 0)
      return rig.ingest.counts.unknownPackets
    }
    for (let ssrc = 1; ssrc <= 1000; ssrc += 1) say(ssrc, true)
    expect([say(1000, false), say(999, false), say(1, false)]).to.eql([0, 1, 2])
  })

  it('goes on with a stream that begins anew under another name, and after a goodbye', () => {
    const media = videoMedia('VP8')
    const rig = new IngestRig({ medias: [media] })
    for (const ssrc of [5, 50, 500]) {
      const source = rig.source({ media, ssrc, rtxSsrc: ssrc + 1, sequenceNumber: ssrc * 100, isNamed: false })
      rig.link.traits = { loss: 0.05 }
      pictures(rig, source, 50)
      rig.link.traits = {}
      source.write(samplePicture('vp8', 51, false, 10), 51 * FRAME_TICKS)
      if (ssrc === 50) rig.hear(Buffer.from('81cb000100000032', 'hex'))
    }
    expect(rig.sink.units).to.have.length(153)
    expect(rig.sink.events).to.eql(['+ video main'])
    expect(rig.ingest.counts.unknownPackets).to.equal(0)
  })

  it('gives up nothing that came while the process was held up', () => {
    const media = videoMedia('VP8')
    const sink = new RecordingSink()
    let nowMs = 0
    let tick = () => {}
    const setInterval = (run: () => void) => {
      tick = run
      return () => {}
    }
    const init = { sink, medias: [media], sendRtcp: () => {}, pliIntervalMs: 0 }
    const ingest = new Ingest({ ...init, timers: { setInterval }, now: () => nowMs })
    const packets: Buffer[] = []
    const source = new ScriptedSource({
      media,
      ssrc: 5,
      transportSequence: () => 0,
      send: (bytes) => packets.push(bytes),
    })
    for (let index = 0; index < 4; index += 1) source.write(samplePicture('vp8', index, index === 0, 10), index * 3600)
    const [first, late, third, fourth] = packets
    ingest.rtp(first!, nowMs)
    ingest.rtp(third!, nowMs)
    nowMs = 2000
    tick()
    ingest.rtp(fourth!, nowMs)
    ingest.rtp(late!, nowMs)
    expect(sink.units).to.have.length(4)
    expect(sink.lostUnits).to.equal(0)
  })

  it('follows another format of the media, but not back and forth', () => {
    const [vp8] = videoMedia('VP8').formats
    const vp9 = { ...vp8!, format: { ...vp8!.format, payloadType: 98, encodingName: 'VP9' }, rtxPayloadType: 99 }
    const media = videoMedia('VP8', { formats: [vp8!, vp9] })
    const rig = new IngestRig({ medias: [media] })
    const first = rig.source({ media, ssrc: 5 })
    const second = rig.source({ media: { ...media, formats: [vp9] }, ssrc: 5, sequenceNumber: 100 })
    rig.repeat(20, 10, (index) => {
      first.write(samplePicture('vp8', index, true, 10), index * 900)
      second.write(samplePicture('vp9', index, true, 10), index * 900)
    })
    expect(rig.sink.events).to.eql(['+ video main'])
    second.write(samplePicture('vp9', 21, true, 10), 21 * 900)
    expect(rig.sink.events).to.eql(['+ video main', '- video main', '+ video main'])
    expect(rig.sink.tracks.map(({ codec }) => codec)).to.eql(['vp9'])
    expect(rig.ingest.counts).to.include({ brokenPackets: 20, receivedPackets: 21 })
  })

  it('keeps little of many packets, also where most are lost', () => {
    const media = videoMedia('VP8')
    const rig = new IngestRig({ medias: [media], link: { loss: 0.3, delayMs: 10 }, backLink: { delayMs: 10 } })
    const source = rig.source({ media, ssrc: 5 })
    const unit = samplePicture('vp8', 0, true, 2500)
    rig.repeat(20_000, 10, (index) => source.write(unit, index * 900))
    expect(rig.sink.lostUnits).to.be.below(200)
    expect(rig.sink.units.length).to.be.above(19_000)
    rig.ingest.close()
    rig.clock.advance(1000)
    expect(rig.clock.pending).to.equal(0)
  })

  it('takes any bytes, and says no more for them than may be said', () => {
    const medias = [videoMedia('VP8', { rids: ['q', 'f'] }), audioMedia('OPUS'), videoMedia('H264', { mid: '2' })]
    const head = fc.tuple(fc.constantFrom(96, 97, 111, 98), fc.nat(0xffff), fc.nat(4), fc.uint8Array({ maxLength: 40 }))
    const rtp = head.map(([payloadType, number, ssrc, rest]) => {
      const bytes = Buffer.from([0x90, payloadType, number >> 8, number & 0xff, 0, 0, 0, 0, 0, 0, 0, ssrc, ...rest])
      if (bytes.length > 15) bytes.writeUInt32BE(0xbede0000 + (rest[0]! & 3), 12)
      return bytes
    })
    const any = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(rtp, any), fc.boolean(), fc.nat(50)), { maxLength: 50 }), (packets) => {
        const rig = new IngestRig({ medias, pliIntervalMs: 100 })
        let elapsedMs = 0
        for (const [bytes, isRtcp, waitMs] of packets) {
          if (isRtcp) rig.hear(bytes)
          else rig.ingest.rtp(bytes, rig.clock.now())
          rig.clock.advance(waitMs)
          elapsedMs += waitMs
        }
        expect(rig.sink.strayUnits).to.equal(0)
        const { requestedKeyframes } = rig.ingest.counts
        expect(requestedKeyframes).to.be.at.most(3 * (1 + elapsedMs / 100))
        rig.ingest.close()
      }),
      { numRuns: rounds(300) },
    )
  })
})
