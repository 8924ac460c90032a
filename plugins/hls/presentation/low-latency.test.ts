import { expect } from 'chai'
import { FrameWriter, PresentationRig, START_MS, writeStretch } from './fixtures/presentation-rig.ts'

const FIRST = START_MS / 1000

function running(seconds: number): PresentationRig {
  const rig = new PresentationRig()
  writeStretch(new FrameWriter(rig), { fromSeconds: 0, toSeconds: seconds })
  return rig
}

describe('presentation: low latency', () => {
  it('knows which segments and parts there are', () => {
    const rig = running(5.05)
    const rendition = rig.presentation.renditions.get('video')!
    expect([rendition.lastMsn, rendition.lastPart]).to.deep.equal([FIRST + 2, 4])
    const cases: readonly (readonly [boolean, number, number?])[] = [
      [true, FIRST],
      [true, FIRST + 1],
      [false, FIRST + 2],
      [true, FIRST + 2, 4],
      [false, FIRST + 2, 5],
      [false, FIRST + 3],
      [true, FIRST, 3],
      // Past the last part of a segment is the first of the next.
      [true, FIRST + 1, 10],
      [true, 7, 0],
    ]
    for (const [there, msn, part] of cases) expect(rendition.has(msn, part), `${msn} ${part}`).to.equal(there)
    const whole = running(4.02).presentation.renditions.get('video')!
    expect([whole.lastMsn, whole.lastPart]).to.deep.equal([FIRST + 1, -1])
    expect(whole.has(FIRST + 1, 9)).to.equal(true)
    expect(whole.has(FIRST + 1, 10)).to.equal(false)
  })

  it('promises the part that it hints at, and no other file', () => {
    const rig = running(5.05)
    const hint = /PRELOAD-HINT:TYPE=PART,URI="([^"]+)"/u.exec(rig.playlistText())![1]!
    expect(hint).to.match(/\.5\.m4s$/u)
    expect(rig.presentation.file(hint)).to.deep.equal({ coming: true })
    const others = [hint.replace('.5.', '.6.'), hint.replace('.5.', '.'), `x${hint}`, '', '-', '../x', `${hint}-`]
    for (const name of others) expect(rig.presentation.file(name)).to.equal(undefined)
  })

  it('gives a segment as the parts that it is made of', () => {
    const rig = running(5.05)
    const [, segment] = rig.playlist().segments
    const parts = segment!.parts.map(({ uri }) => rig.bytes(uri)!)
    expect(parts).to.have.length(10)
    expect(Buffer.concat(parts).equals(rig.bytes(segment!.uri!)!)).to.equal(true)
  })

  it('tells of a change once a unit, and of none where there is none', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig, { audio: false })
    const changes: number[] = []
    let frame = 0
    rig.presentation.onChange(() => changes.push(frame))
    for (; frame < 75; frame += 1) frames.picture(frame / 25, frame % 25 === 0)
    expect(changes).to.deep.equal([50, 55, 60, 65, 70])
    const stop = rig.presentation.onChange(() => changes.push(-1))
    stop()
    rig.presentation.end()
    rig.presentation.end()
    expect(changes).to.deep.equal([50, 55, 60, 65, 70, 75])
  })

  it('leaves out of a delta update what is beyond the skip boundary', () => {
    const rig = running(30)
    const full = rig.playlist()
    const delta = rig.playlistText('video', true)
    expect(delta).to.include('#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n')
    expect(delta).to.not.include(full.segments[0]!.uri)
    expect(delta).to.include(full.segments[1]!.uri)
    expect(running(9).playlistText('video', true)).to.not.include('EXT-X-SKIP')
  })

  it('has no parts, hints and reports where they are off', () => {
    for (const format of ['fmp4', 'ts'] as const) {
      const rig = new PresentationRig({ format, lowLatency: false })
      writeStretch(new FrameWriter(rig), { fromSeconds: 0, toSeconds: 20 })
      expect(rig.playlistText('video', true)).to.not.match(/EXT-X-(?:PART|SKIP|PRELOAD|RENDITION|SERVER)/u)
      expect(rig.playlistText()).to.not.include('.0.')
    }
  })

  it('takes a longer part target where frames are long', () => {
    for (const [fps, target] of [
      [1, 1],
      [4, 0.25],
      [10, 0.2],
    ] as const) {
      const rig = new PresentationRig()
      writeStretch(new FrameWriter(rig), { fromSeconds: 0, toSeconds: 20, fps })
      expect(rig.playlist().partTargetSeconds).to.equal(target)
      expect([...rig.broken]).to.deep.equal([])
    }
  })

  it('stops making parts of frames that are longer than one, when a publisher comes with such', () => {
    const rig = running(10)
    rig.endSource()
    writeStretch(new FrameWriter(rig), { fromSeconds: 10, toSeconds: 30, fps: 1 })
    expect(rig.playlist().segments.at(-1)!.parts).to.deep.equal([])
    expect(rig.playlist().segments.length).to.equal(7)
  })

  it('ends its playlists', () => {
    const rig = running(5.05)
    rig.presentation.end()
    const { ended, segments, open } = rig.playlist()
    expect(ended).to.equal(true)
    expect(open).to.equal(undefined)
    expect(segments.map(({ durationSeconds }) => durationSeconds)).to.deep.equal([2, 2, 1.08])
    expect(rig.playlistText()).to.not.include('PRELOAD')
    expect([...rig.broken]).to.deep.equal([])
  })
})
