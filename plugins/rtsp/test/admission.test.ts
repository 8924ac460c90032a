import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { RtspProbe } from '../../../test/support/rtsp/rtsp-probe.ts'
import { HeldTimers } from '../fixtures/held-timers.ts'
import { interleaved, packetsOn, RtspRig } from '../fixtures/rtsp-rig.ts'

/** How long a client that was admitted has to begin. */
const ADMISSION_MS = 10_000
const AUTH = { enableauth: true, subscribe: { key: 'a-key', maxcount: 1 } }

describe('the admission of a player of RTSP', () => {
  let timers: HeldTimers
  let rig: RtspRig
  let probe: RtspProbe
  let isAllowed: boolean
  beforeEach(async () => {
    timers = new HeldTimers()
    rig = await RtspRig.start(AUTH, timers.plugin)
    isAllowed = true
    rig.server.ctx.streams.setStreamAuthHandler(() => isAllowed)
    await rig.publish()
    probe = await rig.connect()
  })
  // The handler is asked by this plugin alone, which is said of the others.
  const ofOthers = /^a custom auth handler is set, but not asked/u
  afterEach(() => expect(rig.server.problems.filter(({ msg }) => !ofOthers.test(msg))).to.eql([]))

  const players = () => rig.server.streams.subscribers('live/a').length
  const describeStream = async () => (await probe.request('DESCRIBE', rig.url())).status
  const setUp = async () => {
    const headers = { Transport: interleaved(0) }
    return (await probe.request('SETUP', `${rig.url()}/trackID=0`, { headers })).status
  }
  const play = async () => (await probe.request('PLAY', rig.url())).status

  function runOut(): void {
    expect(timers.delaysMs).to.eql([ADMISSION_MS])
    timers.runOut()
  }

  it('ends where nothing is set up in time, and leaves its place to others', async () => {
    expect(await describeStream()).to.equal(200)
    const other = await rig.connect()
    expect((await other.request('DESCRIBE', rig.url())).status).to.equal(503)
    runOut()
    expect(players()).to.equal(0)
    expect((await rig.setUp(other)).status).to.equal(200)
  })

  it('is asked for anew by SETUP, which goes on without another DESCRIBE', async () => {
    await describeStream()
    runOut()
    isAllowed = false
    expect(await setUp()).to.equal(401)
    isAllowed = true
    expect([await setUp(), await play()]).to.eql([200, 200])
    await waitFor(() => packetsOn(probe, 0).length > 0, { what: 'media' })
  })

  it('is asked for anew by PLAY, and its place is free where that is refused', async () => {
    await describeStream()
    await setUp()
    runOut()
    isAllowed = false
    expect(await play()).to.equal(401)
    expect(players()).to.equal(0)
    isAllowed = true
    expect(await play()).to.equal(454)
    probe.session = undefined
    expect([await setUp(), await play()]).to.eql([200, 200])
  })

  it('holds for who has begun, however long that is ago', async () => {
    await describeStream()
    await setUp()
    expect(await play()).to.equal(200)
    runOut()
    isAllowed = false
    await probe.request('PAUSE', rig.url())
    expect(await play()).to.equal(200)
  })

  it('leaves no timer when the client leaves', async () => {
    await describeStream()
    await setUp()
    await probe.request('TEARDOWN', rig.url())
    await waitFor(() => timers.delaysMs.length === 0, { what: 'the end' })
  })

  it('ends with a session that is not begun, and of which nothing is heard', async () => {
    await rig.server.configure({ ...AUTH, sessiontimeout: '50ms' })
    await describeStream()
    await setUp()
    await waitFor(() => players() === 0, { what: 'the end' })
  })
})
