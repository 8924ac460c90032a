import { expect } from 'chai'
import { PacedPlayer } from 'sluice/sdk'
import { createFakeHost, ManualClock, sessionInit } from 'sluice/sdk/testing'
import { Mp4Recording } from '../mp4-recording.ts'
import { MemoryBytes } from './memory-bytes.ts'
import { mp4File } from './mp4-file.ts'
import { dtsMs, openBytes, unitsOf } from './recording-units.ts'

describe('Mp4Recording', () => {
  it('gives the units of all tracks in the order of their times', async () => {
    const recording = await openBytes(mp4File({ seconds: 4 }))
    expect(recording.tracks.map(({ codec }) => codec)).to.eql(['h264', 'pcma'])
    expect(recording.durationMs).to.equal(4000)
    const all = await unitsOf(recording)
    expect(all.filter(({ track }) => track.kind === 'video')).to.have.length(100)
    expect(all.filter(({ track }) => track.kind === 'audio')).to.have.length(200)
    const times = all.map(dtsMs)
    expect(times).to.eql(times.toSorted((one, other) => one - other))
  })

  it('goes to the keyframe at a time or the last one before, and on from there', async () => {
    const recording = await openBytes(mp4File({ seconds: 10 }))
    for (const [positionMs, keyframeMs] of [
      [0, 0],
      [999, 0],
      [1000, 1000],
      [7654.3, 7000],
      [10_000, 9000],
      [99_000, 9000],
    ] as const) {
      await recording.seek(positionMs)
      const [first, ...rest] = await unitsOf(recording, 20)
      expect([first!.track.kind, first!.keyframe, dtsMs(first!)], `${positionMs}`).to.eql(['video', true, keyframeMs])
      for (const unit of rest) expect(dtsMs(unit)).to.be.at.least(keyframeMs)
    }
  })

  it('plays at its pace by a clock that is moved by hand', async () => {
    const host = await createFakeHost({ name: 'films', version: '1.0.0', setup: () => {} })
    const publisher = await host.streams.publish(sessionInit('a/b'), { config: { speed: 1 } })
    const clock = new ManualClock(0)
    const player = new PacedPlayer(await openBytes(mp4File({ seconds: 4 })), {
      clock: {
        now: clock.now,
        setTimeout(callback, delayMs) {
          const timer = clock.setTimeout(callback, delayMs)
          return () => clock.clear(timer)
        },
      },
    })
    void player.play(publisher)
    for (let passedMs = 0; passedMs < 2000; passedMs += 10) {
      clock.advance(10)
      await new Promise(setImmediate)
    }
    const last = publisher.units.filter(({ track }) => track.kind === 'video').at(-1)!
    expect(dtsMs(last)).to.be.within(1900, 2000)
    await host.dispose()
  })

  it('reads a block once, whatever lies in it', async () => {
    const bytes = new MemoryBytes(mp4File({ seconds: 10 }))
    const recording = await Mp4Recording.open(bytes)
    bytes.reads = 0
    await unitsOf(recording)
    expect(bytes.reads).to.be.at.most(Math.ceil(bytes.sizeBytes / (256 * 1024)) + 1)
  })

  it('leaves out the samples of a chunk that lies nowhere, and counts them', async () => {
    const bytes = mp4File({ seconds: 4 })
    const offsets = bytes.indexOf('stco')
    bytes.writeUInt32BE(0x7000_0000, offsets + 12 + 4)
    const recording = await openBytes(bytes)
    const pictures = (await unitsOf(recording)).filter(({ track }) => track.kind === 'video').map(dtsMs)
    expect(pictures).to.have.length(75)
    expect(pictures.at(-1)).to.equal(3960)
    expect(recording.dropped).to.equal(25)
  })

  it('ends each track where the file was cut off, of which nothing is left out', async () => {
    const bytes = mp4File({ seconds: 4 })
    for (const cutBytes of [1, 8005, 20_000]) {
      const recording = await openBytes(bytes.subarray(0, bytes.length - cutBytes))
      const all = await unitsOf(recording)
      expect(all.length).to.be.within(100, 299)
      expect(recording.dropped).to.equal(0)
    }
  })

  it('ends, or says what is wrong, with files that are damaged anywhere', async () => {
    const whole = mp4File({ seconds: 1 })
    const heads = whole.indexOf('mdat')
    let seed = 1
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(whole)
      const area = round % 4 === 0 ? bytes.length : heads
      for (let change = random(4); change >= 0; change--) bytes[random(area)] = round % 3 === 0 ? 255 : random(256)
      const given = round % 5 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes
      try {
        const recording = await openBytes(given)
        await unitsOf(recording, 5000)
        await recording.seek(random(3000))
        await unitsOf(recording, 10)
      } catch (error) {
        expect(String(error), `round ${round}`).to.match(/^Error: (the file|the moov)/u)
      }
    }
  })
})
