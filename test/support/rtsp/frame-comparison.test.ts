import { expect } from 'chai'
import { playRtspByFfmpeg, publishRtspByFfmpeg } from '../../peers/ffmpeg-rtsp.ts'
import { freePort } from '../../peers/free-port.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import type { PeerFrame } from '../../peers/rtsp.ts'
import { compareFrames, type ComparisonOptions } from './frame-comparison.ts'
import { publishWhenListening } from './listening-ffmpeg.ts'
import { RTSP_SOURCES, rtspSource, type RtspSource, type RtspSourceName } from './rtsp-source.ts'

/** ffmpeg keeps the last packet of AAC until it is full, and never sends it. */
const KEPT_BY_FFMPEG_MS = 100
const START_CODE = Buffer.of(0, 0, 0, 1)
/** With its start code and that of what follows. */
const PARAMETER_SET = Buffer.from('000000016742c00d000001', 'hex')

/** What a peer would get of all of it, with times of its own. */
function receivedOf({ video, audio }: RtspSource, shiftMs = 5000): PeerFrame[] {
  return [
    ...video.map(({ ptsMs, data }, index) => {
      const before = index % 25 === 0 ? PARAMETER_SET : START_CODE
      return { kind: 'video' as const, ptsMs: ptsMs + shiftMs, data: Buffer.concat([before, data]) }
    }),
    ...audio.map(({ ptsMs, data }) => ({ kind: 'audio' as const, ptsMs: ptsMs + shiftMs, data })),
  ]
}

/** Without so many frames of each kind at the start and the end. */
function withoutEnds(frames: readonly PeerFrame[], start: number, end: number): PeerFrame[] {
  return (['video', 'audio'] as const).flatMap((wanted) => {
    const track = frames.filter(({ kind }) => kind === wanted)
    return track.slice(start, track.length - end)
  })
}

