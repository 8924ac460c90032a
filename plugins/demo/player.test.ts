import { expect } from 'chai'
import { createFakeHost, sessionInit, type FakePublisher } from 'sluice/sdk/testing'
import { Clip } from './clip/clip.ts'
import demo from './index.ts'
import { ClipPlayer, MAX_LATE_MS } from './player.ts'

const CLIP_SECONDS = 2

describe('ClipPlayer', () => {
  let clip: Clip
  let publisher: FakePublisher
  let player: ClipPlayer

  before(() => {
    clip = new Clip({ seconds: CLIP_SECONDS })
  })

  beforeEach(async () => {
    const host = await createFakeHost({ ...demo, setup: () => {} })
    publisher = await host.streams.publish(sessionInit('live/demo'))
    player = new ClipPlayer(clip, publisher, 1000)
    await host.http.dispose()
  })

  const unitsOf = (kind: string) => publisher.units.filter(({ track }) => track.kind === kind)
  const timesMs = (kind: string) => unitsOf(kind).map(({ dts, track }) => (dts * 1000) / track.timescale)

  /** Ticks as a timer would that is always a little late. */
  function playUntil(endMs: number): void {
    while (player.dueMs <= endMs) player.tick(player.dueMs + 3)
  }

  it('declares both tracks at once', () => {
    expect(publisher.tracks.map(({ codec }) => codec)).to.eql(['h264', 'aac'])
    expect(publisher.complete).to.equal(true)
  })

  it('writes nothing before it is due, and all that is due', () => {
    player.tick(1000)
    expect(publisher.units).to.have.length(2)
    player.tick(1021)
    expect(publisher.units).to.have.length(2)
    player.tick(1040)
    expect(timesMs('video')).to.eql([0, 40])
    expect(timesMs('audio')).to.have.length(2)
  })

  it('keeps to the clock over many turns of the clip, however late its timer is', () => {
    playUntil(1000 + 60_000)
    const pictures = timesMs('video')
    expect(pictures).to.have.length(60 * clip.fps + 1)
    expect(pictures.at(-1)).to.equal(60_000)
    expect(pictures.every((time, index) => index === 0 || time - (pictures[index - 1] ?? 0) === 40)).to.equal(true)
    expect(timesMs('audio').at(-1)).to.be.within(60_000 - 22, 60_000 + 3)
    const keyframes = unitsOf('video').filter(({ keyframe }) => keyframe)
    expect(keyframes).to.have.length(60 / CLIP_SECONDS + 1)
    const data = unitsOf('video').map((unit) => unit.data)
    expect(data[clip.length]).to.equal(data[0])
  })

  it('goes on at the present time after a stall, with the next picture', () => {
    playUntil(1400)
    const before = unitsOf('video').length
    player.tick(1400 + 5010)
    const pictures = timesMs('video')
    expect(pictures).to.have.length(before + 1)
    expect(pictures.at(-1)).to.equal(5400)
    expect(unitsOf('video').at(-1)?.data).to.equal(clip.picture(before).data)
    expect(player.dueMs).to.equal(1000 + 5440)
    player.tick(player.dueMs)
    const sound = timesMs('audio').filter((time) => time > 420 && time < 5440)
    expect(sound).to.have.length(1)
    expect(sound[0]).to.be.within(5400, 5422)
  })

  it('makes up for a short delay', () => {
    player.tick(1000)
    player.tick(1000 + MAX_LATE_MS)
    expect(timesMs('video')).to.have.length(MAX_LATE_MS / 40 + 1)
  })

  it('writes in the order of time', () => {
    playUntil(3000)
    const all = publisher.units.map(({ dts, track }) => dts / track.timescale)
    expect(all).to.eql(all.toSorted((a, b) => a - b))
  })
})
