import { expect } from 'chai'
import type { SourceControl } from 'sluice/sdk'
import { ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { RtspProbe } from '../../../test/support/rtsp/rtsp-probe.ts'
import { packetsOn, RtspRig } from '../fixtures/rtsp-rig.ts'

const PATH = 'vod_7/film'

/** A recording of 12 s that does as it is told, and remembers what that was. */
class Film implements SourceControl {
  readonly told: string[] = []
  #atMs = 0

  position() {
    return { atMs: this.#atMs, fromMs: 0, toMs: 12_000 }
  }

  seek(positionMs: number): void {
    this.told.push(`seek ${positionMs}`)
    this.#atMs = positionMs
  }

  setSpeed(speed: number): void {
    this.told.push(`speed ${speed}`)
  }

  pause(): void {
    this.told.push('pause')
  }

  resume(): void {
    this.told.push('resume')
  }
}

describe('a player of RTSP that has a recording of its own', () => {
  let rig: RtspRig
  let film: Film
  let probe: RtspProbe
  beforeEach(async () => {
    rig = await RtspRig.start()
    film = new Film()
    const publisher = await rig.server.streams.publish(sessionInit(PATH), { personal: true, control: film })
    const script = new ScriptedPublisher(publisher)
    publisher.tracksComplete()
    script.writeFrames(4)
    probe = await rig.connect()
    await rig.setUp(probe, PATH)
  })
  afterEach(() => expect(rig.server.problems).to.eql([]))

  const play = (headers = {}) => probe.request('PLAY', rig.url(PATH), { headers })

  it('is told how long it is', async () => {
    const { body } = await (await rig.connect()).request('DESCRIBE', rig.url(PATH))
    expect(body.toString()).to.contain('a=range:npt=0-12.000\r\n')
  })

  it('begins where it wants to, at the speed it wants', async () => {
    const { status, headers } = await play({ Range: 'npt=3.5-', Scale: '2.0' })
    expect(status).to.equal(200)
    expect(film.told).to.eql(['seek 3500', 'speed 2', 'resume'])
    expect(headers.get('range')).to.match(/^npt=3\.5\d*-12(?:\.0*)?$/u)
    expect(headers.get('scale')).to.equal('2')
    await waitFor(() => packetsOn(probe, 0).length > 0, { what: 'pictures' })
  })

  it('pauses it, goes on, and goes elsewhere', async () => {
    await play()
    expect((await probe.request('PAUSE', rig.url(PATH))).status).to.equal(200)
    await play()
    await play({ Range: 'npt=8-' })
    expect(film.told).to.eql(['resume', 'pause', 'resume', 'seek 8000', 'resume'])
  })

  it('plays nothing backwards', async () => {
    expect((await play({ Scale: '-1' })).headers.get('scale')).to.equal('1')
    expect(film.told).to.eql(['resume'])
  })

  for (const [range, status] of [
    ['smpte=0:10:00-', 501],
    ['npt=later', 457],
  ] as const) {
    it(`is refused the range ${range}`, async () => {
      expect((await play({ Range: range })).status).to.equal(status)
      expect(film.told).to.eql([])
    })
  }

  it('that is live has one speed', async () => {
    await rig.publish('live/a')
    const other = await rig.connect()
    await rig.setUp(other, 'live/a')
    const { headers } = await other.request('PLAY', rig.url('live/a'), { headers: { Scale: '4' } })
    expect(headers.get('scale')).to.equal('1')
  })
})