describe('the comparison of RTSP frames', () => {
  let source: RtspSource
  let all: readonly PeerFrame[]
  before(async function () {
    requirePeer(this, 'ffmpeg')
    source = await rtspSource('H.264 and AAC')
    all = receivedOf(source)
  })

  /** The received frames after one of them, of a kind, was dealt with. */
  function changed(
    kind: 'video' | 'audio',
    index: number,
    change: (frame: PeerFrame) => readonly PeerFrame[],
  ): PeerFrame[] {
    const chosen = all.filter((frame) => frame.kind === kind)[index]
    return all.flatMap((frame) => (frame === chosen ? change(frame) : [frame]))
  }

  const later = (frame: PeerFrame, ms: number): PeerFrame => ({ ...frame, ptsMs: frame.ptsMs! + ms })

  it('has sources without two packets that are alike, and with pictures out of order', async () => {
    for (const name of Object.keys(RTSP_SOURCES) as RtspSourceName[]) {
      const { video, audio } = await rtspSource(name)
      for (const frames of [video, audio]) {
        expect(new Set(frames.map(({ data }) => data.toString('hex'))).size, name).to.equal(frames.length)
        expect(frames.length).to.be.above(90)
      }
      expect(video.some(({ ptsMs }, index) => ptsMs < (video[index - 1]?.ptsMs ?? 0))).to.equal(true)
    }
  })

  it('finds nothing where all has come, whatever the shift', () => {
    const { video, audio } = compareFrames(source, all, { audioShiftMs: 0 })
    expect(video).to.eql({ received: source.video.length, missing: { before: 0, between: 0, after: 0 }, shiftMs: 5000 })
    expect(audio.received).to.equal(source.audio.length)
  })

  const kept: readonly (readonly [
    what: string,
    change: (frames: readonly PeerFrame[]) => PeerFrame[],
    ComparisonOptions,
  ])[] = [
    [
      'times that are rounded',
      (frames) => frames.map((frame, index) => later(frame, index % 2 === 0 ? 0.9 : -0.9)),
      {},
    ],
    ['a first picture without a time', (frames) => frames.with(0, { ...frames[0]!, ptsMs: null }), {}],
    ['a late start', (frames) => withoutEnds(frames, 30, 0), { late: true }],
    ['gaps', (frames) => frames.filter((_, index) => index % 10 < 8), { gaps: true }],
    ['an early end', (frames) => withoutEnds(frames, 0, 5), { missingAtEndMs: 250 }],
    [
      'a shift of audio',
      (frames) => frames.map((frame) => later(frame, frame.kind === 'audio' ? 30 : 0)),
      { audioShiftMs: 30.1 },
    ],
  ]
  for (const [what, change, options] of kept) {
    it(`takes ${what} where that may be`, () => {
      const frames = change(all)
      expect(compareFrames(source, frames, options).video.received).to.be.above(50)
      if (Object.keys(options).length === 0) return
      expect(() => compareFrames(source, frames, { audioShiftMs: 10 })).to.throw(/^(?:video|audio)/u)
    })
  }

  const differences: readonly (readonly [what: string, make: () => PeerFrame[], message: RegExp])[] = [
    [
      'a frame that is missing',
      () => changed('video', 7, () => []),
      /^video: frame 7 .* is frame 8 of the source, 7 was to/u,
    ],
    [
      'a frame that came twice',
      () => changed('audio', 9, (frame) => [frame, frame]),
      /^audio: frame 10 .* is frame 9 of .* after 9 has/u,
    ],
    [
      'a frame that came late',
      () => {
        const [fifth, sixth] = all.slice(5, 7)
        return all.with(5, sixth!).with(6, fifth!)
      },
      /^video: frame 5 .* is frame 6 of the source, 5 was to come/u,
    ],
    [
      'a byte that is another',
      () =>
        changed('audio', 20, (frame) => [
          { ...frame, data: Buffer.concat([frame.data.subarray(1), frame.data.subarray(0, 1)]) },
        ]),
      /^audio: frame 20 .* is none of the source, where frame 20 was to come/u,
    ],
    [
      'slices that are cut short',
      () => changed('video', 3, (frame) => [{ ...frame, data: frame.data.subarray(0, -40) }]),
      /^video: frame 3 .* is none/u,
    ],
    [
      'a time that is another',
      () => changed('video', 30, (frame) => [later(frame, 3)]),
      /^video: frame 30 .* is shifted by 5003.000 ms, where it was 5000.000 to/u,
    ],
    [
      'a time that is not known',
      () => changed('video', 30, (frame) => [{ ...frame, ptsMs: null }]),
      /^video: frame 30 at an unknown time .* has none/u,
    ],
    [
      'a clock that drifts',
      () => all.map((frame) => later(frame, frame.ptsMs! / 1000)),
      /^video: frame \d+ .* is shifted by/u,
    ],
    [
      'an end that is missing',
      () => changed('audio', source.audio.length - 1, () => []),
      /^audio: the last 1 of \d+ are missing, 21\.\d ms/u,
    ],
    ['a kind that is missing', () => all.filter(({ kind }) => kind === 'video'), /^audio: nothing came/u],
  ]
  for (const [what, make, message] of differences) {
    it(`finds ${what}`, () => {
      expect(() => compareFrames(source, make())).to.throw(message)
    })
  }

  it('finds bytes of G.711 that are missing or came twice, however they are cut', async () => {
    const sound = await rtspSource('H.264 and G.711')
    const frames = receivedOf(sound)
    const video = frames.filter(({ kind }) => kind === 'video')
    const bytes = Buffer.concat(sound.audio.map(({ data }) => data))
    const cut = (from: number, to: number): PeerFrame => ({
      kind: 'audio',
      ptsMs: from / 8,
      data: bytes.subarray(from, to),
    })
    const cuts = Array.from({ length: bytes.length / 100 }, (_, index) => cut(index * 100, index * 100 + 100))
    expect(compareFrames(sound, [...video, ...cuts]).audio.missing).to.eql({ before: 0, between: 0, after: 0 })
    expect(() => compareFrames(sound, [...video, ...cuts.toSpliced(3, 1)])).to.throw(
      'is byte 400 of the source, 300 was',
    )
    expect(() => compareFrames(sound, [...video, ...cuts.toSpliced(3, 0, cuts[2]!)])).to.throw(
      'is byte 200 of the source, after',
    )
  })

  for (const name of Object.keys(RTSP_SOURCES) as RtspSourceName[]) {
    it(`finds nothing between ffmpeg and ffmpeg: ${name}`, async () => {
      const sent = await rtspSource(name)
      const check = async (transport: 'tcp' | 'udp') => {
        const url = `rtsp://127.0.0.1:${await freePort()}/live/check`
        const playing = playRtspByFfmpeg(url, transport, { input: ['-rtsp_flags', 'listen'] })
        const publishing = publishWhenListening(() => publishRtspByFfmpeg(sent.file, url, transport))
        const [frames] = await Promise.all([playing, publishing])
        compareFrames(sent, frames, { missingAtEndMs: KEPT_BY_FFMPEG_MS, audioShiftMs: 2 })
      }
      await Promise.all([check('tcp'), check('udp')])
    })
  }
})
