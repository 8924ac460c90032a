import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { PublishConfig } from '../config/groups.ts'
import { InvalidRequest } from '../errors/stream-errors.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import { createFakeHost } from './fake-host.ts'
import type { FakePublisher } from './fake-publisher.ts'
import { sessionInit } from './fake-streams.ts'
import { ManualClock } from './manual-clock.ts'
import { ScriptedRecording } from './fixtures/scripted-recording.ts'
import { PacedPlayer } from '../playback/paced-player.ts'
import type { Recording } from '../playback/recording.ts'

describe('PacedPlayer', () => {
  let clock: ManualClock
  let publisher: FakePublisher
  let close: () => Promise<void>

  beforeEach(async () => {
    const host = await createFakeHost({ name: 'films', version: '1.0.0', setup: () => {} })
    clock = new ManualClock(70_000)
    publisher = await host.streams.publish(sessionInit('vod_1/film'), { config: { speed: 1 } })
    close = () => host.dispose()
  })

  afterEach(() => close())

  function play(recording: Recording, options: { loop?: number; config?: Partial<PublishConfig> } = {}) {
    const player = new PacedPlayer(recording, {
      ...options,
      clock: {
        now: clock.now,
        setTimeout(callback, delayMs) {
          const timer = clock.setTimeout(callback, delayMs)
          return () => clock.clear(timer)
        },
      },
    })
    Object.assign(publisher, { config: { ...publisher.config, ...options.config } })
    let end: string | undefined
    player.play(publisher).then(
      () => (end = 'over'),
      (error: unknown) => (end = String(error)),
    )
    return { player, end: () => end }
  }

  /** Moves the clock on in steps, as the event loop would turn. */
  async function pass(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= 10) {
      clock.advance(Math.min(10, leftMs))
      await turn()
      await turn()
    }
  }

  /** Times in the recording, in milliseconds. */
  const times = (kind = 'video', from = 0) =>
    publisher.units
      .slice(from)
      .filter(({ track }) => track.kind === kind)
      .map(({ dts, track }) => (dts * 1000) / track.timescale)

  /** Breaks in the order of pictures that don't begin with a keyframe, and steps back where no discontinuity was told. */
  function faults(recording: ScriptedRecording): string[] {
    const order = recording.units.filter(({ track }) => track.kind === 'video').map(({ data }) => data)
    const found: string[] = []
    let last: { index: number; dts: number } | undefined
    for (const [at, unit] of publisher.units.entries()) {
      if (publisher.discontinuities.includes(at)) last = undefined
      if (unit.track.kind !== 'video') continue
      const index = order.indexOf(unit.data)
      if (!unit.keyframe && index !== (last?.index ?? -2) + 1) found.push(`picture ${index} after ${last?.index}`)
      if (last !== undefined && unit.dts <= last.dts) found.push(`back from ${last.dts} to ${unit.dts}`)
      last = { index, dts: unit.dts }
    }
    return found
  }

  it('declares the tracks, and writes what is due and nothing before', async () => {
    play(new ScriptedRecording(4))
    expect(publisher.tracks.map(({ codec }) => codec)).to.eql(['h264', 'aac'])
    expect(publisher.complete).to.equal(true)
    expect(times()).to.eql([0])
    for (let second = 1; second <= 3; second++) {
      await pass(1000)
      expect(times().at(-1)).to.be.within(second * 1000 - 40, second * 1000)
      expect(times('audio').at(-1)).to.be.within(second * 1000 - 30, second * 1000)
    }
  })

  it('keeps its pace where a file has its tracks in stretches of half a second', async () => {
    const recording = new ScriptedRecording(10)
    const stretch = ({ dts, track }: AccessUnit) => Math.floor((dts * 2) / track.timescale)
    recording.units.sort((one, other) => stretch(one) - stretch(other) || one.track.id - other.track.id)
    play(recording)
    await pass(5000)
    expect(times().at(-1)).to.be.within(4900, 5000)
    expect(times('audio').at(-1)).to.be.within(4400, 5500)
  })

  it('waits for what has to be read first, and asks for one unit at a time', async () => {
    const recording = new ScriptedRecording(2)
    recording.late = true
    const { end } = play(recording)
    await pass(1000)
    expect(times()).to.have.length.within(24, 26)
    await pass(1200)
    expect([times().length, end()]).to.eql([50, 'over'])
  })

  it('ends with the recording, and with its publisher', async () => {
    const { end } = play(new ScriptedRecording(1))
    await pass(1100)
    expect([times().length, end(), publisher.closeReason]).to.eql([25, 'over', undefined])
    const other = play(new ScriptedRecording(1))
    publisher.close()
    await turn()
    expect(other.end()).to.equal('over')
    expect(clock.pending).to.equal(0)
  })

  it('goes on after a pause with the very next unit, however long that was', async () => {
    const recording = new ScriptedRecording(10)
    const { player } = play(recording)
    await pass(1000)
    const before = times().length
    player.pause()
    expect(publisher.paused).to.equal(true)
    await pass(60_000)
    expect(times()).to.have.length(before)
    player.resume()
    player.resume()
    expect(publisher.paused).to.equal(false)
    await pass(1000)
    expect(times()).to.have.length.within(before + 25, before + 26)
    expect(publisher.discontinuities).to.eql([])
    expect(faults(recording)).to.eql([])
  })

  it('seeks forth and back to the keyframe before, and writes nothing until whoever asked has heard', async () => {
    const recording = new ScriptedRecording(10)
    const { player } = play(recording)
    await pass(500)
    for (const [toMs, keyframeMs] of [
      [6400, 6000],
      [1999, 1000],
      [99_000, 9000],
      [-1, 0],
    ] as const) {
      const before = publisher.units.length
      await player.seek(toMs)
      expect(publisher.units).to.have.length(before)
      expect(publisher.discontinuities.at(-1)).to.equal(before)
      expect(player.position()).to.eql({ atMs: Math.max(0, Math.min(toMs, 10_000)), fromMs: 0, toMs: 10_000 })
      await pass(200)
      expect(times('video', before)[0]).to.equal(keyframeMs)
      expect(player.position().atMs).to.be.within(keyframeMs + 180, keyframeMs + 200)
    }
    expect(faults(recording)).to.eql([])
  })

  for (const late of [false, true]) {
    it(`stands 50 seeks at once, of which the last counts, ${late ? 'read' : 'at hand'}`, async () => {
      const recording = new ScriptedRecording(60)
      recording.late = late
      const { player } = play(recording)
      await pass(500)
      const before = publisher.units.length
      await Promise.all(Array.from({ length: 50 }, (_, index) => player.seek(index * 1000 + 500)))
      expect(recording.seeks).to.be.lessThan(4)
      await pass(1000)
      expect(times('video', before)[0]).to.equal(49_000)
      expect(times('video', before)).to.have.length.within(24, 27)
      expect(faults(recording)).to.eql([])
    })
  }

  it('stays where it was sought to while it is paused', async () => {
    const { player } = play(new ScriptedRecording(10))
    await pass(100)
    player.pause()
    const before = publisher.units.length
    await player.seek(5000)
    await pass(1000)
    expect(publisher.units).to.have.length(before)
    player.resume()
    await pass(40)
    expect(times('video', before)[0]).to.equal(5000)
  })

  it('plays faster and slower, without sound', async () => {
    const recording = new ScriptedRecording(30)
    const { player } = play(recording)
    await pass(1000)
    await player.setSpeed(2)
    expect(publisher.speed).to.equal(2)
    const sounds = times('audio').length
    await pass(1000)
    expect(times().at(-1)).to.be.within(2950, 3050)
    await player.setSpeed(0.5)
    await pass(1000)
    expect(times().at(-1)).to.be.within(3450, 3550)
    expect(times('audio')).to.have.length(sounds)
    await player.setSpeed(1)
    await pass(1000)
    expect(times('audio').at(-1)).to.be.within(4400, 4550)
    expect(publisher.discontinuities).to.eql([])
    expect(faults(recording)).to.eql([])
  })

  it('writes keyframes alone where there were too many pictures, and goes back to the last one afterwards', async () => {
    const recording = new ScriptedRecording(60)
    const { player } = play(recording)
    await pass(1500)
    await player.setSpeed(8)
    const before = publisher.units.length
    await pass(2060)
    expect(times('video', before)).to.eql(Array.from({ length: 16 }, (_, index) => 2000 + index * 1000))
    await player.setSpeed(1)
    await pass(500)
    const after = times('video', publisher.discontinuities[0])
    expect(after.slice(0, 3)).to.eql([17_000, 17_040, 17_080])
    expect(after).to.have.length.within(12, 14)
    expect(faults(recording)).to.eql([])
  })

  it('takes no other speed than players could show', async () => {
    const { player } = play(new ScriptedRecording(2))
    for (const speed of [0, -1, 0.2, 17, NaN]) {
      const error: unknown = await player.setSpeed(speed).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(InvalidRequest)
    }
  })

  it('repeats, the times going on', async () => {
    const recording = new ScriptedRecording(2, { bFrames: 2 })
    const { end } = play(recording, { loop: 2 })
    await pass(5990)
    expect(times()).to.eql(Array.from({ length: 150 }, (_, index) => index * 40))
    expect(publisher.discontinuities).to.eql([])
    await pass(100)
    expect(end()).to.equal('over')
  })

  it('ends where there is nothing to repeat', async () => {
    const recording = new ScriptedRecording(1)
    recording.units.length = 0
    const { end } = play(recording, { loop: -1 })
    await turn()
    expect(end()).to.equal('over')
  })

  it('has no burst after the process was held up', async () => {
    play(new ScriptedRecording(60))
    await pass(1000)
    const before = times().length
    clock.advance(0)
    const late = clock.now
    Object.assign(clock, { now: () => late() + 20_000 })
    await pass(1000)
    expect(times()).to.have.length.within(before + 24, before + 27)
  })

  it('goes as fast as it can where the speed is 0, and lets others work meanwhile', async () => {
    const { end } = play(new ScriptedRecording(20), { config: { speed: 0 } })
    expect(publisher.units.length).to.be.within(1, 100)
    await pass(400)
    expect([times().length, times('audio').length > 800, end()]).to.eql([500, true, 'over'])
  })

  it('begins at the pace and scale of the config', async () => {
    play(new ScriptedRecording(20), { config: { speed: 2, scale: 2 } })
    await pass(1000)
    expect(times().at(-1)).to.be.within(1960, 2000)
    expect(times('audio')).to.eql([])
  })

  it('plays sound without pictures', async () => {
    const { player } = play(new ScriptedRecording(4, { video: false }))
    await pass(1000)
    expect(times('audio').at(-1)).to.be.within(970, 1000)
    await player.setSpeed(4)
    await pass(500)
    expect(player.position().atMs).to.be.within(2900, 3010)
  })

  it('rejects with what the recording throws', async () => {
    const recording = new ScriptedRecording(1)
    for (const next of [
      () => Promise.reject(new Error('unreadable')),
      () => {
        throw new Error('unreadable')
      },
    ]) {
      const { end } = play(Object.assign(recording, { next }))
      await turn()
      await turn()
      expect(end()).to.equal('Error: unreadable')
    }
  })

  it('goes on where it was when a seek fails', async () => {
    const recording = new ScriptedRecording(10)
    const { player } = play(recording)
    await pass(500)
    const seek = recording.seek.bind(recording)
    Object.assign(recording, { seek: () => Promise.reject(new Error('unreadable')) })
    expect(String(await player.seek(5000).catch((error: unknown) => error))).to.equal('Error: unreadable')
    Object.assign(recording, { seek })
    await pass(500)
    expect(times().at(-1)).to.be.within(960, 1040)
    expect(faults(recording)).to.eql([])
  })
})
