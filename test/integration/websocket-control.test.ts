import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { PacedPlayer, type PublishOptions, type SourceControl } from 'sluice/sdk'
import { ManualClock, sessionInit } from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import annexb from '../../plugins/annexb/index.ts'
import flv from '../../plugins/flv/index.ts'
import mp4 from '../../plugins/mp4/index.ts'
import { ScriptedRecording } from '../../sdk/testing/fixtures/scripted-recording.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { LiveViewer } from '../support/live-viewer.ts'

const PATH = 'vod_1/film'
const FILM_SECONDS = 100
const FPS = 25

const PAUSE = Buffer.from('636d6401', 'hex')
const RESUME = Buffer.from('636d6402', 'hex')
const seek = (seconds: number) => withNumber(3, seconds)
const speed = (hundredths: number) => withNumber(4, hundredths)
const scale = (hundredths: number) => withNumber(5, hundredths)

function withNumber(opcode: number, number: number): Buffer {
  const frame = Buffer.from('636d640000000000', 'hex')
  frame[3] = opcode
  frame.writeUInt32BE(number, 4)
  return frame
}

/** Keeps which pictures come: scripted ones say their number. */
class PictureViewer extends LiveViewer {
  readonly pictures: number[] = []

  protected override receive(bytes: Buffer): void {
    // Each says it over and over.
    for (const [, number] of bytes.toString('latin1').matchAll(/video (?<number>\d+) /gu)) {
      if (this.pictures.at(-1) !== Number(number)) this.pictures.push(Number(number))
    }
  }

  protected override receiveText(): void {}
}

describe('control frames of a WebSocket', () => {
  type Server = TestServer<unknown>

  async function start(plugin: Parameters<typeof createTestServer>[0], options: PublishOptions = { personal: true }) {
    const server: Server = await createTestServer(plugin, { config: { subscribe: { writemerge: '0s' } } })
    keep({ close: () => server.stop() })
    const clock = new ManualClock()
    const setTimeout = (run: () => void, delayMs: number) => {
      const timer = clock.setTimeout(run, delayMs)
      return () => clock.clear(timer)
    }
    const recording = new ScriptedRecording(FILM_SECONDS, { audio: false })
    const player = new PacedPlayer(recording, { clock: { now: clock.now, setTimeout } })
    const speeds: number[] = []
    const control: SourceControl = {
      pause: () => player.pause(),
      resume: () => player.resume(),
      seek: (positionMs) => player.seek(positionMs),
      async setSpeed(value) {
        await player.setSpeed(value)
        speeds.push(value)
      },
    }
    const config = { speed: 1, publishtimeout: 0, pausetimeout: 0 }
    const init = sessionInit(PATH, { type: 'vod' })
    const publisher = await server.streams.publish(init, { control, config, ...options })
    void player.play(publisher)
    const viewer = new PictureViewer(`${server.origin.replace('http', 'ws')}/${plugin.name}/${PATH}`)
    expect(await viewer.status).to.equal(101)
    await waitFor(() => server.streams.subscribers(PATH).length === 1)
    /** Lets the film play, and resolves when its last picture has come. */
    const play = async (durationMs: number, last: number) => {
      clock.advance(durationMs)
      await waitFor(() => viewer.pictures.at(-1) === last, { what: `picture ${last}` })
    }
    return { server, player, recording, speeds, viewer, play, clock }
  }

  for (const plugin of [flv, mp4, annexb]) {
    it(`pause, resume, seek and speed up a film of the viewer's own over ${plugin.name}`, async () => {
      const { server, player, recording, speeds, viewer, play, clock } = await start(plugin)
      await play(1000, FPS)
      expect(viewer.pictures).to.eql(Array.from({ length: FPS + 1 }, (_, index) => index))

      await viewer.send(PAUSE)
      expect(player.paused).to.equal(true)
      clock.advance(10_000)
      await viewer.send(RESUME)
      expect(player.paused).to.equal(false)
      // What comes next is due at once.
      await play(1000, 2 * FPS + 1)
      expect(viewer.pictures).to.have.length(2 * FPS + 2)

      await viewer.send(seek(30))
      await waitFor(() => recording.seeks === 1)
      await turn()
      await play(1000, 31 * FPS)
      expect(viewer.pictures[2 * FPS + 2]).to.equal(30 * FPS)
      expect(viewer.pictures).to.have.length(3 * FPS + 3)

      for (const [frame, last] of [
        [speed(200), 825],
        [scale(50), 837],
        [speed(100), 862],
      ] as const) {
        const told = speeds.length
        await viewer.send(frame)
        await waitFor(() => speeds.length > told)
        await play(1000, last)
      }
      expect(speeds).to.eql([2, 0.5, 1])
      expect(server.problems).to.eql([])
    })
  }

  it('are nothing to a stream that others watch, too', async () => {
    const { player, viewer, play, server } = await start(flv, {})
    for (const frame of [PAUSE, seek(30), speed(200)]) await viewer.send(frame)
    await play(1000, FPS)
    expect(player.paused).to.equal(false)
    expect(viewer.pictures).to.have.length(FPS + 1)
    expect(server.problems).to.eql([])
  })

  it('end nothing where they are none, or the source refuses them', async () => {
    const { viewer, play, player, server } = await start(flv)
    await play(1000, FPS)
    for (const frame of ['', '63', '636d64', '636d6409', '636d640300', '636d640400000000', '636d6404ffffffff']) {
      await viewer.send(Buffer.from(frame, 'hex'))
    }
    await viewer.send(PAUSE)
    expect(player.paused).to.equal(true)
    await viewer.send(RESUME)
    expect(player.paused).to.equal(false)
    await play(1000, 2 * FPS + 1)
    expect(viewer.pictures).to.have.length(2 * FPS + 2)
    expect(server.log.filter(({ msg }) => msg === 'a control frame is refused')).to.have.length(2)
    expect(server.problems).to.eql([])
  })
})
