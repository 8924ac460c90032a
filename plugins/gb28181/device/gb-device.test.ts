import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { headerIn, responseTo, type PlatformOptions } from './fixtures/test-platform.ts'
import { DEVICE_ID, rigOf, started } from './fixtures/rig.ts'

describe('a device of GB/T 28181', () => {
  const digests = [
    { algorithm: 'MD5', hasQop: false, transport: 'udp' },
    { algorithm: 'MD5', hasQop: true, transport: 'tcp' },
    { algorithm: 'SHA-256', hasQop: true, transport: 'udp' },
  ] as const
  for (const { algorithm, hasQop, transport } of digests) {
    it(`registers over ${transport} by ${algorithm}${hasQop ? ' with qop' : ''}, and unregisters`, async () => {
      const { platform, device, events } = await started({ transport, version: '2.0' }, { algorithm, hasQop })
      expect(device.isRegistered).to.equal(true)
      expect(events).to.eql([{ kind: 'registered', expires: 3600, serverVersion: '3.0' }])
      const [first, second] = platform.requests('REGISTER')
      expect(headerIn(first!, 'X-GB-ver')).to.equal('2.0')
      expect(headerIn(second!, 'Call-ID')).to.equal(headerIn(first!, 'Call-ID'))
      expect(headerIn(second!, 'CSeq')).to.equal('2 REGISTER')
      await device.stop()
      const last = platform.requests('REGISTER').at(-1)!
      expect(headerIn(last, 'Expires')).to.equal('0')
      // The nonce is used again, and counted.
      expect(headerIn(last, 'Authorization').includes('nc=00000002')).to.equal(hasQop)
    })
  }

  it('says by which status it was refused', async () => {
    const { device, events } = await rigOf({ password: 'wrong' }, { algorithm: 'MD5' })
    const error = await device.start().catch((thrown: unknown) => thrown)
    expect(error).to.have.property('status', 403)
    expect(events).to.eql([{ kind: 'refused', status: 403 }])
    expect(device.isRegistered).to.equal(false)
  })

  it('asks for longer where its expiry is too short', async () => {
    const answerTo: PlatformOptions['answerTo'] = (message) =>
      message.method === 'REGISTER' && headerIn(message, 'Expires') === '60'
        ? responseTo(message, '423 Interval Too Brief', ['Min-Expires: 3600'])
        : undefined
    const { events } = await started({ expires: 60 }, { answerTo })
    expect(events).to.deep.include({ kind: 'registered', expires: 3600, serverVersion: '3.0' })
  })

  it('keeps alive, and registers again when the platform does not know it', async () => {
    let status = '200 OK'
    const answerTo: PlatformOptions['answerTo'] = (message) =>
      message.body.includes('Keepalive') ? responseTo(message, status) : undefined
    const { platform, device } = await started({ keepaliveMs: 20 }, { answerTo })
    const [keepalive] = await platform.wait('MESSAGE', /<CmdType>Keepalive</u, 2)
    expect(keepalive!.body).to.include(`<DeviceID>${DEVICE_ID}</DeviceID>`).and.include('<Status>OK</Status>')
    expect(platform.requests('REGISTER')).to.have.length(1)
    status = '403 Forbidden'
    await platform.wait('REGISTER', /^/u, 2)
    status = '200 OK'
    await waitFor(() => device.isRegistered)
  })

  it('goes on from another port when it moves, with the Contact that it has stated', async () => {
    const { platform, device } = await started({ keepaliveMs: 20 })
    const former = device.port
    await device.move()
    expect(device.port).not.to.equal(former)
    const before = platform.requests('MESSAGE').length
    await platform.wait('MESSAGE', /Keepalive/u, before + 2)
    const last = platform.requests('MESSAGE').at(-1)!
    expect(headerIn(last, 'Via')).to.include(`:${device.port};`)
    expect(await platform.tell(DEVICE_ID, 'Query', 'DeviceInfo')).to.equal(200)
  })

  it('connects and registers again when its connection ends', async () => {
    const { platform, device, events } = await started({ transport: 'tcp', retryMs: 10 })
    platform.hangUp()
    await platform.wait('REGISTER', /^/u, 2)
    await waitFor(() => device.isRegistered)
    expect(events.map(({ kind }) => kind)).to.include('disconnected')
  })

  it('sends a catalogue page by page, each when the former was taken', async () => {
    const { platform } = await started({ channels: 5, pageSize: 2, name: '相机' })
    const pages = await platform.ask(DEVICE_ID, 'Query', 'Catalog', '', 3)
    expect(pages.map((page) => page.match(/<Item>/gu)?.length)).to.eql([2, 2, 1])
    for (const page of pages) expect(page).to.include('<SumNum>5</SumNum>')
    const ids = pages.flatMap((page) => [...page.matchAll(/<Item>\s*<DeviceID>(\d+)</gu)].map(([, id]) => id))
    expect(new Set(ids).size).to.equal(5)
  })

  it('writes names in GB2312, and says so', async () => {
    const { platform } = await started({ channels: [{ id: '34020000001320000001', name: '前门' }] })
    await platform.ask(DEVICE_ID, 'Query', 'Catalog')
    const { bytes } = platform.requests('MESSAGE', /<Response>/u)[0]!
    expect(bytes.includes('encoding="GB2312"')).to.equal(true)
    expect(bytes.includes(Buffer.from('c7b0c3c5', 'hex'))).to.equal(true)
  })

  it('answers 405, 481 and 200 to what it does not do, does not know, and OPTIONS', async () => {
    const { platform } = await started()
    expect((await platform.request('PUBLISH', DEVICE_ID)).status).to.equal(405)
    expect((await platform.request('BYE', DEVICE_ID)).status).to.equal(481)
    expect((await platform.request('OPTIONS', DEVICE_ID)).status).to.equal(200)
  })

  it('answers a repeated request as before, and does nothing a second time', async () => {
    const { platform, device } = await started()
    const init = { branch: 'z9hG4bK-same', callId: 'same', number: 9, headers: [] }
    const body = `<?xml version="1.0"?><Control><CmdType>DeviceControl</CmdType><SN>1</SN><DeviceID>${DEVICE_ID}</DeviceID><IFameCmd>Send</IFameCmd></Control>`
    await platform.request('MESSAGE', DEVICE_ID, { ...init, body })
    const before = platform.messages.length
    await platform.request('MESSAGE', DEVICE_ID, { ...init, body })
    await waitFor(() => platform.messages.length > before)
    expect(device.state(DEVICE_ID).keyframeRequests).to.equal(1)
    expect(device.received.filter(({ method }) => method === 'MESSAGE')).to.have.length(1)
  })

  it('tells of requests that come, or have come', async () => {
    const { platform, device } = await started()
    const later = device.waitFor(({ cmdType }) => cmdType === 'DeviceStatus')
    await platform.tell(DEVICE_ID, 'Query', 'DeviceStatus')
    expect((await later).deviceId).to.equal(DEVICE_ID)
    expect((await device.waitFor(({ cmdType }) => cmdType === 'DeviceStatus')).kind).to.equal('Query')
    const since = device.receivedCount
    const error = await device
      .waitFor(({ cmdType }) => cmdType === 'DeviceStatus', { since, timeoutMs: 1 })
      .catch((thrown: unknown) => thrown)
    expect(error).to.be.an('error')
  })
})
