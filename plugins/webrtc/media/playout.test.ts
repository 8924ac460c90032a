import { expect } from 'chai'
import fc from 'fast-check'
import { AccessUnit, type Track } from 'sluice/sdk'
import { serializeRtcp } from 'sluice/sdk/media'
import { PlayoutRig } from './fixtures/playout-rig.ts'
import {
  sampleAudioTrack,
  samplePicture,
  samplePictures,
  sampleVideoTrack,
  type SampleCodec,
} from './fixtures/sample-stream.ts'
import { extensionOf } from './fixtures/sample-viewer.ts'

const CODECS: readonly SampleCodec[] = ['h264', 'h265', 'vp8', 'vp9', 'av1']
const SOUNDS = [
  ['opus', 48_000, 960],
  ['pcma', 8000, 160],
  ['pcmu', 8000, 160],
  ['g722', 16_000, 320],
] as const

/** What a viewer is to get of a picture: for NAL units, that of the slice. */
function bytesOf(unit: AccessUnit): Buffer {
  return unit.track.codec === 'h264' || unit.track.codec === 'h265' ? unit.nalus.at(-1)! : unit.data
}

function expectAll(rig: PlayoutRig, units: readonly AccessUnit[]): void {
  expect(rig.viewer.frames.map(({ bytes }) => bytes.readUInt32BE(0))).to.have.length(units.length)
  for (const [index, unit] of units.entries()) {
    expect(rig.viewer.frames[index]!.bytes.equals(bytesOf(unit)), `picture ${index}`).to.equal(true)
  }
}

function soundUnits(track: Track, count: number, ticks: number): AccessUnit[] {
  return Array.from({ length: count }, (_, index) =>
    AccessUnit.fromData(track, index * ticks, index * ticks, true, Buffer.alloc(160, index + 1)),
  )
}

