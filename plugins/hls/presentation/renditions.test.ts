import { expect } from 'chai'
import { flacConfig, g711Config } from 'sluice/sdk/media'
import { SCRIPTED_AUDIO, SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import type { Track, TrackInit } from 'sluice/sdk'
import { FrameWriter, PresentationRig, writeStretch } from './fixtures/presentation-rig.ts'

const AUDIO_FRAME_SECONDS = 1024 / 44_100

type Layer = { readonly track: Track; readonly fromSeconds?: number; readonly shiftSeconds?: number }

/** Writes tracks in the order of their times: pictures with a keyframe a second, and sound. */
function writeLayers(frames: FrameWriter, layers: readonly Layer[], toSeconds: number): void {
  const events = layers.flatMap(({ track, fromSeconds = 0, shiftSeconds = 0 }) => {
    const step = track.kind === 'video' ? 1 / 25 : AUDIO_FRAME_SECONDS
    const count = Math.floor((toSeconds - fromSeconds) / step)
    return Array.from({ length: count }, (_, index) => {
      const seconds = fromSeconds + index * step + shiftSeconds
      const write = () =>
        track.kind === 'video' ? frames.picture(seconds, index % 25 === 0, track) : frames.sound(seconds, track)
      return { seconds, write }
    })
  })
  for (const { write } of events.toSorted((one, other) => one.seconds - other.seconds)) write()
}

const broken = (rig: PresentationRig) => [...rig.broken]
const startsOf = (rig: PresentationRig, name: string) =>
  rig.playlist(name).segments.map(({ programDateTimeMs }) => programDateTimeMs!)

const STREAM_INFO = Buffer.from('120012000000720004ed0bb800f0000012c0558de7c222aacdb7b295f858f33ba4c6', 'hex')
const PHONE: TrackInit = { kind: 'audio', codec: 'pcmu', timescale: 8000, config: g711Config('pcmu', 8000, 1) }
const FLAC: TrackInit = { kind: 'audio', codec: 'flac', timescale: 44_100, config: flacConfig(STREAM_INFO) }

describe('presentation: renditions', () => {
  for (const [format, lowLatency] of [
    ['fmp4', true],
    ['fmp4', false],
    ['ts', false],
  ] as const) {
    it(`gives several tracks of sound a group, cut as the video is: ${format}${lowLatency ? ' with parts' : ''}`, () => {
      const rig = new PresentationRig({ format, lowLatency })
      const frames = new FrameWriter(rig)
      const french = rig.addTrack({ ...SCRIPTED_AUDIO, language: 'fr', label: 'Commentary' })
      writeLayers(frames, [{ track: frames.video! }, { track: frames.audio! }, { track: french }], 15)
      expect(rig.multivariantText()).to.match(/NAME="Commentary",LANGUAGE="fr".*URI="audio2.m3u8"/u)
      expect(rig.multivariantText()).to.match(
        /#EXT-X-STREAM-INF:.*CODECS="avc1[^"]*,mp4a.40.2".*AUDIO="audio".*\nvideo.m3u8/u,
      )
      const starts = startsOf(rig, 'video')
      expect(starts).to.have.length(7)
      for (const name of ['audio', 'audio2']) {
        for (const [index, start] of startsOf(rig, name).entries()) expect(start).to.be.closeTo(starts[index]!, 24)
        expect(rig.playlist(name).mediaSequence).to.equal(rig.playlist().mediaSequence)
      }
      expect(broken(rig)).to.deep.equal([])
      expect(rig.log.problems).to.deep.equal([])
    })
  }

  it('makes a variant of each layer of a simulcast, though keyframes of one come a little later', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig)
    const small = rig.addTrack({ ...SCRIPTED_VIDEO, layer: 'small' })
    const layers = [{ track: frames.video! }, { track: frames.audio! }, { track: small, shiftSeconds: 0.015 }]
    writeLayers(frames, layers, 15)
    expect([...rig.presentation.renditions.keys()]).to.deep.equal(['video', 'video2', 'audio'])
    expect(rig.multivariantText()).to.match(/\nvideo.m3u8\n/u)
    expect(rig.multivariantText()).to.match(/\nvideo2.m3u8\n/u)
    expect(rig.playlistText()).to.include('#EXT-X-RENDITION-REPORT:URI="video2.m3u8"')
    expect(broken(rig)).to.deep.equal([])
  })

  it('shows a gap where a rendition has nothing, and waits for none', () => {
    for (const lowLatency of [true, false]) {
      const rig = new PresentationRig({ lowLatency })
      const frames = new FrameWriter(rig)
      const late = rig.addTrack({ ...SCRIPTED_AUDIO, label: 'late' })
      const layers = [{ track: frames.video! }, { track: frames.audio! }, { track: late, fromSeconds: 6.2 }]
      writeLayers(frames, layers, 13)
      expect(rig.playlistText('audio2').match(/#EXT-X-GAP/gu)).to.have.length(3)
      const counts = [...rig.presentation.renditions.keys()].map((name) => rig.playlist(name).segments.length)
      expect(counts).to.deep.equal([6, 6, 6])
      // A gap has no parts to be told of.
      expect(broken(rig).filter((rule) => !/^(?:parts:|report: LAST-PART)/u.test(rule))).to.deep.equal([])
    }
  })

  it('offers audio alone in several languages as one variant', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig, { video: false })
    const other = rig.addTrack({ ...SCRIPTED_AUDIO, language: 'de' })
    writeLayers(frames, [{ track: frames.audio! }, { track: other }], 10)
    expect(rig.multivariantText().match(/EXT-X-STREAM-INF/gu)).to.have.length(1)
    expect(rig.multivariantText()).to.include('URI="audio2.m3u8"')
    expect(broken(rig)).to.deep.equal([])
  })

  it('leaves out what the format has no place for, and says so once', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig, { audio: false })
    const phone = rig.addTrack({ kind: 'audio', codec: 'pcma', timescale: 8000, config: g711Config('pcma', 8000, 1) })
    for (let frame = 0; frame < 250; frame += 1) {
      frames.picture(frame / 25, frame % 25 === 0)
      frames.sound(frame / 25, phone)
    }
    expect(rig.log.problems.map(({ msg, codecs }) => [msg, codecs])).to.deep.equal([['tracks are left out', ['pcma']]])
    expect(rig.multivariantText()).to.match(/CODECS="avc1[^",]*"/u)
    expect(broken(rig)).to.deep.equal([])
  })

  const refusals = [
    ['ts', FLAC, 'MPEG-TS has no place for flac; fragmented MP4 has: ask for ?format=fmp4'],
    ['ts', PHONE, /^HLS has no place for pcmu; publish H\.264, .*AAC, /u],
    ['fmp4', PHONE, /^HLS has no place for pcmu; publish H\.264, .*AAC, /u],
  ] as const
  for (const [format, track, message] of refusals) {
    it(`says what to do about ${track.codec} in ${format}`, () => {
      const rig = new PresentationRig({ format, lowLatency: false })
      const frames = new FrameWriter(rig, { video: false, audio: false })
      frames.sound(0, rig.addTrack(track))
      expect(rig.presentation.failed).to.match(message instanceof RegExp ? message : new RegExp(RegExp.escape(message)))
      expect(rig.log.problems.map(({ msg, reason }) => [msg, reason])).to.eql([
        ['tracks are left out', rig.presentation.failed],
      ])
    })
  }

  it('knows by its tracks alone that there is nothing that it can carry, once all are told', () => {
    const rig = new PresentationRig({ format: 'ts', lowLatency: false })
    rig.presentation.tracksTold()
    expect(rig.presentation.failed).to.equal(undefined)
    rig.addTrack(PHONE)
    expect(rig.presentation.failed).to.equal(undefined)
    let changes = 0
    rig.presentation.onChange(() => (changes += 1))
    rig.presentation.tracksTold()
    rig.presentation.tracksTold()
    expect(rig.presentation.failed).to.match(/^HLS has no place for pcmu/u)
    expect(changes).to.equal(1)
    writeStretch(new FrameWriter(rig), { fromSeconds: 1, toSeconds: 6 })
    rig.presentation.tracksTold()
    expect(rig.presentation.failed).to.equal(undefined)
  })

  it('fails when there is nothing that it can carry, until there is', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig, { video: false, audio: false })
    const phone = rig.addTrack({ kind: 'audio', codec: 'pcmu', timescale: 8000, config: g711Config('pcmu', 8000, 1) })
    let changes = 0
    rig.presentation.onChange(() => (changes += 1))
    for (let frame = 0; frame < 50; frame += 1) frames.sound(frame / 50, phone)
    expect(rig.presentation.failed).to.include('pcmu')
    expect(changes).to.equal(1)
    expect(rig.log.problems).to.have.length(1)
    writeStretch(new FrameWriter(rig), { fromSeconds: 1, toSeconds: 6 })
    expect(rig.presentation.failed).to.equal(undefined)
    expect(rig.presentation.ready).to.equal(true)
  })
})
