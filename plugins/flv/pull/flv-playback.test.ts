import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { PacedPlayer } from 'sluice/sdk'
import { createFakeHost, LogRecords, ManualClock, pullRequest, sessionInit, type FakeHost } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { makeFlv, MemoryBytes, type MadeFlv } from './fixtures/made-flv.ts'
import { FlvPull } from './flv-pull.ts'
import { FlvRecording } from './flv-recording.ts'
import { lastTagMs } from './last-tag.ts'

const SECONDS = 6

describe('FLV files', () => {
  let host: FakeHost<unknown>
  let records: LogRecords
  let folder: string

  beforeEach(async () => {
    host = await createFakeHost({ name: 'flv', version: '1.0.0', setup: () => {} })
    records = new LogRecords('flv')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
  })
  afterEach(async () => {
    await host.dispose()
    await rm(folder, { recursive: true })
  })

  /** Plays by a clock that the test moves. */
  async function play(made: MadeFlv, loop = 0) {
    const clock = new ManualClock(70_000)
    const bytes = new MemoryBytes(made.bytes)
    const recording = await FlvRecording.open({ bytes, log: records.logger, lastTagMs: await lastTagMs(bytes) })
    const player = new PacedPlayer(recording, {
      loop,
      clock: {
        now: clock.now,
        setTimeout(callback, delayMs) {
          const timer = clock.setTimeout(callback, delayMs)
          return () => clock.clear(timer)
        },
      },
    })
    const publisher = await host.streams.publish(sessionInit('live/file'), { config: { speed: 1 }, control: player })
    let isOver = false
    void player.play(publisher).then(() => (isOver = true))
    await turn()
    const pass = async (durationMs: number) => {
      for (let leftMs = durationMs; leftMs > 0; leftMs -= 10) {
        clock.advance(10)
        await turn()
      }
    }
    const times = (kind = 'video', from = 0) =>
      publisher.units
        .slice(from)
        .filter(({ track }) => track.kind === kind)
        .map(({ dts }) => dts)
    return { player, publisher, pass, times, isOver: () => isOver }
  }

  it('are played at their pace', async () => {
    const { pass, times, isOver } = await play(makeFlv({ seconds: SECONDS }))
    for (let seconds = 1; seconds <= SECONDS; seconds++) {
      await pass(1000)
      expect(times().length, `after ${seconds} s`).to.be.closeTo(seconds * 25, 1)
      expect(times('audio').length, `after ${seconds} s`).to.be.closeTo(seconds * 43, 2)
    }
    await pass(100)
    expect(isOver()).to.equal(true)
  })

  it('are repeated without a step back, or a gap', async () => {
    const { pass, times, isOver } = await play(makeFlv({ seconds: SECONDS, bFrames: 2, startMs: 5000 }), 2)
    await pass(3 * SECONDS * 1000 + 300)
    expect(isOver()).to.equal(true)
    expect(times()).to.have.length(3 * SECONDS * 25)
    for (const kind of ['video', 'audio']) {
      const steps = times(kind)
        .slice(1)
        .map((time, index) => time - times(kind)[index]!)
      expect(Math.min(...steps), kind).to.be.greaterThan(0)
      expect(Math.max(...steps), kind).to.be.at.most(60)
    }
  })

  it('are repeated for ever', async () => {
    const { pass, times, isOver } = await play(makeFlv({ seconds: SECONDS }), -1)
    await pass(5 * SECONDS * 1000)
    expect(isOver()).to.equal(false)
    expect(times().length).to.be.closeTo(5 * SECONDS * 25, 5)
  })

  it('stand still while they are paused, go faster, and elsewhere', async () => {
    const { player, publisher, pass, times } = await play(makeFlv({ seconds: 20 }))
    await pass(1000)
    player.pause()
    const paused = publisher.units.length
    await pass(5000)
    expect([publisher.units.length, publisher.paused]).to.eql([paused, true])
    player.resume()
    await pass(1000)
    expect(times().length).to.be.closeTo(50, 2)
    const from = publisher.units.length
    await player.seek(12_300)
    await pass(500)
    expect(times('video', from)[0]).to.equal(12_000)
    expect(publisher.discontinuities).to.eql([from])
    await player.setSpeed(4)
    const fast = publisher.units.length
    await pass(1000)
    // More pictures than viewers are to get: keyframes alone.
    expect(
      times('video', fast)
        .slice(-3)
        .map((time) => time % 1000),
    ).to.eql([0, 0, 0])
    expect(times('audio', fast)).to.eql([])
    expect(player.position().toMs).to.be.within(19_900, 20_000)
  })

  describe('by way of a pull', () => {
    const made = makeFlv({ seconds: SECONDS })
    const write = async (name: string, bytes: Buffer) => {
      const file = path.join(folder, name)
      await writeFile(file, bytes)
      return file
    }
    const pull = (file: string, loop = 0) => {
      const options = { config: { speed: 0 } }
      const request = pullRequest({ streamPath: 'live/file', url: 'a.flv', file, loop, options })
      return new FlvPull({ streams: host.streams, log: records.logger, request }).run()
    }
    const published = () => host.streams.publishers[0]?.units ?? []

    it('are published to their end', async () => {
      expect(await pull(await write('a.flv', made.bytes))).to.eql({ by: 'source' })
      expect(published().map(({ data }) => data.toString('hex'))).to.eql(
        made.units.map(({ data }) => data.toString('hex')),
      )
      expect(host.streams.publishers[0]?.closeReason).to.equal('the pull has ended')
      expect(records.problems).to.eql([])
    })

    it('are played to the end that they had when they were opened, though they grow', async () => {
      const file = await write('a.flv', made.bytes)
      const { bytes } = makeFlv({ seconds: SECONDS })
      const end = pull(file, 100)
      await waitFor(() => published().length > 0)
      await appendFile(file, bytes.subarray(13))
      expect(await end).to.eql({ by: 'source' })
      expect(published().length % made.units.length).to.equal(0)
    })

    it('are played as far as they can be read where they become shorter', async () => {
      const large = makeFlv({ seconds: SECONDS, unitBytes: 5000 })
      const file = await write('a.flv', large.bytes)
      const end = pull(file, 2)
      await truncate(file, Math.round(large.bytes.length / 2))
      expect(await end).to.eql({ by: 'source' })
      expect(records.problems.length).to.be.at.most(1)
    })

    it('are refused where they are none, and where they can not be read', async () => {
      const none = await write('a.flv', Buffer.from('no FLV'))
      const errorOf = (file: string) => pull(file).then(JSON.stringify, String)
      expect(await errorOf(none)).to.match(/^SourceError: the source is no FLV/u)
      expect(await errorOf(path.join(folder, 'gone.flv'))).to.equal("Error: the file can't be read: ENOENT")
      expect(await errorOf(folder)).to.equal("Error: the file can't be read: EISDIR")
      expect(host.streams.publishers).to.eql([])
    })
  })
})