/** Numbers from 0 to 1 that are the same each time. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
}

describe('Playout', () => {
  for (const codec of CODECS) {
    it(`sends each picture of ${codec} as it is, with its time, in datagrams that pass everywhere`, () => {
      const track = sampleVideoTrack(codec)
      const rig = new PlayoutRig({ tracks: [track], extensions: new Map([['absoluteSendTime', 3]]) })
      const units = samplePictures(track, 60)
      rig.playout.start()
      rig.play(units)
      expectAll(rig, units)
      const [first] = rig.viewer.frames
      const times = rig.viewer.frames.map(({ timestamp }) => (timestamp - first!.timestamp) >>> 0)
      expect(times).to.eql(units.map(({ pts }) => pts))
      expect(rig.viewer.frames.map(({ keyframe }) => keyframe)).to.eql(units.map(({ keyframe }) => keyframe))
      const payloadBytes = rig.viewer.packets.map(({ payload }) => payload.length)
      expect(Math.max(...payloadBytes) + 12 + 8 + 2 + 16).to.be.at.most(1200)
      expect(rig.flushes, 'one a picture').to.equal(units.length)
    })
  }

  for (const [codec, rate, samples] of SOUNDS) {
    it(`sends ${codec} as it is, marked where it begins`, () => {
      const track = sampleAudioTrack(codec, rate)
      const rig = new PlayoutRig({ tracks: [track] })
      const units = soundUnits(track, 10, samples)
      rig.playout.start()
      rig.play(units.slice(0, 5), 20)
      rig.playout.discontinuity()
      rig.play(units.slice(5), 20)
      expect(Buffer.concat(rig.viewer.sounds.map(({ bytes }) => bytes))).to.eql(
        Buffer.concat(units.map(({ data }) => data)),
      )
      expect(rig.viewer.packets.map(({ marker }) => marker)).to.eql(units.map((_, index) => index % 5 === 0))
    })
  }

  it('goes on over the wraps of numbers and times', () => {
    const track = sampleVideoTrack('vp8')
    // Numbers begin at 0x7fff, times just before their wrap.
    const rig = new PlayoutRig({ tracks: [track], randomBytes: (sizeBytes) => Buffer.alloc(sizeBytes, 0xff) })
    const units = Array.from({ length: 500 }, (_, number) =>
      samplePicture({ track, kind: number === 0 ? 'key' : 'reference', number, dtsMs: number * 40, sizeBytes: 90_000 }),
    )
    rig.playout.start()
    rig.play(units)
    expect(rig.viewer.packets.length).to.be.above(0x8000)
    expectAll(rig, units)
    expect(rig.viewer.frames[1]!.timestamp).to.equal(3599)
  })

  for (const [percent, rtx] of [
    [2, true],
    [10, true],
    [30, true],
    [10, false],
  ] as const) {
    it(`mends a loss of ${percent} %${rtx ? '' : ' without RTX'} for a viewer that asks`, () => {
      const track = sampleVideoTrack('h264')
      const next = chance(percent)
      const rig = new PlayoutRig({
        tracks: [track],
        rtx,
        loses: (packet) => packet[1]! < 192 && next() < percent / 100,
      })
      const units = samplePictures(track, 200)
      const ask = () => {
        const nack = rig.viewer.nack()
        if (nack !== undefined) rig.playout.rtcp(nack)
      }
      rig.playout.start()
      rig.play(units, 40, ask)
      for (let round = 0; round < 40; round++) {
        rig.clock.advance(20)
        ask()
      }
      // The viewer begins with the first packet that it gets, and the last may be missing without a later one to tell.
      expect(rig.viewer.frames.length).to.be.within(units.length - 2, units.length)
      expect(rig.counts.resentPackets).to.be.above(0)
      expect(rig.viewer.repeated > 0, 'by RTX').to.equal(rtx)
    })
  }

  it('bounds what a flood of requests costs', () => {
    const track = sampleVideoTrack('h264')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    rig.play(samplePictures(track, 50))
    const sent = rig.viewer.packets.length
    const { sequenceNumber } = rig.viewer.packets[sent - 40]!
    const sequenceNumbers = Array.from({ length: 40 }, (_, index) => (sequenceNumber + index) & 0xffff)
    const nack = serializeRtcp([{ kind: 'genericNack', senderSsrc: 1, mediaSsrc: 1000, sequenceNumbers }])
    for (let count = 0; count < 150; count++) rig.playout.rtcp(nack)
    expect(rig.viewer.packets.length - sent, 'each once in a round trip').to.equal(40)
    for (let count = 0; count < 100_000; count++) {
      if (count % 100 === 0) rig.clock.advance(10)
      rig.playout.rtcp(nack)
    }
    expect(rig.viewer.packets.length, 'no more than were sent, and some').to.be.below(sent * 2 + 600)
    expect(rig.counts.ignoredRtcp).to.be.above(90_000)
  })

  it('sends no more again than it has sent, however patiently a viewer asks', () => {
    const track = sampleVideoTrack('h264')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    rig.play(samplePictures(track, 50))
    const sent = rig.viewer.packets.length
    const { sequenceNumber } = rig.viewer.packets[sent - 40]!
    const sequenceNumbers = Array.from({ length: 40 }, (_, index) => (sequenceNumber + index) & 0xffff)
    const nack = serializeRtcp([{ kind: 'genericNack', senderSsrc: 1, mediaSsrc: 1000, sequenceNumbers }])
    for (let count = 0; count < 500; count++) {
      rig.clock.advance(20)
      rig.playout.rtcp(nack)
    }
    expect(rig.counts.resentPackets).to.be.within(100, sent + 64)
  })

  it('sends nothing again that is unknown, too old, or of no stream of its own', () => {
    const track = sampleVideoTrack('h264')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    rig.play(samplePictures(track, 5))
    const sent = rig.viewer.packets.length
    const { sequenceNumber } = rig.viewer.packets.at(-1)!
    const ask = (mediaSsrc: number, wanted: number) =>
      rig.playout.rtcp(serializeRtcp([{ kind: 'genericNack', senderSsrc: 1, mediaSsrc, sequenceNumbers: [wanted] }]))
    ask(1000, (sequenceNumber + 1) & 0xffff)
    ask(1000, (sequenceNumber - 5000) & 0xffff)
    ask(77, sequenceNumber)
    rig.clock.advance(5000)
    ask(1000, sequenceNumber)
    expect(rig.viewer.packets.length).to.equal(sent)
    expect(rig.counts).to.include({ resentPackets: 0, refusedPackets: 3 })
    rig.playout.rtcp(Buffer.from('81ce', 'hex'))
    expect(rig.counts.ignoredRtcp).to.equal(1)
  })

  it('passes requests for keyframes on, twice a second at most', () => {
    const track = sampleVideoTrack('vp8')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    rig.play(samplePictures(track, 20))
    const asked = rig.requests.length
    const loss = serializeRtcp([{ kind: 'pictureLossIndication', senderSsrc: 1, mediaSsrc: 1000 }])
    const requests = [{ ssrc: 1000, sequenceNumber: 1 }]
    rig.playout.rtcp(serializeRtcp([{ kind: 'fullIntraRequest', senderSsrc: 1, requests }]))
    for (let count = 0; count < 9; count++) {
      rig.playout.rtcp(loss)
      rig.clock.advance(100)
    }
    expect(rig.requests.length - asked).to.equal(2)
    rig.playout.rtcp(serializeRtcp([{ kind: 'pictureLossIndication', senderSsrc: 1, mediaSsrc: 5 }]))
    expect(rig.requests.length - asked, 'of another stream').to.equal(2)
  })

  it('tells the time of sending in each packet, and the name of the media in the first ones', () => {
    const track = sampleVideoTrack('vp8')
    const rig = new PlayoutRig({
      tracks: [track],
      extensions: new Map([
        ['mid', 4],
        ['absoluteSendTime', 3],
      ]),
    })
    rig.playout.start()
    rig.play(samplePictures(track, 30))
    const extensions = rig.viewer.packets.map(extensionOf)
    expect(Buffer.from(extensions[0]!.get(4)!, 'hex').toString()).to.equal('m0')
    expect(extensions.at(-1)!.has(4)).to.equal(false)
    const [first, last] = [extensions[0]!, extensions.at(-1)!].map((one) => Number.parseInt(one.get(3)!, 16) / 2 ** 18)
    expect(last! - first!).to.be.closeTo(29 * 0.04, 0.001)
  })

  it('reports the times of sound and pictures by one clock, and says goodbye', () => {
    const video = sampleVideoTrack('vp8')
    const audio = sampleAudioTrack('opus', 48_000)
    const rig = new PlayoutRig({ tracks: [video, audio] })
    rig.playout.start()
    const pictures = samplePictures(video, 100)
    const sounds = soundUnits(audio, 200, 960)
    rig.play(
      pictures.flatMap((picture, index) => [picture, ...sounds.slice(index * 2, index * 2 + 2)]),
      40 / 3,
    )
    rig.playout.close()
    rig.playout.close()
    const reports = rig.viewer.rtcp.filter((packet) => packet.kind === 'senderReport')
    expect(reports.length).to.be.within(8, 12)
    const [firstPicture] = rig.viewer.frames
    const [firstSound] = rig.viewer.sounds
    const zeroOf = (ssrc: number, timestamp: number, rate: number) =>
      reports
        .filter((report) => report.ssrc === ssrc)
        .map((r) => r.ntpMs! - (((r.rtpTimestamp - timestamp) | 0) * 1000) / rate)
    for (const zeroMs of [
      ...zeroOf(1000, firstPicture!.timestamp, 90_000),
      ...zeroOf(1001, firstSound!.timestamp, 48_000),
    ]) {
      expect(zeroMs).to.be.closeTo(Date.UTC(2026, 0, 1), 15)
    }
    const names = rig.viewer.rtcp.flatMap((packet) => (packet.kind === 'sourceDescription' ? packet.chunks : []))
    expect(names[0]!.items[0]!.text).to.equal('sample')
    expect(rig.viewer.rtcp.filter(({ kind }) => kind === 'bye')).to.eql([
      { kind: 'bye', ssrcs: [1000, 1001], reason: '' },
    ])
    expect(rig.accounted.bytes).to.equal(rig.counts.payloadBytes)
  })

  it('measures round trip, loss and jitter by the reports of the viewer', () => {
    const track = sampleVideoTrack('vp8')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    rig.play(samplePictures(track, 5))
    const report = rig.viewer.rtcp.find((packet) => packet.kind === 'senderReport')!
    const ntpMs = report.ntpMs!
    const seconds = Math.floor(ntpMs / 1000) + 2_208_988_800
    const lastSenderReport = ((seconds & 0xffff) * 2 ** 16 + Math.floor(((ntpMs % 1000) * 2 ** 16) / 1000)) >>> 0
    rig.playout.rtcp(
      serializeRtcp([
        {
          kind: 'receiverReport',
          ssrc: 1,
          reports: [
            {
              ssrc: 1000,
              fractionLost: 64,
              cumulativeLost: 7,
              highestSequenceNumber: 1,
              jitter: 900,
              lastSenderReport,
              delaySinceLastSenderReport: Math.round(0.1 * 65_536),
            },
          ],
        },
      ]),
    )
    expect(rig.counts).to.include({ lossPercent: 25, lostPackets: 7, jitterMs: 10 })
    expect(rig.counts.rttMs).to.be.closeTo(100, 1)
  })

  it('goes on by the same numbers and times with the next publisher, at its keyframe', () => {
    const track = sampleVideoTrack('vp8')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    rig.play(samplePictures(track, 10))
    rig.playout.sourceEnded()
    const next = sampleVideoTrack('vp8')
    rig.playout.track(next)
    const units = samplePictures(next, 40, { fromMs: 1000, groupSize: 20 })
    rig.play(units.slice(5))
    expect(rig.viewer.frames.length, 'from the keyframe on').to.equal(10 + 20)
    expect(new Set(rig.viewer.packets.map(({ ssrc }) => ssrc)).size).to.equal(1)
    const [first] = rig.viewer.frames
    expect((rig.viewer.frames[10]!.timestamp - first!.timestamp) >>> 0).to.equal((1000 + 20 * 40) * 90)
    expect(rig.requests.length).to.be.above(0)
  })

  it('ends with a reason when the pictures are of another codec than was agreed', () => {
    const track = sampleVideoTrack('vp8')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    rig.play(samplePictures(track, 3))
    rig.playout.sourceEnded()
    const next = sampleVideoTrack('h264')
    rig.playout.track(next)
    rig.play(samplePictures(next, 3))
    expect(rig.closeReason).to.have.property('text').that.contains('h264').and.contains('VP8')
    expect(rig.viewer.frames.length).to.equal(3)
  })

  it('sends no sound of a codec that was not agreed on, and pictures all the same', () => {
    const video = sampleVideoTrack('vp8')
    const rig = new PlayoutRig({ tracks: [video, sampleAudioTrack('opus', 48_000)] })
    rig.playout.start()
    const other = sampleAudioTrack('pcma', 8000)
    rig.playout.track(other)
    rig.play([...samplePictures(video, 3), ...soundUnits(other, 3, 160)])
    expect(rig.viewer.frames.length).to.equal(3)
    expect(rig.viewer.sounds).to.eql([])
    expect(rig.closeReason).to.equal(undefined)
  })

  it('takes whatever comes as RTCP', () => {
    const track = sampleVideoTrack('vp8')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    rig.play(samplePictures(track, 5))
    const sent = rig.counts.packets
    const mediaSsrc = 1000
    const data = Buffer.from('52454d42010203040000000a', 'hex')
    const seed = serializeRtcp([
      { kind: 'genericNack', senderSsrc: 1, mediaSsrc, sequenceNumbers: [1, 2, 900, 65_535] },
      { kind: 'pictureLossIndication', senderSsrc: 1, mediaSsrc },
      { kind: 'payloadFeedback', format: 15, senderSsrc: 1, mediaSsrc, data },
    ])
    const mutation = fc.tuple(fc.nat(seed.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(mutation, { maxLength: 8 }), fc.nat(seed.length), (mutations, sizeBytes) => {
        const bytes = Buffer.from(seed.subarray(0, sizeBytes))
        for (const [offset, value] of mutations) if (offset < sizeBytes) bytes[offset] = value
        rig.clock.advance(10)
        rig.playout.rtcp(bytes)
      }),
    )
    expect(rig.counts.packets).to.equal(sent)
    expect(rig.closeReason).to.equal(undefined)
  })

  it('sends sound from now on, and none of what is kept', () => {
    const video = sampleVideoTrack('vp8')
    const audio = sampleAudioTrack('opus', 48_000)
    const sounds = soundUnits(audio, 20, 960)
    const kept = [...samplePictures(video, 10), ...sounds.slice(0, 15)]
    for (const tracks of [[video, audio], [audio]]) {
      const rig = new PlayoutRig({ tracks, kept })
      rig.playout.start()
      rig.play(sounds.slice(15), 20)
      expect(rig.viewer.sounds.length).to.equal(5)
      expect(rig.viewer.sounds[0]!.bytes.equals(sounds[15]!.data)).to.equal(true)
    }
  })

  it('leaves a broken picture out', () => {
    const track = sampleVideoTrack('h264')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    const units = samplePictures(track, 3)
    const broken = AccessUnit.fromData(track, 60 * 90, 60 * 90, false, Buffer.from('ffffffff00', 'hex'))
    rig.play([units[0]!, units[1]!, broken, units[2]!])
    expectAll(rig, units)
  })
})
