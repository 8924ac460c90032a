import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import type { GbRecording } from '../device/index.ts'
import { clipByFfmpeg } from '../device/index.ts'
import { ApiRig, CHANNEL_ID, DEVICE_ID, type ApiBody } from '../fixtures/api-rig.ts'

const TARGET = `${DEVICE_ID}/${CHANNEL_ID}`
const START_MS = Date.UTC(2026, 10, 20, 2)
const HOUR_MS = 3_600_000
const RECORDINGS: readonly GbRecording[] = Array.from({ length: 6 }, (_, hour) => ({
  name: `hour ${hour}`,
  start: new Date(START_MS + hour * HOUR_MS),
  end: new Date(START_MS + (hour + 1) * HOUR_MS - 1000),
  type: hour === 3 ? 'alarm' : 'time',
}))

describe('recordings of devices', () => {
  let rig: ApiRig
  beforeEach(async () => {
    rig = await ApiRig.start()
  })

  const rowsOf = ({ data }: ApiBody) => data as readonly Readonly<Record<string, string>>[]

  it('are listed, the newest first', async () => {
    await rig.registered({ name: 'Gate', recordings: RECORDINGS })
    const answer = await rig.get(`records/${TARGET}?start=1700000000`)
    expect(answer).to.include({
      code: 0,
      deviceId: DEVICE_ID,
      channelId: CHANNEL_ID,
      name: 'Gate',
      sumNum: 6,
      count: 6,
    })
    expect(answer['sn']).to.match(/^\d+$/u)
    expect(rowsOf(answer).map(({ name }) => name)).to.eql([5, 4, 3, 2, 1, 0].map((hour) => `hour ${hour}`))
    expect(Date.parse(rowsOf(answer).at(-1)!['startTime']!)).to.equal(START_MS)
    const range = `start=${(START_MS + HOUR_MS) / 1000}&end=${(START_MS + 2 * HOUR_MS - 60_000) / 1000}`
    expect(rowsOf(await rig.get(`gbrecord/query/${TARGET}?${range}`)).map(({ name }) => name)).to.eql(['hour 1'])
    expect(await rig.get(`records/${TARGET}?start=tomorrow`)).to.include({ code: 400 })
    expect(await rig.get(`records/${DEVICE_ID}/3499`)).to.include({ code: 404 })
  })

  it('are none where there are none', async () => {
    await rig.registered()
    expect(await rig.get(`records/${TARGET}`)).to.deep.include({ code: 0, count: 0, data: [] })
  })

  describe('are played', () => {
    beforeEach(function () {
      requirePeer(this, 'ffmpeg')
    })

    const started = async (more: object = {}) => {
      const source = await clipByFfmpeg({ seconds: 2, size: '160x120' })
      const device = await rig.registered({ source, recordings: RECORDINGS })
      const body = { start: String(START_MS / 1000), end: String((START_MS + HOUR_MS) / 1000), ...more }
      const { data, ...rest } = await rig.post(`playback/start/${TARGET}`, body)
      expect(rest).to.include({ code: 0 })
      return { device, streamPath: (data as { streamPath: string }).streamPath, data }
    }

    it('paused, resumed, faster, and from another time on', async () => {
      const { device, streamPath, data } = await started()
      expect(streamPath).to.equal(`gb_1/${TARGET}`)
      const { data: streams } = await rig.get('play/ssrc')
      const { ssrc } = data as { ssrc: string }
      expect(streams).to.eql([{ deviceId: DEVICE_ID, channelId: CHANNEL_ID, streamPath, ssrc, type: 'Playback' }])
      expect(ssrc).to.match(/^1\d{9}$/u)
      const steps: readonly [string, RegExp][] = [
        ['pause?', /^PAUSE/u],
        ['resume?', /Range: npt=now-/u],
        ['speed?speed=2&', /Scale: 2/u],
        [`seek?seekTime=${START_MS / 1000 + 60}&`, /Range: npt=60-/u],
      ]
      for (const [step, wanted] of steps) {
        const since = device.receivedCount
        const answer = await rig.get(`playback/${step}streamPath=${streamPath}`)
        expect(answer, step).to.include({ code: 0 })
        const info = await device.waitFor(({ method }) => method === 'INFO', { since })
        expect(info.message.body.toString(), step).to.match(wanted)
      }
      expect(await rig.get(`playback/speed?speed=3&streamPath=${streamPath}`)).to.include({ code: 400 })
      expect(await rig.get('playback/pause?streamPath=live/none')).to.include({ code: 404 })
    })

    it('no longer than somebody watches, where that is asked for', async () => {
      rig = await ApiRig.start({ publish: { delayclosetimeout: '300ms', idletimeout: '300ms' } })
      const { device } = await started({ lasting: false })
      await waitFor(() => device.sessions.length === 0)
    })

    it('live until they are stopped', async () => {
      const source = await clipByFfmpeg({ seconds: 2, size: '160x120' })
      const device = await rig.registered({ source })
      expect((await rig.get(`play/start/${TARGET}`))['data']).to.include({ streamPath: TARGET })
      expect(await rig.get(`playback/pause?streamPath=${TARGET}`)).to.include({ code: 501 })
      expect(device.sessions).to.have.length(1)
      // It is there already.
      expect(await rig.get(`play/start/${TARGET}`)).to.include({ code: 0 })
      expect(await rig.get(`play/stop/${TARGET}`)).to.include({ code: 0 })
      await waitFor(() => device.sessions.length === 0)
      await waitFor(async () => (await rig.get(`play/stop/${TARGET}`)).code === 404)
      expect(await rig.post(`play/convertStop/${DEVICE_ID}_${CHANNEL_ID}`)).to.include({ code: 404 })
    })
  })

  it('are not played by a device that refuses, or is off', async () => {
    const device = await rig.registered({ quirks: ['refuse=486'] })
    const answer = await rig.get(`play/start/${TARGET}`)
    expect(answer).to.include({ code: 503 })
    expect(answer.message).to.include('486')
    await device.stop()
    expect(await rig.get(`play/start/${TARGET}`)).to.include({ code: 503, message: `device ${DEVICE_ID} is offline` })
    expect(await rig.post(`playback/start/${TARGET}`, {})).to.include({ code: 503 })
  })
})
