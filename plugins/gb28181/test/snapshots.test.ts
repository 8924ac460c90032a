import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { DeviceEvent } from '../device/index.ts'
import { ApiRig, CHANNEL_ID, DEVICE_ID, type ApiBody } from '../fixtures/api-rig.ts'

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(100, 7), Buffer.from([0xff, 0xd9])])
const SNAP = `snap/${DEVICE_ID}/${CHANNEL_ID}`
const MAX_BYTES = 8 * 1024 * 1024
const FORM = Buffer.concat([
  Buffer.from('--b0\r\nContent-Disposition: form-data; name="id"\r\n\r\n1\r\n--b0\r\nContent-Type: image/jpeg\r\n\r\n'),
  JPEG,
  Buffer.from('\r\n--b0--\r\n'),
])

describe('pictures that devices take', () => {
  let rig: ApiRig
  beforeEach(async () => {
    rig = await ApiRig.start()
  })

  it('come with the answer, and are stored', async () => {
    await rig.registered({ snapshot: JPEG })
    const answer = await rig.get(`${SNAP}?mark=front`)
    expect(answer).to.eql({ code: 0, message: 'success', imageData: JPEG.toString('base64') })
    const folder = rig.server.ctx.files.pathOf('gb28181')
    const names = () => readdir(folder).catch(() => [])
    await waitFor(async () => (await names()).length === 1)
    expect((await names())[0]).to.match(/^34020000001320000001_34020000001310000001_\d{14}\.\d{3}\.jpg$/u)
  })

  it('come from sluice gb-device, too, which has one of its own', async () => {
    const events: DeviceEvent[] = []
    await rig.registered({ onEvent: (event) => void events.push(event) })
    const { imageData } = await rig.get(SNAP)
    expect(Buffer.from(String(imageData), 'base64').subarray(0, 3).toString('hex')).to.equal('ffd8ff')
    await waitFor(() => events.some((event) => event.kind === 'snapshot' && event.status === 200))
  })

  it('can not be taken by what is off', async () => {
    const device = await rig.registered()
    await device.stop()
    expect(await rig.get(SNAP)).to.include({ code: 503, imageData: '' })
  })

  describe('have an address', () => {
    let url: string
    let answer: Promise<ApiBody>
    beforeEach(async () => {
      // What this device sends is refused, and so the address waits for another picture.
      const device = await rig.registered({ snapshot: Buffer.from('no picture') })
      answer = rig.get(SNAP)
      const order = await device.waitFor(({ cmdType }) => cmdType === 'DeviceConfig')
      url = /<UploadURL>(.*)<\/UploadURL>/u.exec(order.message.body.toString())?.[1] ?? ''
    })

    const send = async (to: string, body: Buffer | string, type = 'image/jpeg', method = 'POST') => {
      const init = { method, headers: { 'content-type': type }, body: new Uint8Array(Buffer.from(body)) }
      return (await fetch(to, init)).status
    }

    const forms: readonly [string, Buffer | string, string, string][] = [
      ['as it is', JPEG, 'image/jpeg', 'POST'],
      ['by PUT, of another type', JPEG, 'application/octet-stream', 'PUT'],
      ['in a form', FORM, 'multipart/form-data; boundary=b0', 'POST'],
      ['in JSON', JSON.stringify({ imageData: JPEG.toString('base64') }), 'application/json', 'POST'],
    ]
    for (const [name, body, type, method] of forms) {
      it(`that takes one ${name}`, async () => {
        expect(await send(url, body, type, method)).to.equal(200)
        expect(await answer).to.include({ imageData: JPEG.toString('base64') })
        expect(await send(url, body, type, method)).to.equal(404)
      })
    }

    it('whose token the operation takes as well', async () => {
      const token = url.split('/').at(-1)!
      expect(await rig.post('snap/upload?token=none', { imageData: JPEG.toString('base64') })).to.include({ code: 404 })
      expect(await rig.post(`snap/upload?token=${token}`, { imageData: 'AAAA' })).to.include({ code: 400 })
      expect(await rig.post(`snap/upload?token=${token}`, { imageData: JPEG.toString('base64') })).to.include({
        code: 0,
      })
      expect(await answer).to.include({ imageData: JPEG.toString('base64') })
    })

    it('that nobody can guess, and that takes neither too much nor something else', async () => {
      expect(url.split('/').at(-1)).to.match(/^~[\w-]{36}$/u)
      expect(await send(url.replace(/.$/u, '!'), JPEG)).to.equal(404)
      expect(await send(url, Buffer.concat([JPEG.subarray(0, 8), Buffer.alloc(MAX_BYTES)]))).to.equal(413)
      for (const wrong of ['GIF89a', JPEG.subarray(0, 50), '--b0\r\n\r\n--b0--', '{"imageData":5}', '']) {
        expect(await send(url, wrong)).to.equal(400)
      }
      expect(await send(url, JPEG)).to.equal(200)
      await answer
    })
  })
})
